/** SQL that this browser stores: the draft of the page, saved queries, and what was run. */

export interface DraftSql {
  readonly sql: string;
  readonly source: string;
}

export interface SavedSql extends DraftSql {
  readonly name: string;
}

export interface RanSql extends DraftSql {
  /** ISO 8601. */
  readonly at: string;
  /** Undefined for entries of former versions. */
  readonly outcome?: 'succeeded' | 'failed' | 'stopped';
  readonly durationMs?: number;
}

type Store = Pick<Storage, 'getItem' | 'setItem'>;

const keys = { draft: 'joinery.sql-draft', saved: 'joinery.sql-saved', history: 'joinery.sql-history' } as const;
const MAX_RAN = 100;
/** Longer texts would fill the storage of the browser. */
const MAX_LENGTH = 100_000;

export function draftSql(store: Store): DraftSql | undefined {
  const draft = read(store, keys.draft);
  return isDraft(draft) ? draft : undefined;
}

/** Has no effect where the storage is full or unavailable, or the text is too long for it. */
export function keepDraft(store: Store, draft: DraftSql): void {
  if (draft.sql.length <= MAX_LENGTH) write(store, keys.draft, draft);
}

/** Lists the saved queries by name. */
export function savedSql(store: Store): readonly SavedSql[] {
  return listOf(read(store, keys.saved)).filter(isSaved);
}

/** Saves a query, replacing the one of the same name. Returns undefined where the storage is full or unavailable. */
export function saveSql(store: Store, query: SavedSql): readonly SavedSql[] | undefined {
  const others = savedSql(store).filter(({ name }) => name !== query.name);
  const saved = [...others, query].sort((one, other) => one.name.localeCompare(other.name));
  return write(store, keys.saved, saved) ? saved : undefined;
}

export function removeSql(store: Store, name: string): readonly SavedSql[] {
  const saved = savedSql(store).filter((one) => one.name !== name);
  write(store, keys.saved, saved);
  return saved;
}

/** Lists what was run, the latest first. */
export function sqlHistory(store: Store): readonly RanSql[] {
  return listOf(read(store, keys.history)).filter(isRan);
}

/** Adds SQL to the history in place of an earlier run of the same. */
export function rememberSql(store: Store, ran: RanSql): readonly RanSql[] {
  const others = sqlHistory(store).filter(({ sql, source }) => sql !== ran.sql || source !== ran.source);
  const history = [ran, ...others].slice(0, MAX_RAN);
  if (ran.sql.length <= MAX_LENGTH) write(store, keys.history, history);
  return history;
}

export function forgetSql(store: Store): void {
  write(store, keys.history, []);
}

/** Returns undefined for what cannot be parsed. */
function read(store: Store, key: string): unknown {
  try {
    return JSON.parse(store.getItem(key) ?? 'null');
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function write(store: Store, key: string, value: unknown): boolean {
  try {
    store.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Partial<Record<string, unknown>>;
  return names.every((name) => typeof members[name] === 'string');
}

const isDraft = (value: unknown): value is DraftSql => hasTexts(value, ['sql', 'source']);
const isSaved = (value: unknown): value is SavedSql => hasTexts(value, ['sql', 'source', 'name']);
const isRan = (value: unknown): value is RanSql => hasTexts(value, ['sql', 'source', 'at']);
