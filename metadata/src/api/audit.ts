/** `get_audit_log`: the commands of admins that changed something. */
import { z } from 'zod';

export const GetAuditLog = z.strictObject({
  limit: z.int().min(1).max(1_000).default(100),
  /** Only entries older than the one with this id: the `next` of the previous page. */
  before: z
    .string()
    .regex(/^\d{1,18}$/, 'must be the "next" of a page')
    .optional(),
  /** ISO 8601; included. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** ISO 8601; excluded. */
  to: z.iso.datetime({ offset: true }).optional(),
  author: z.string().optional(),
  /** Name of a command. */
  command: z.string().optional(),
  outcome: z.enum(['success', 'error']).optional(),
  /** A part of the author, the address, the request id, the command, its arguments or its error; case is ignored. */
  search: z.string().max(200).optional(),
});

export interface AuditEntry {
  readonly id: string;
  /** ISO 8601: when the command ended. */
  readonly at: string;
  /** The user id of a token or webhook session, `admin secret`, or `anonymous` where the service has no secret. */
  readonly author: string;
  /** The address of the caller. */
  readonly address: string | null;
  readonly request_id: string;
  readonly command: string;
  /** JSON text with masked secrets. It ends with `…` where it was longer than 8,000 characters. */
  readonly arguments: string;
  readonly outcome: 'success' | 'error';
  /** The error code of a command that failed, with its message. */
  readonly code: string | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

export interface AuditLog {
  /** The latest first. */
  readonly entries: readonly AuditEntry[];
  /** Undefined on the last page. */
  readonly next?: string | undefined;
  /** Days that entries are retained; 0 where none are written. */
  readonly retention_days: number;
}
