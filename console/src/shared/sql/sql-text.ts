/** SQL as it was typed: bounded where it only reads, and the place of an error told in words. Pure. */

/** Rows that are shown of an answer. */
export const SHOWN_ROWS = 1_000;

export interface Bounded {
  readonly sql: string;
  /** Characters that stand before what was typed. */
  readonly before: number;
}

/**
 * A single query that only reads is read through a cursor, so that a large table is not sent whole. Anything that might be
 * more than that runs as it is.
 */
export function bounded(sql: string): Bounded {
  const text = sql.trim().replace(/;\s*$/, '');
  const reads = /^(select|with|values|table)\b/i.test(text);
  const more = /;|\b(into|insert|update|delete|merge|for\s+(no\s+key\s+)?update|for\s+(key\s+)?share)\b/i.test(text);
  if (!reads || more) return { sql, before: 0 };
  const lead = 'declare joinery_console no scroll cursor for\n';
  return {
    sql: `${lead}${text}\n;fetch ${SHOWN_ROWS + 1} from joinery_console`,
    before: lead.length - (sql.length - sql.trimStart().length),
  };
}

/** `line 2, column 8`; `position` counts characters from 1, as PostgreSQL does. */
export function positionText(sql: string, position: number): string {
  // Characters of PostgreSQL are code points.
  const lines = [...sql]
    .slice(0, Math.max(0, position - 1))
    .join('')
    .split('\n');
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}

/** What PostgreSQL says of an error beside its message, as the service tells admins. */
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

/** Might it have made tables or views? */
export function canCreateTables(sql: string): boolean {
  return /\bcreate\b|\binto\b|\bimport\b/i.test(sql);
}
