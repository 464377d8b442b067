/** docs/clients.md lists the versions of the packages that the compatibility tests use. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/clients.md', root), 'utf8');
const { devDependencies } = JSON.parse(readFileSync(new URL('compatibility/package.json', root), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const rows = [...page.matchAll(/^\| `([^`]+)`(?: \([^)]*\))? \| ([\d.]+) \|/gm)].map(([, name = '', version]) => ({
  name,
  version,
}));

test('docs/clients.md has a table of clients', () => {
  expect(rows.length).toBeGreaterThan(10);
});

test.each(rows)('docs/clients.md lists the tested version of $name', ({ name, version }) => {
  expect(devDependencies[name]?.replace('npm:@apollo/client@', '')).toBe(version);
});
