/** The tests that a page of the documentation names: `file.test.ts` "one test", "another". */
import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../../../', import.meta.url);

export interface NamedTests {
  readonly file: string;
  readonly names: readonly string[];
}

export function namedTestsOf(page: string): readonly NamedTests[] {
  return [...page.matchAll(/`([\w/.-]+\.test\.ts)`((?:,? "[^"]+")*)/g)].map(([, file = '', names = '']) => ({
    file,
    names: [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
  }));
}

/** Returns the names that the file does not have, or the file if it does not exist. */
export function missingTests({ file, names }: NamedTests): readonly string[] {
  const path = new URL(file, root);
  if (!existsSync(path)) return [file];
  const text = readFileSync(path, 'utf8');
  return names.filter((name) => !text.includes(`'${name}'`) && !text.includes(`"${name}"`));
}
