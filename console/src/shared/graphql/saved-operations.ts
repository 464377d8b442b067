/** Operations that are saved by name in this browser. */

export interface SavedOperation {
  readonly name: string;
  readonly query: string;
  readonly variables: string;
}

const key = 'joinery.operations';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Lists the saved operations by name. Empty when they cannot be parsed. */
export function savedOperations(store: Store): readonly SavedOperation[] {
  try {
    const stored: unknown = JSON.parse(store.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isSaved) : [];
  } catch {
    return [];
  }
}

/** Saves an operation, replacing the one of the same name. Throws when the storage is full. */
export function saveOperation(store: Store, operation: SavedOperation): readonly SavedOperation[] {
  const others = savedOperations(store).filter(({ name }) => name !== operation.name);
  const stored = [...others, operation].sort((one, other) => one.name.localeCompare(other.name));
  store.setItem(key, JSON.stringify(stored));
  return stored;
}

export function removeOperation(store: Store, name: string): readonly SavedOperation[] {
  const stored = savedOperations(store).filter((one) => one.name !== name);
  store.setItem(key, JSON.stringify(stored));
  return stored;
}

function isSaved(value: unknown): value is SavedOperation {
  if (typeof value !== 'object' || value === null) return false;
  const { name, query, variables } = value as Partial<Record<string, unknown>>;
  return [name, query, variables].every((one) => typeof one === 'string');
}
