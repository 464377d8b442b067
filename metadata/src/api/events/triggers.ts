/** Commands of event triggers: their arguments, and the events and calls that they return. */
import { z } from 'zod';
import { rulesOf } from '../../event-triggers/rules.ts';
import { triggerOperations, triggerSettings } from '../../event-triggers/schema.ts';
import { DEFAULT_SOURCE, QualifiedTable, SourceName } from '../../names.ts';
import { isStorable, StorableText } from '../../sql/storable.ts';
import { Timestamp } from '../../time/timestamps.ts';
import type { Success } from '../success.ts';
import type { RedeliveredEvents, SentRequest } from './lists.ts';

const source = SourceName.default(DEFAULT_SOURCE);

/** Arguments with the operations beside the other members, as Hasura v2 has them. */
export const CreateEventTrigger = z
  .strictObject({
    name: z.string(),
    table: QualifiedTable,
    source,
    ...triggerOperations,
    ...triggerSettings,
    /** Replaces the definition of an existing trigger of the same table. */
    replace: z.boolean().default(false),
  })
  .superRefine(({ name, insert, update, delete: deletion, enable_manual, ...settings }, context) => {
    const definition = { insert, update, delete: deletion, enable_manual };
    for (const { path, message } of rulesOf({ name, definition, ...settings })) {
      context.addIssue({ code: 'custom', message, path: path[0] === 'definition' ? path.slice(1) : [...path] });
    }
  });

/** The arguments of commands that name one trigger. */
export const EventTriggerName = z.strictObject({ name: z.string(), source });

const cleanupsOfSource = z.strictObject({ source_name: SourceName, event_triggers: z.array(z.string()).min(1) });

/** The triggers whose cleanups are paused or resumed: those of sources that have a `cleanup_config`, or named ones. */
export const TriggerCleanups = z.union([
  z.strictObject({ sources: z.union([z.literal('*'), z.array(SourceName).min(1)]) }),
  z.array(cleanupsOfSource).min(1),
]);
export type TriggerCleanups = z.infer<typeof TriggerCleanups>;

export const RedeliverEvent = z.strictObject({ event_id: z.string(), source });
export type RedeliverEvent = z.infer<typeof RedeliverEvent>;

export const InvokeEventTrigger = z.strictObject({
  name: z.string(),
  source,
  /** Any JSON value, null among them. */
  payload: z
    .unknown()
    .refine((value) => value !== undefined, { message: 'is required; null is a payload too' })
    .refine(isStorable, { message: 'must not contain a NUL character or half of a surrogate pair' }),
});
export type InvokeEventTrigger = z.infer<typeof InvokeEventTrigger>;

const LARGEST = 2_147_483_647;
const page = {
  limit: z.int().min(0).max(LARGEST).default(100),
  offset: z.int().min(0).max(LARGEST).default(0),
};

/**
 * `pending`: not finished. `error`: failed in all calls. `dead`: never to be called, with the reason in its log. `superseded`: never
 * called, because a later change of its key was delivered at the end of the window of a debounce.
 */
export const TriggerEventStatus = z.enum(['pending', 'delivered', 'error', 'dead', 'superseded']);
export type TriggerEventStatus = z.infer<typeof TriggerEventStatus>;

/** Conditions of a search; absent and null members do not restrict it. */
const search = {
  /** Inclusive lower bound of `created_at`. */
  from: Timestamp.nullish(),
  /** Exclusive upper bound of `created_at`. */
  until: Timestamp.nullish(),
  /** JSON that the data of the event contain, by the jsonb operator `@>`. */
  data_contains: z
    .unknown()
    .refine(isStorable, { message: 'must not contain a NUL character or half of a surrogate pair' })
    .optional(),
};

export const GetEventLogs = z.strictObject({
  name: StorableText,
  source,
  /** `processed`: every status but `pending`. */
  status: z.union([z.literal('processed'), TriggerEventStatus]).nullish(),
  ...search,
  ...page,
});
export type GetEventLogs = z.infer<typeof GetEventLogs>;

export const GetEventInvocationLogs = z.strictObject({ name: StorableText, source, ...page });
export type GetEventInvocationLogs = z.infer<typeof GetEventInvocationLogs>;

export const GetEventById = z.strictObject({
  event_id: z.string(),
  source,
  invocation_log_limit: page.limit,
  invocation_log_offset: page.offset,
});
export type GetEventById = z.infer<typeof GetEventById>;

/** Events that one call redelivers, at most. */
const MOST_REDELIVERED = 10_000;

export const RedeliverEvents = z.strictObject({
  name: StorableText,
  source,
  /** Default: failed and dead events. */
  status: z
    .array(z.enum(['delivered', 'error', 'dead']))
    .min(1)
    .default(['error', 'dead']),
  ...search,
  limit: z.int().min(1).max(MOST_REDELIVERED).default(MOST_REDELIVERED),
});
export type RedeliverEvents = z.infer<typeof RedeliverEvents>;

export const CleanupEventTriggerLogs = z.strictObject({
  event_trigger_name: StorableText,
  source,
  /** Hours. */
  clear_older_than: z.int().min(0).max(LARGEST),
  /** False: the log of calls stays when its events are removed, until the retention of the service is over. */
  clean_invocation_logs: z.boolean().default(false),
  /** Accepted as Hasura v2 has them; events are removed without batches. */
  batch_size: z.int().nullish(),
  timeout: z.int().nullish(),
});
export type CleanupEventTriggerLogs = z.infer<typeof CleanupEventTriggerLogs>;

export const GetEventTriggerStats = z.strictObject({
  /** Default: all sources. */
  source: SourceName.nullish(),
  /** Default: all triggers. */
  name: StorableText.nullish(),
});
export type GetEventTriggerStats = z.infer<typeof GetEventTriggerStats>;

/** Figures of the last day, or of the last calls where there were more. */
export interface TriggerCallStats {
  /** Seconds that the figures cover. */
  readonly seconds: number;
  readonly calls: number;
  /** Calls after which an event was delivered. */
  readonly delivered: number;
  /** Calls after which an event had failed in all its calls. */
  readonly error: number;
  readonly dead: number;
  /** Durations of calls; null without calls. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export interface EventTriggerStats {
  readonly name: string;
  readonly source: string;
  readonly table: { readonly schema: string; readonly name: string };
  readonly operations: readonly ('insert' | 'update' | 'delete' | 'manual')[];
  readonly paused: boolean;
  /** Null without a `cleanup_config`. */
  readonly cleanup_paused: boolean | null;
  readonly consistent: boolean;
  /** Why the trigger is inconsistent, or why its source cannot be read; then the figures are 0. */
  readonly reason: string | null;
  /** When an event was captured from a table that had changed, until the trigger follows. */
  readonly outdated_at: string | null;
  /** Events that are not finished; exact up to 10,000. */
  readonly pending: number;
  readonly pending_is_capped: boolean;
  /** Of them, those that wait for a call after the first. */
  readonly retrying: number;
  /** Of them, those that wait for another event with their ordering key. */
  readonly waiting_in_order: number;
  readonly oldest_pending_at: string | null;
  readonly last_call_at: string | null;
  readonly last_day: TriggerCallStats;
}

/** A header of the configuration; values from the environment are names of variables. */
interface LoggedHeader {
  readonly name: string;
  readonly value?: string;
  readonly value_from_env?: string;
}

/** The event as it is stored. */
export interface TriggerEventPayload {
  readonly op: 'INSERT' | 'UPDATE' | 'DELETE' | 'MANUAL';
  readonly data: { readonly old: unknown; readonly new: unknown };
  /** Names in lower case; null for changes made by other clients. */
  readonly session_variables: Readonly<Record<string, string>> | null;
  readonly trace_context: Readonly<Record<string, string>> | null;
}

export interface TriggerEvent {
  readonly id: string;
  readonly schema_name: string;
  readonly table_name: string;
  readonly trigger_name: string;
  readonly payload: TriggerEventPayload;
  readonly delivered: boolean;
  /** Failed or dead. */
  readonly error: boolean;
  readonly status: TriggerEventStatus;
  /** Number of calls so far. */
  readonly tries: number;
  /** ISO 8601 in UTC, as are all times. */
  readonly created_at: string;
  readonly locked: string | null;
  readonly next_retry_at: string | null;
  /** Always false: the events of a deleted trigger are deleted with it. */
  readonly archived: boolean;
}

export interface TriggerInvocation {
  readonly id: string;
  readonly trigger_name: string;
  readonly event_id: string;
  /** Number of the call of the event, from 1. Hasura v2 does not have it. */
  readonly attempt: number;
  /** From the start of the call to its end. Hasura v2 does not have it. */
  readonly duration_ms: number;
  /** Between the claim of the event by a node and the start of the call. Hasura v2 does not have it. */
  readonly waited_ms?: number;
  /** Null where there was no response. */
  readonly http_status: number | null;
  readonly created_at: string;
  readonly request: {
    readonly version: '2';
    /**
     * The body as sent; null where it is not JSON. A long list is logged with its first event: in `get_event_invocation_logs` the calls of
     * the others have `{"first_event_of_batch": id}`.
     */
    readonly payload: unknown;
    readonly headers: readonly LoggedHeader[];
    /** Absent for operations and functions, and for calls of earlier versions. Hasura v2 does not have it. */
    readonly sent?: SentRequest;
  };
  readonly response:
    | {
        readonly type: 'webhook_response';
        readonly version: '2';
        readonly data: { readonly status: number; readonly body: string; readonly headers: readonly LoggedHeader[] };
      }
    | { readonly type: 'client_error'; readonly version: '2'; readonly data: { readonly message: string } };
}

export interface FoundTriggerEvent {
  readonly event: TriggerEvent;
  readonly invocations: readonly TriggerInvocation[];
}

/** The responses of the commands that do not change the metadata. All but `redeliver_events` and `get_event_trigger_stats` are of Hasura v2. */
export interface EventTriggerResponses {
  readonly redeliver_event: Success;
  readonly redeliver_events: RedeliveredEvents;
  readonly invoke_event_trigger: { readonly event_id: string };
  readonly get_event_logs: readonly TriggerEvent[];
  readonly get_event_invocation_logs: readonly TriggerInvocation[];
  readonly get_event_by_id: FoundTriggerEvent;
  readonly cleanup_event_trigger_logs: Success;
  readonly get_event_trigger_stats: { readonly triggers: readonly EventTriggerStats[] };
}
