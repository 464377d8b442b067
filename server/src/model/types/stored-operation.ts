/** Stored operations of the live model: those with a URL, and those that callers may send. */
import type { RoleName } from '@joinery/metadata/names';
import type { RestMethod } from '@joinery/metadata/schema/stored-operations';

export interface StoredOperations {
  /** No two of them take the same method of the same URL. */
  readonly routes: readonly RestRoute[];
  readonly allowed: AllowedOperations;
  /** Of every operation in a query collection. */
  readonly texts: readonly string[];
}

/** A URL behind `/api/rest/` that answers with a stored operation. */
export interface RestRoute {
  readonly name: string;
  readonly url: string;
  readonly segments: readonly RestSegment[];
  readonly methods: readonly RestMethod[];
  /** The text of the operation. */
  readonly query: string;
  readonly comment: string | undefined;
  readonly allowsGetMutation: boolean;
}

export type RestSegment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string };

/** Texts of operations. */
export interface AllowedOperations {
  readonly everyone: readonly string[];
  readonly byRole: ReadonlyMap<RoleName, readonly string[]>;
}
