/** mutation/accepted.json lists changes of code that exists, each once and with a reason. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Accepted {
  readonly file: string;
  readonly code: string;
  readonly replacement: string;
  readonly reason: string;
}

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const accepted = JSON.parse(read('mutation/accepted.json')) as readonly Accepted[];

test('accepted mutants are changes of code that exists', () => {
  expect(accepted.filter(({ file, code }) => !read(file).includes(code))).toEqual([]);
});

test('accepted mutants are listed once', () => {
  const keys = accepted.map(({ file, code, replacement }) => JSON.stringify([file, code, replacement]));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test('accepted mutants have a reason', () => {
  expect(accepted.filter(({ reason }) => !/^[A-Z].{10,}\.$/.test(reason))).toEqual([]);
});
