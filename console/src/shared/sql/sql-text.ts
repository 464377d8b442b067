/** Limits the rows of queries and formats error positions. Pure. */

/** Maximum number of rows that are shown. */
export const SHOWN_ROWS = 1_000;

export interface Bounded {
  readonly sql: string;
  /** Number of characters before the typed SQL. */
  readonly before: number;
}

/**
 * Reads a single query through a cursor, so that large results are not transferred completely. Other SQL is unchanged.
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

/** Formats `line 2, column 8`. `position` counts characters from 1, as PostgreSQL does. */
export function positionText(sql: string, position: number): string {
  // PostgreSQL counts code points.
  const lines = [...sql]
    .slice(0, Math.max(0, position - 1))
    .join('')
    .split('\n');
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
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
