/** What is being written in the explorer, kept for the tab, and which operations it holds. */
import { Kind, parse } from 'graphql';

export interface Draft {
  readonly query: string;
  readonly variables: string;
  readonly role: string;
  /** A session variable on each line. */
  readonly session: string;
}

export const emptyDraft: Draft = { query: '{\n  __typename\n}\n', variables: '', role: '', session: '' };

const key = 'joinery.explore';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** The empty draft where nothing is kept, or nothing that can be read. */
export function storedDraft(store: Store): Draft {
  try {
    const kept: unknown = JSON.parse(store.getItem(key) ?? '{}');
    const known = Object.entries(kept ?? {}).filter(([name, value]) => name in emptyDraft && typeof value === 'string');
    return { ...emptyDraft, ...Object.fromEntries(known) };
  } catch {
    return emptyDraft;
  }
}

export function storeDraft(store: Store, draft: Draft): void {
  try {
    store.setItem(key, JSON.stringify(draft));
  } catch {
    // Private modes may refuse, or it is too long; the draft then lives as long as the page.
  }
}

export interface NamedOperation {
  readonly name: string | undefined;
  readonly kind: 'query' | 'mutation' | 'subscription';
}

/** In their order; none where the text cannot be read, which the service then says. */
export function operationsIn(text: string): readonly NamedOperation[] {
  try {
    return parse(text).definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION ? [{ name: one.name?.value, kind: one.operation }] : [],
    );
  } catch {
    return [];
  }
}
