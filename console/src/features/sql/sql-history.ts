/** SQL history of this browser, the latest first. */

export interface RanSql {
  readonly sql: string;
  readonly source: string;
  /** ISO 8601. */
  readonly at: string;
}

const key = 'joinery.sql-history';
const MAX_ENTRIES = 50;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Lists the history. Empty when it cannot be parsed. */
export function sqlHistory(store: Store): readonly RanSql[] {
  try {
    const history: unknown = JSON.parse(store.getItem(key) ?? '[]');
    return Array.isArray(history) ? history.filter(isRan) : [];
  } catch {
    return [];
  }
}

/** Adds SQL to the history without duplicates. Works without storage too. */
export function rememberSql(store: Store, ran: RanSql): readonly RanSql[] {
  const others = sqlHistory(store).filter(({ sql, source }) => sql !== ran.sql || source !== ran.source);
  const history = [ran, ...others].slice(0, MAX_ENTRIES);
  keep(store, history);
  return history;
}

export function forgetSql(store: Store): void {
  keep(store, []);
}

function keep(store: Store, history: readonly RanSql[]): void {
  try {
    store.setItem(key, JSON.stringify(history));
  } catch {
    // The storage is full or unavailable.
  }
}

function isRan(value: unknown): value is RanSql {
  if (typeof value !== 'object' || value === null) return false;
  const { sql, source, at } = value as Partial<Record<string, unknown>>;
  return [sql, source, at].every((one) => typeof one === 'string');
}
