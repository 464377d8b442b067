/** Stored operations of the model: REST endpoints and the allow list. Types only. */
import type { RoleName } from '@joinery/metadata/names';
import type { RestMethod } from '@joinery/metadata/schema/stored-operations';

export interface StoredOperations {
  /** At most one for each method and URL. */
  readonly routes: readonly RestRoute[];
  readonly allowed: AllowedOperations;
  /** All operations of query collections, as GraphQL documents. */
  readonly documents: readonly string[];
}

/** A URL below `/api/rest/` that executes a stored operation. */
export interface RestRoute {
  readonly name: string;
  readonly url: string;
  readonly segments: readonly RestSegment[];
  readonly methods: readonly RestMethod[];
  /** The GraphQL document. */
  readonly query: string;
  readonly comment: string | undefined;
  readonly allowsGetMutation: boolean;
}

export type RestSegment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string };

/** The GraphQL documents on the allow list. */
export interface AllowedOperations {
  readonly allRoles: readonly string[];
  readonly byRole: ReadonlyMap<RoleName, readonly string[]>;
}
