// A reporter of Stryker that prints each mutant that no test finds as soon as it was tested, so that work on it can begin.
import { relative } from 'node:path';

class Survivors {
  onMutantTested({ status, fileName, location: { start }, replacement }) {
    if (status !== 'Survived' && status !== 'NoCoverage') return;
    const changed = replacement.replaceAll(/\s+/g, ' ').slice(0, 100);
    process.stdout.write(`${status} ${relative(process.cwd(), fileName)}:${start.line}:${start.column} ${changed}\n`);
  }
}

export const strykerPlugins = [{ kind: 'Reporter', name: 'survivors', injectableClass: Survivors }];
