/** An operation that another page passes to the explorer in session storage, and the operations that a text contains. */
import { Kind, parse, print } from 'graphql';

export interface Draft {
  readonly query: string;
  readonly variables: string;
  readonly role: string;
  /** One session variable per line. */
  readonly session: string;
}

export const emptyDraft: Draft = { query: '{\n  __typename\n}\n', variables: '', role: '', session: '' };

const key = 'joinery.explore';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Stores an operation that the explorer opens in a tab. */
export function storeDraft(store: Store, draft: Draft): void {
  try {
    store.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage can be unavailable or full. The explorer then opens without the operation.
  }
}

/** Returns and removes the stored operation. Undefined when there is none or it is invalid. */
export function takeDraft(store: Store): Draft | undefined {
  const text = store.getItem(key);
  if (text === null) return undefined;
  store.removeItem(key);
  try {
    return draftOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the known members of a value that are text. Undefined without an operation. */
function draftOf(value: unknown): Draft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const known = Object.entries(value).filter(([name, member]) => name in emptyDraft && typeof member === 'string');
  const draft: Partial<Draft> = Object.fromEntries(known);
  return draft.query === undefined ? undefined : { ...emptyDraft, ...draft };
}

export interface NamedOperation {
  readonly name: string | undefined;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** Offsets in the text, from the first character to after the last. */
  readonly from: number;
  readonly to: number;
}

/** Lists the operations of a document in order. Empty for a syntax error, which the service reports. */
export function operationsIn(text: string): readonly NamedOperation[] {
  try {
    return parse(text).definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION
        ? [{ name: one.name?.value, kind: one.operation, from: one.loc?.start ?? 0, to: one.loc?.end ?? text.length }]
        : [],
    );
  } catch {
    return [];
  }
}

export interface OperationVariable {
  readonly name: string;
  /** As written, such as `Int!`. */
  readonly type: string;
}

/** Lists the variables of the operations of a document. Empty for a syntax error. */
export function variablesIn(text: string): readonly OperationVariable[] {
  try {
    return parse(text).definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION
        ? (one.variableDefinitions ?? []).map(({ variable, type }) => ({
            name: variable.name.value,
            type: print(type),
          }))
        : [],
    );
  } catch {
    return [];
  }
}
