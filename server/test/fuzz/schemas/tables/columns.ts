/** Columns of random tables, their values, and relationships by columns. */

export type Kind = 'int' | 'text' | 'bool' | 'numeric' | 'date' | 'mood' | 'level';

export interface Column {
  /** The name in the database. */
  readonly name: string;
  /** The name in GraphQL. */
  readonly field: string;
  readonly kind: Kind;
  readonly nullable: boolean;
  /** The values of a part of a key: all numbers from 1 to this one. */
  readonly keysTo?: number;
}

/** A relationship to a table of the schema. */
export interface Relation {
  readonly field: string;
  /** The index of the target table. */
  readonly target: number;
  /** The columns with equal values, of this table and of the target. */
  readonly on: readonly (readonly [here: string, there: string])[];
  readonly many: boolean;
  /** Whether the metadata names the columns of the foreign key instead of a mapping of columns. */
  readonly byForeignKey: boolean;
}

export const moods = ['calm', 'cross', 'glad'];
export const levels = ['high', 'low'];

export const values: Readonly<Record<Kind, readonly unknown[]>> = {
  ...{
    int: [0, 1, 2, 3, 4, -5],
    text: ['', 'a', 'B', "it's", 'é', '%_'],
    bool: [true, false],
    numeric: [0, 1.5, -2.25],
  },
  ...{ date: ['2020-01-31', '2024-02-29'], mood: moods, level: levels },
};

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

/** Returns the SQL condition that the columns of the rows with these aliases are equal. */
export function equal(on: Relation['on'], here: string, there: string): string {
  return on.map(([own, other]) => `${here}.${quote(own)} = ${there}.${quote(other)}`).join(' and ');
}
