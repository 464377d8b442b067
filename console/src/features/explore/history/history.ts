/** Operation history of this browser, the latest first. Headers are not part of it, because they can be credentials. */
import type { LinkedOperation } from '../../../shared/graphql/explore-link.ts';
import type { RunStatus } from '../run/runs.ts';

export interface PastOperation extends Required<LinkedOperation> {
  /** Time of the last run in milliseconds since 1970. */
  readonly at: number;
  /** Of the last run. Undefined in entries of former versions. */
  readonly status: RunStatus | undefined;
  readonly durationMs: number | undefined;
}

const key = 'joinery.history';
const MAX_ENTRIES = 100;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Lists the history. Empty when it cannot be parsed. */
export function pastOperations(store: Store): readonly PastOperation[] {
  try {
    const history: unknown = JSON.parse(store.getItem(key) ?? '[]');
    return Array.isArray(history) ? history.flatMap(pastOperation) : [];
  } catch {
    return [];
  }
}

/** Adds an operation to the history, or moves it to the front. */
export function rememberOperation(store: Store, operation: PastOperation): readonly PastOperation[] {
  const same = (one: PastOperation): boolean =>
    one.query === operation.query &&
    one.variables === operation.variables &&
    one.role === operation.role &&
    one.session === operation.session;
  const history = [operation, ...pastOperations(store).filter((one) => !same(one))].slice(0, MAX_ENTRIES);
  write(store, history);
  return history;
}

export function forgetOperations(store: Store): void {
  write(store, []);
}

function write(store: Store, history: readonly PastOperation[]): void {
  try {
    store.setItem(key, JSON.stringify(history));
  } catch {
    // The storage is full or unavailable.
  }
}

/** Returns the title of an operation: its names, or its first line. */
export function titleOf(query: string): string {
  const names = [...query.matchAll(/\b(?:query|mutation|subscription)\s+(\w+)/g)].map(([, name]) => name);
  if (names.length > 0) return names.join(', ');
  return query.replace(/\s+/g, ' ').trim().slice(0, 80);
}

const statuses: readonly unknown[] = ['ok', 'errors', 'failed', 'canceled'] satisfies RunStatus[];

function isStatus(value: unknown): value is RunStatus {
  return statuses.includes(value);
}

function pastOperation(value: unknown): readonly PastOperation[] {
  if (typeof value !== 'object' || value === null) return [];
  const { query, variables, role, session, at, status, durationMs } = value as Partial<Record<string, unknown>>;
  if (typeof query !== 'string' || typeof variables !== 'string' || typeof role !== 'string') return [];
  if (typeof at !== 'number') return [];
  return [
    {
      query,
      variables,
      role,
      session: typeof session === 'string' ? session : '',
      at,
      status: isStatus(status) ? status : undefined,
      durationMs: typeof durationMs === 'number' ? durationMs : undefined,
    },
  ];
}
