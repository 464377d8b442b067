/** The statement for several requests: its values are made of theirs, and its rows are divided among them. */
import { encodeParameter } from '../../postgres/sql/parameters.ts';
import type { Statement } from '../../postgres/sql/sql.ts';
import type { MergedJoin, MergedStatement } from '../../print/multiplexed/merged.ts';
import { divideJoined } from '../../print/roots.ts';

/** Rows in the text format of PostgreSQL. */
export type Rows = (string | null)[][];

/** The values of the parameters of the statement of one request. */
export type Values = readonly unknown[];

export interface MergeForm {
  readonly text: string;
  /** Whether requests with these values may share a statement. */
  readonly isAlike: (one: Values, other: Values) => boolean;
  readonly values: (requests: readonly Values[]) => Values;
  /** Returns the rows of each request, in order; undefined where the result has none for it. */
  readonly divide: (rows: Rows, requests: readonly Values[]) => readonly (Rows | undefined)[];
}

const always = (): boolean => true;

/** One run of a statement without values has the result of all requests. */
export function shared({ text }: Statement): MergeForm {
  return { text, isAlike: always, values: () => [], divide: (rows, requests) => requests.map(() => rows) };
}

/** Each parameter is a list with one item for each request. */
export function overLists({ text, slots }: Pick<MergedStatement, 'text' | 'slots'>): MergeForm {
  return {
    text,
    isAlike: always,
    values: (requests) => slots.map((_, index) => requests.map((values) => textOf(values[index]))),
    divide: (rows, requests) => {
      const divided = new Array<Rows | undefined>(requests.length).fill(undefined);
      for (const row of rows) divided[Number(row.at(-1)) - 1] = [row];
      return divided;
    },
  };
}

/** Returns the text form of a value, for a list. An array becomes one text. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const encoded = encodeParameter(value);
  return Buffer.isBuffer(encoded) ? `\\x${encoded.toString('hex')}` : encoded;
}

/** Returns a text that is equal for values with the same parameters. */
export function keyOf(values: Values): string {
  let key = '';
  for (const value of values) {
    // The keys of a join. As JSON they take half of the time.
    const isKeys = Array.isArray(value) && value.every((item) => typeof item === 'string');
    const text = isKeys ? JSON.stringify(value) : textOf(value);
    key += text === null ? '-' : `${text.length}${isKeys ? ';' : ':'}${text}`;
  }
  return key;
}

/** The lists of keys of a join are concatenated. Its other values are equal. */
export function overKeys({ text, slots }: Statement): MergeForm {
  const isKeys = slots.map((slot) => slot.kind === 'input');
  const first = isKeys.indexOf(true);
  const countOf = (values: Values): number => (values[first] as readonly unknown[]).length;
  return {
    text,
    isAlike: (one, other) => isKeys.every((isKey, index) => isKey || isEqual(one[index], other[index])),
    values: (requests) =>
      slots.map((_, index) => {
        if (!isKeys[index]) return requests[0]?.[index];
        return requests.flatMap((values) => values[index] as readonly unknown[]);
      }),
    divide: ([row], requests) => divideJoined(row?.[0] ?? '', requests.map(countOf)).map((joined) => [[joined]]),
  };
}

/** The lists of keys of a join are concatenated, and its other values are lists with an item for each key. */
export function overKeysAndValues({ text, slots }: Pick<MergedJoin, 'text' | 'slots'>): MergeForm {
  const keys = slots.find(({ kind }) => kind === 'keys')?.from ?? 0;
  const countOf = (values: Values): number => (values[keys] as readonly unknown[]).length;
  return {
    text,
    isAlike: always,
    values: (requests) =>
      slots.map(({ kind, from }) => {
        if (kind === 'constant') return requests[0]?.[from];
        if (kind === 'keys') return requests.flatMap((values) => values[from] as readonly unknown[]);
        return requests.flatMap((values) => new Array<string | null>(countOf(values)).fill(textOf(values[from])));
      }),
    divide: ([row], requests) => divideJoined(row?.[0] ?? '', requests.map(countOf)).map((joined) => [[joined]]),
  };
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
}
