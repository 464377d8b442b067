/** Whether a change may have happened although its response was lost. */
import { ServiceError } from '../../base/errors.ts';

interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const read = /^\s*(select|with|values|table|show|explain|begin|start|set|reset|discard|listen|unlisten|fetch)\b/i;
const writing = /\b(insert|update|delete|merge|call|into)\b/i;
/** Functions of the service that change rows; those that are named after events only read. */
const ownFunction = /\bjoinery\.(?!event_|lease_is_valid)\w+\(/;
const end = /\b(commit|end)\b/i;

/**
 * Whether `statement` may have been committed. `status` is that of the transaction before it: `I` for none. `reads`: the
 * caller says that it changes nothing.
 */
export function mayHaveCommitted({ text, values }: SentStatement, status: string | null, reads: boolean): boolean {
  // Several statements, with the end of the transaction among them, go without values.
  if (status !== 'I') return values.length === 0 && end.test(text);
  return !reads && (!read.test(text) || writing.test(text) || ownFunction.test(text));
}

export function unknownOutcome(cause: unknown): ServiceError {
  const message =
    'the connection to the database was lost before it confirmed the change, which may have happened or not; read whether it has before you send it again';
  const internal = { error: cause instanceof Error ? cause.message : String(cause) };
  return new ServiceError('unknown-outcome', message, { internal, cause });
}

/** The wait of a commit for a synchronous standby was canceled: by the limit of the request, its client, or an operator. */
export function unconfirmedCommit(): ServiceError {
  const message =
    'the change was committed by the primary, but no synchronous standby had confirmed it when the wait was canceled; a failover can lose it: read whether it is there before you send it again';
  return new ServiceError('unknown-outcome', message);
}
