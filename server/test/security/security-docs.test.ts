/** docs/security.md and the tests that it names. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');

/** A file, and the names of tests behind it: `file.test.ts` "one", "another". */
const named = [...page.matchAll(/`([\w/.-]+\.test\.ts)`((?:,? "[^"]+")*)/g)].map(([, file = '', names = '']) => ({
  file,
  names: [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
}));

test('every row of the threat model names a test', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| threat'));
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => !/\.test\.ts` "|\.test\.ts` \|/.test(row))).toEqual([]);
});

test.each(named)('$file exists and contains $names', ({ file, names }) => {
  expect(existsSync(new URL(file, root))).toBe(true);
  const text = readFileSync(new URL(file, root), 'utf8');
  expect(names.filter((name) => !text.includes(`'${name}'`) && !text.includes(`"${name}"`))).toEqual([]);
});

test('every file of security tests is in the threat model', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.test.ts'));
  const missing = files.filter(
    (name) => name !== 'security-docs.test.ts' && !page.includes(`server/test/security/${name}`),
  );
  expect(missing).toEqual([]);
});
