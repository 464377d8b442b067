/** `get_limited_operations`: the operations that the API limits of the metadata reject. */

/** A limit of `api_limits`. */
export type ApiLimitName = 'depth_limit' | 'node_limit' | 'time_limit' | 'rate_limit' | 'batch_limit';

export interface LimitedOperation {
  /** `stored` in a query collection, or `recent`: received by the node since its start. */
  readonly kind: 'stored' | 'recent';
  /** The name of the stored query or of the operation; null for anonymous operations, and for rates and batches. */
  readonly name: string | null;
  readonly roles: readonly string[];
  /** The largest value: levels, fields, seconds, operations of one minute or of one HTTP request. */
  readonly value: number;
  /** The query collection of a stored operation. */
  readonly collection?: string;
  /** The REST endpoints of a stored operation. */
  readonly endpoints?: readonly string[];
  /** The hash of a recent operation, as in the log. */
  readonly hash?: string;
  /** How often the node received a recent operation. */
  readonly count?: number;
}

export interface ExceededLimit {
  readonly limit: ApiLimitName;
  /** The value of the limit. */
  readonly most: number;
  /** JSON path into the metadata. */
  readonly path: string;
  /** The limit and its first operations in one sentence. */
  readonly message: string;
  /** The largest value first. */
  readonly operations: readonly LimitedOperation[];
}

export interface LimitedOperations {
  /** Whether this node rejects the operations: `JOINERY_ENFORCE_API_LIMITS`. */
  readonly enforced: boolean;
  /** The limits that reject operations. */
  readonly limits: readonly ExceededLimit[];
}
