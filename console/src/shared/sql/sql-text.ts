/** Positions in SQL, and what SQL may change. Pure. */

/** Formats `line 2, column 8`. `position` counts characters from 1, as PostgreSQL does. */
export function positionText(sql: string, position: number): string {
  const lines = sql.slice(0, indexOf(sql, position)).split('\n');
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}

/** Returns the index in the text of a position, which counts code points from 1. */
export function indexOf(sql: string, position: number): number {
  return [...sql].slice(0, Math.max(0, position - 1)).join('').length;
}

/** Details of a PostgreSQL error, which the service returns to admins. */
export interface PostgresErrorDetails {
  readonly position: number | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
}

export function postgresErrorOf(internal: unknown): PostgresErrorDetails {
  const error = member(internal, 'error');
  const text = (name: string): string | undefined => {
    const value = member(error, name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const position = Number(member(error, 'position') ?? Number.NaN);
  return { position: Number.isNaN(position) ? undefined : position, detail: text('description'), hint: text('hint') };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Whether the SQL can create tables or views. */
export function canCreateTables(sql: string): boolean {
  return /\bcreate\b|\binto\b|\bimport\b/i.test(sql);
}
