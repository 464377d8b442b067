/** Columns of random tables, and their values. */

export type Kind = 'int' | 'text' | 'bool' | 'numeric' | 'date' | 'mood' | 'level';

export interface Column {
  /** The name in the database. */
  readonly name: string;
  /** The name in GraphQL. */
  readonly field: string;
  readonly kind: Kind;
  readonly nullable: boolean;
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
