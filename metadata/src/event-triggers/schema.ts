/** Event triggers of tables as written: webhooks, operations and functions that are called for changes of rows. */
import { z } from 'zod';
import { ColumnName } from '../names.ts';
import { EventHeader, signing } from '../schema/events/delivery.ts';
import { retryRules } from '../schema/events/retry.ts';
import { CallTarget } from '../schema/events/targets.ts';
import { closedObject, unsupported } from '../schema/members.ts';
import { BoolExp } from '../schema/permissions.ts';
import { LoggedResponseTransform, RequestTransform } from '../schema/transforms.ts';
import { UrlTemplate } from '../schema/urls.ts';

/** `*`: all columns of the table, now and later. */
const columns = z.union([z.literal('*'), z.array(ColumnName)]);

export const OperationSpec = closedObject({
  /** Of `update`: the columns whose changes cause an event. Other operations do not use it. */
  columns,
  /** The columns that are delivered. Default: all. */
  payload: columns.nullish(),
});
export type OperationSpec = z.infer<typeof OperationSpec>;

export const operationNames = ['insert', 'update', 'delete'] as const;
export type OperationName = (typeof operationNames)[number];

/** The operations that cause events. `rulesOf` requires at least one. */
export const triggerOperations = {
  insert: OperationSpec.nullish(),
  update: OperationSpec.nullish(),
  delete: OperationSpec.nullish(),
  /** Whether `invoke_event_trigger` may create events. Default false. */
  enable_manual: z.boolean().nullish(),
};

export const EventTriggerRetryConf = closedObject({
  /** Calls after the first. */
  num_retries: z.int(),
  interval_sec: z.int(),
  timeout_sec: z.int().nullish(),
  ...retryRules,
});
export type EventTriggerRetryConf = z.infer<typeof EventTriggerRetryConf>;

/** The retry configuration of a trigger that has none. */
export const defaultRetryConf = { interval_sec: 10, num_retries: 0, timeout_sec: 60 } as const;

const byDroppedTables = 'events are removed by dropping the tables that store them, at once and without batches';

/** The members with their defaults. */
export const cleanupDefaults = {
  batch_size: 10_000,
  clean_invocation_logs: false,
  paused: false,
  timeout: 60,
} as const;

export const CleanupConfig = closedObject({
  /** Five fields, in UTC. */
  schedule: z.string(),
  /** Hours. */
  clear_older_than: z.int(),
  /** Default false: the log of calls stays when its events are removed. */
  clean_invocation_logs: z.boolean().nullish(),
  /** Default false. */
  paused: z.boolean().nullish(),
  batch_size: unsupported(byDroppedTables, (size) => size !== cleanupDefaults.batch_size),
  timeout: unsupported(byDroppedTables, (timeout) => timeout !== cleanupDefaults.timeout),
});
export type CleanupConfig = z.infer<typeof CleanupConfig>;

/** Posts several events as a list. */
export const EventBatch = closedObject({
  /** The most events in one call. */
  max_events: z.int(),
  /** The longest wait for further events. Default 0: a call has the events that are pending. */
  max_wait_ms: z.int().nullish(),
});
export type EventBatch = z.infer<typeof EventBatch>;

/** Delivers the last change of the rows with equal values of `key` within a window. */
export const EventDebounce = closedObject({
  key: z.array(ColumnName),
  window_ms: z.int(),
});
export type EventDebounce = z.infer<typeof EventDebounce>;

/** The members of a trigger beside its name, operations and table. Their rules are in `rulesOf`. */
export const triggerSettings = {
  retry_conf: EventTriggerRetryConf.nullish(),
  /** An http or https URL; may contain `{{NAME}}` templates. */
  webhook: UrlTemplate.nullish(),
  /** The name of the environment variable with the URL. */
  webhook_from_env: z.string().nullish(),
  /** What is called in place of a webhook. */
  target: CallTarget.nullish(),
  headers: z.array(EventHeader).nullish(),
  request_transform: RequestTransform.nullish(),
  /** Changes the logged body of a successful response. */
  response_transform: LoggedResponseTransform.nullish(),
  cleanup_config: CleanupConfig.nullish(),
  /** Whether changes that logical replication applies cause events. Default false. */
  trigger_on_replication: z.boolean().nullish(),
  /** Condition on the row before (`old`) and after the change (`new`). */
  when: BoolExp.nullish(),
  /** Columns; events of rows with equal values are delivered one after the other. */
  ordering_key: z.array(ColumnName).nullish(),
  batch: EventBatch.nullish(),
  debounce: EventDebounce.nullish(),
  signing: signing.nullish(),
  /** Whether events are stored and not delivered until the trigger is resumed. Default false. */
  paused: z.boolean().nullish(),
};

export const EventTrigger = closedObject({
  name: z.string(),
  definition: closedObject(triggerOperations),
  ...triggerSettings,
  /** A stored trigger that cannot be read, which `rulesOf` reports. */
  unread: z.unknown().optional(),
});
export type EventTrigger = z.infer<typeof EventTrigger>;
