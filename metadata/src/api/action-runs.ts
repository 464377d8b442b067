/** `get_action_runs` and `get_action_run`: the runs of asynchronous actions, and what their handlers were sent. */
import { z } from 'zod';
import { ActionName } from '../names.ts';
import type { SentRequest } from './events/lists.ts';

export const ActionRunStatus = z.enum(['created', 'processing', 'completed', 'error']);
export type ActionRunStatus = z.infer<typeof ActionRunStatus>;

export const GetActionRuns = z.strictObject({
  name: ActionName,
  limit: z.int().min(1).max(100).default(20),
  /** The `next` of the previous page. */
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [0-9a-f-]{36}$/, 'must be the "next" of a page')
    .optional(),
  status: z.array(ActionRunStatus).optional(),
});
export type GetActionRuns = z.infer<typeof GetActionRuns>;

export const GetActionRun = z.strictObject({ id: z.guid() });
export type GetActionRun = z.infer<typeof GetActionRun>;

export interface ActionRun {
  readonly id: string;
  readonly action: string;
  /** `created`: waits for its first call or the next one; `processing`: a node is calling the handler. */
  readonly status: ActionRunStatus;
  /** Times are ISO 8601. */
  readonly created_at: string;
  /** Null until it has completed or failed. */
  readonly finished_at: string | null;
  /** Null unless it waits for a call. */
  readonly next_call_at: string | null;
  /** Number of calls that have ended. */
  readonly tries: number;
  /** The message of a failed run. */
  readonly error: string | null;
}

export interface ActionRuns {
  /** The latest first. */
  readonly runs: readonly ActionRun[];
  /** Undefined on the last page. */
  readonly next?: string | undefined;
}

/** A request as it was sent. Secrets are `***` or templates with the names of their variables. */
export interface SentActionRequest extends SentRequest {
  /** Whether the log has only the beginning of the body. */
  readonly truncated?: true;
}

/** One call of the handler. */
export interface ActionCall {
  /** 1 for the first call. */
  readonly attempt: number;
  /** ISO 8601: when the call ended, by the clock of its node. */
  readonly ended_at: string;
  readonly duration_ms: number;
  /** Null if the request could not be built. */
  readonly sent: SentActionRequest | null;
  /** Null without a response. */
  readonly response: {
    readonly status: number;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly body: string;
    /** Whether the log has only the beginning of the body. */
    readonly truncated?: true;
  } | null;
  /** Why the call had no usable response; null for a successful call. */
  readonly error: string | null;
}

export interface LoggedActionRun extends ActionRun {
  /** The last 20 calls, the first one first. */
  readonly calls: readonly ActionCall[];
}
