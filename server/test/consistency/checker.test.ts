/** The checker finds each anomaly in a history that contains it, and none in serial histories. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Append, findAnomalies, type Read, type Transaction } from './checker.ts';

const append = (key: string, element: number): Append => ({ kind: 'append', key, element });
const read = (key: string, ...list: readonly number[]): Read => ({ kind: 'read', key, list });
const committed = (id: string, ...operations: readonly (Append | Read)[]): Transaction => ({
  id,
  outcome: 'committed',
  operations,
});
const kindsOf = (history: readonly Transaction[], finals: Readonly<Record<string, readonly number[]>>) =>
  findAnomalies(history, new Map(Object.entries(finals))).map(({ kind }) => kind);

describe('the checker finds', () => {
  test('an element that is in a list twice', () => {
    expect(kindsOf([committed('a', append('x', 1))], { x: [1, 1] })).toContain('duplicate');
  });

  test('an append that was acknowledged and is missing', () => {
    expect(kindsOf([committed('a', append('x', 1))], { x: [] })).toEqual(['lost-append']);
  });

  test('two orders of a list', () => {
    const history = [committed('a', append('x', 1)), committed('b', append('x', 2)), committed('c', read('x', 2))];
    expect(kindsOf(history, { x: [1, 2] })).toContain('incompatible-order');
  });

  test('a read of an aborted append', () => {
    const history: readonly Transaction[] = [
      { id: 'a', outcome: 'aborted', operations: [append('x', 1)] },
      committed('b', read('x', 1)),
    ];
    expect(kindsOf(history, { x: [1] })).toEqual(['aborted-read']);
  });

  test('a read of an element that no transaction appended', () => {
    expect(kindsOf([committed('b', read('x', 7))], { x: [7] })).toEqual(['aborted-read']);
  });

  test('a read between two appends of one transaction', () => {
    const history = [committed('a', append('x', 1), append('x', 2)), committed('b', read('x', 1))];
    expect(kindsOf(history, { x: [1, 2] })).toContain('intermediate-read');
  });

  test('a cycle of writes (G0)', () => {
    const history = [committed('a', append('x', 1), append('y', 3)), committed('b', append('x', 2), append('y', 4))];
    expect(kindsOf(history, { x: [1, 2], y: [4, 3] })).toEqual(['G0']);
  });

  test('a cycle of reads of each other (G1c)', () => {
    const history = [committed('a', append('x', 1), read('y', 2)), committed('b', append('y', 2), read('x', 1))];
    expect(kindsOf(history, { x: [1], y: [2] })).toEqual(['G1c']);
  });

  test('a read of one write of a transaction without the other (G-single)', () => {
    const history = [committed('a', append('x', 1), append('y', 2)), committed('b', read('x', 1), read('y'))];
    expect(kindsOf(history, { x: [1], y: [2] })).toEqual(['G-single']);
  });
});

describe('the checker finds nothing', () => {
  test('where the append of a transaction without a response was committed', () => {
    const history: readonly Transaction[] = [
      { id: 'a', outcome: 'unknown', operations: [append('x', 1)] },
      committed('b', read('x', 1)),
    ];
    expect(kindsOf(history, { x: [1] })).toEqual([]);
  });

  test('where it was not committed', () => {
    expect(kindsOf([{ id: 'a', outcome: 'unknown', operations: [append('x', 1)] }], { x: [] })).toEqual([]);
  });

  test('in serial histories, some of whose transactions abort', () => {
    const operation = fc.record({ append: fc.boolean(), key: fc.constantFrom('x', 'y', 'z') });
    const transaction = fc.record({ aborts: fc.boolean(), operations: fc.array(operation, { maxLength: 5 }) });
    fc.assert(
      fc.property(fc.array(transaction, { maxLength: 30 }), (transactions) => {
        const { history, lists } = runSerially(transactions);
        expect(findAnomalies(history, lists)).toEqual([]);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

interface Planned {
  readonly aborts: boolean;
  readonly operations: readonly { readonly append: boolean; readonly key: string }[];
}

function runSerially(transactions: readonly Planned[]) {
  let lists = new Map<string, readonly number[]>();
  let element = 0;
  const history = transactions.map(({ aborts, operations }, index): Transaction => {
    const own = new Map(lists);
    const done = operations.map(({ append: appends, key }): Append | Read => {
      const list = own.get(key) ?? [];
      if (!appends) return read(key, ...list);
      element += 1;
      own.set(key, [...list, element]);
      return append(key, element);
    });
    if (!aborts) lists = own;
    return { id: `t${index}`, outcome: aborts ? 'aborted' : 'committed', operations: done };
  });
  return { history, lists };
}
