/** `get_refused_requests`: the requests that a node recently rejected. */
import { z } from 'zod';

export const GetRecentErrors = z.strictObject({
  /** Only errors with this code. */
  code: z.string().optional(),
  limit: z.int().min(1).max(500).default(100),
});

export interface RecentError {
  /** ISO 8601. */
  readonly time: string;
  readonly request_id: string;
  readonly role: string | null;
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

export interface RecentErrors {
  /** Number of errors by code since the start of the node. */
  readonly counts: Readonly<Record<string, number>>;
  /** The newest first. */
  readonly requests: readonly RecentError[];
}
