/** The catalog of error codes and its documentation page are equal. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from '../../src/base/errors.ts';

interface Row {
  readonly code: string;
  readonly status: number;
  readonly meaning: string;
  readonly advice: string;
}

/** Returns the rows of the table in the page. */
function documentedCodes(page: string): Row[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [code = '', status = '', meaning = '', advice = '', ...rest] = line.slice(1, -1).split('|');
      if (rest.length > 0) throw new Error(`a row has too many cells: ${line}`);
      return {
        code: code.trim().replaceAll('`', ''),
        status: Number(status),
        meaning: meaning.trim(),
        advice: advice.trim(),
      };
    });
}

const rows = documentedCodes(readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8'));

test('docs/errors.md lists every code of the catalog with its status and meaning, in its order', () => {
  const documented = rows.map(({ code, status, meaning }) => ({ code, status, meaning }));
  const coded = Object.entries(errorCodes).map(([code, entry]) => ({ code, ...entry }));
  expect(documented).toEqual(coded);
});

test('every code has a suggestion', () => {
  expect(rows.filter((row) => !/^[A-Z].*\.$/.test(row.advice))).toEqual([]);
});

test('the catalog is in alphabetical order and contains only error statuses', () => {
  const codes = Object.keys(errorCodes);
  expect(codes).toEqual([...codes].sort());
  expect(Object.values(errorCodes).filter(({ status }) => status < 400 || status > 599)).toEqual([]);
});
