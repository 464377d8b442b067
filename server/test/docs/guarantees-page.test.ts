/** docs/delivery-guarantees.md and the tests that it names. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { missingTests, namedTestsOf } from './named-tests.ts';

const page = readFileSync(new URL('../../../docs/delivery-guarantees.md', import.meta.url), 'utf8');
const [, promises = ''] = /^## What is promised\n(.*?)^## /ms.exec(page) ?? [];

test('every promise of the page names a test', () => {
  const rows = promises.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| promise'));
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/\.test\.ts` "/.test(row))).toEqual([]);
});

test.each(namedTestsOf(page))('$file contains $names', (named) => {
  expect(missingTests(named)).toEqual([]);
});
