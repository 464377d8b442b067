import { expect, test } from 'vitest';
import { FileProblem, type FileRecord } from './file-records.ts';
import { jsonRecords } from './json-records.ts';

async function read(...texts: readonly string[]): Promise<readonly FileRecord[]> {
  const records: FileRecord[] = [];
  const parts = async function* () {
    yield* texts;
  };
  for await (const group of jsonRecords(parts())) records.push(...group);
  return records;
}

test('an array is numbered by item, and lines by line', async () => {
  expect(await read('[{"a": 1},', ' {"a": 2}]')).toEqual([
    { line: 1, values: { a: 1 } },
    { line: 2, values: { a: 2 } },
  ]);
  expect(await read('{"a": 1}\n\n{"a"', ': 2}\n')).toEqual([
    { line: 1, values: { a: 1 } },
    { line: 3, values: { a: 2 } },
  ]);
});

test('a line that is no object has a problem, and a broken array is one of the file', async () => {
  expect(await read('{"a": 1}\n[1]\n{"a"')).toMatchObject([
    { line: 1 },
    { line: 2, problem: 'Must be an object of values by column.' },
    { line: 3, problem: expect.stringContaining('No JSON') },
  ]);
  await expect(read('[{"a": 1}')).rejects.toBeInstanceOf(FileProblem);
});
