/** docs/security.md and the tests that it names. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { missingTests, namedTestsOf } from '../docs/named-tests.ts';

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');

test('every row of the threat model names a test', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| threat'));
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => !/\.test\.ts` "|\.test\.ts` \|/.test(row))).toEqual([]);
});

test.each(namedTestsOf(page))('$file contains $names', (named) => {
  expect(missingTests(named)).toEqual([]);
});

test('every file of security tests is in the threat model', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.test.ts'));
  const missing = files.filter(
    (name) => name !== 'security-docs.test.ts' && !page.includes(`server/test/security/${name}`),
  );
  expect(missing).toEqual([]);
});
