/** docs/configuration.md lists the options of the service. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { flagName, options, variableName } from '../../src/config/options.ts';

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');

it('docs/configuration.md documents every option in the order of the table, with its default and its meaning', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `JOINERY_'));
  const expected = Object.values(options).map((option) => {
    const fallback = option.fallback === undefined ? 'none' : `\`${option.fallback}\``;
    return `| \`${variableName(option)}\` | \`--${flagName(option)}\` | ${fallback} | ${option.meaning} |`;
  });
  expect(rows).toEqual(expected);
});
