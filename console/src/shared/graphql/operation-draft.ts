/** The operation in the explorer, stored in session storage, and the operations that it contains. */
import { Kind, parse } from 'graphql';

export interface Draft {
  readonly query: string;
  readonly variables: string;
  readonly role: string;
  /** One session variable per line. */
  readonly session: string;
}

export const emptyDraft: Draft = { query: '{\n  __typename\n}\n', variables: '', role: '', session: '' };

const key = 'joinery.explore';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Returns the stored draft, or the empty one when there is none or it is invalid. */
export function storedDraft(store: Store): Draft {
  try {
    const stored: unknown = JSON.parse(store.getItem(key) ?? '{}');
    const known = Object.entries(stored ?? {}).filter(
      ([name, value]) => name in emptyDraft && typeof value === 'string',
    );
    return { ...emptyDraft, ...Object.fromEntries(known) };
  } catch {
    return emptyDraft;
  }
}

export function storeDraft(store: Store, draft: Draft): void {
  try {
    store.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage can be unavailable or full. The draft then lasts until the page is closed.
  }
}

export interface NamedOperation {
  readonly name: string | undefined;
  readonly kind: 'query' | 'mutation' | 'subscription';
}

/** Lists the operations of a document in order. Empty for a syntax error, which the service reports. */
export function operationsIn(text: string): readonly NamedOperation[] {
  try {
    return parse(text).definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION ? [{ name: one.name?.value, kind: one.operation }] : [],
    );
  } catch {
    return [];
  }
}
