/**
 * Decides whether a history of a register, whose writes have different values, is linearizable, by the zones of Gibbons and Korach: the
 * operations on one value must fit between those on any other.
 */

export interface RegisterOperation {
  readonly kind: 'write' | 'read';
  readonly value: number;
  /** Milliseconds, in any clock that all operations share. */
  readonly start: number;
  /** Infinity for a write without a response. */
  readonly end: number;
}

interface Zone {
  readonly value: number;
  readonly isForward: boolean;
  readonly from: number;
  readonly to: number;
}

/** Returns a description of the contradiction; undefined for a linearizable history. `initial` is the value before the first write. */
export function findContradiction(operations: readonly RegisterOperation[], initial: number): string | undefined {
  const first: RegisterOperation = { kind: 'write', value: initial, start: -2, end: -1 };
  const all = [first, ...operations];
  const values = new Map<number, RegisterOperation[]>();
  for (const operation of all) values.set(operation.value, [...(values.get(operation.value) ?? []), operation]);
  const zones: Zone[] = [];
  for (const [value, own] of values) {
    const write = own.find(({ kind }) => kind === 'write');
    if (write === undefined) return `${value} was read and never written`;
    const early = own.find(({ end }) => end < write.start);
    if (early !== undefined) return `${value} was read before it was written`;
    // A write without a response that nothing has read need not have happened.
    if (own.length === 1 && write.end === Number.POSITIVE_INFINITY) continue;
    const firstEnd = Math.min(...own.map(({ end }) => end));
    const lastStart = Math.max(...own.map(({ start }) => start));
    const isForward = firstEnd < lastStart;
    zones.push({ value, isForward, from: Math.min(firstEnd, lastStart), to: Math.max(firstEnd, lastStart) });
  }
  for (const [index, one] of zones.entries()) {
    for (const other of zones.slice(index + 1)) {
      if (conflict(one, other)) return `the operations on ${one.value} and on ${other.value} have no order`;
    }
  }
  return undefined;
}

function conflict(one: Zone, other: Zone): boolean {
  if (one.isForward && other.isForward) return one.from < other.to && other.from < one.to;
  if (one.isForward) return one.from < other.from && other.to < one.to;
  if (other.isForward) return other.from < one.from && one.to < other.to;
  return false;
}
