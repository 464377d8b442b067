/** Draft of an event trigger. Pure. */
import { printPretty } from '../../../api/exact-json.ts';
import { emptyRetry, type RetryDraft, retryDraftOf } from '../../../shared/event-form/retry-settings.ts';
import { type HeaderDraft, headersOf } from '../../../shared/headers/header-draft.ts';
import type { ChangedRow } from '../../../shared/rules/use-rule-table.ts';
import { type TableName, tableKey } from '../../../shared/sources/table-paths.ts';
import { type TargetDraft, targetDraftOf } from '../../../shared/targets/target-draft.ts';
import {
  type BodyDraft,
  emptyRequest,
  emptyResponse,
  type RequestDraft,
  type ResponseDraft,
  requestDraftOf,
  responseDraftOf,
} from '../../../shared/transforms/transform-draft.ts';
import type { TriggerEntry } from '../triggers-api.ts';

export const rowOperations = ['insert', 'update', 'delete'] as const;
export type RowOperation = (typeof rowOperations)[number];

export interface OperationDraft {
  readonly enabled: boolean;
  /** Of `update`: columns whose changes cause an event. Empty: all. */
  readonly columns: readonly string[];
  /** Delivered columns. Empty: all. */
  readonly payload: readonly string[];
}

export interface TriggerDraft {
  readonly name: string;
  readonly source: string;
  /** `tableKey`, or empty. */
  readonly table: string;
  readonly insert: OperationDraft;
  readonly update: OperationDraft;
  readonly delete: OperationDraft;
  readonly manual: boolean;
  readonly conditional: boolean;
  /** JSON text, which preserves the digits of numbers. */
  readonly condition: string;
  /** The target that is called in place of the webhook. */
  readonly target: TargetDraft | undefined;
  readonly webhookFrom: 'url' | 'environment';
  /** The URL, or the name of the variable. */
  readonly webhook: string;
  readonly headers: readonly HeaderDraft[];
  readonly retries: string;
  readonly interval: string;
  readonly timeout: string;
  readonly rules: RetryDraft;
  readonly transformsRequest: boolean;
  readonly request: RequestDraft;
  readonly transformsResponse: boolean;
  readonly response: ResponseDraft;
  readonly orderingKey: readonly string[];
  readonly batched: boolean;
  readonly maxEvents: string;
  /** Milliseconds. Empty for the default. */
  readonly maxWait: string;
  readonly debounced: boolean;
  readonly debounceKey: readonly string[];
  readonly window: string;
  readonly signing: 'settings' | 'own' | 'none';
  /** The name of the variable with the keys. */
  readonly signingVariable: string;
  readonly replication: boolean;
  readonly paused: boolean;
  readonly cleans: boolean;
  readonly schedule: string;
  /** Hours. */
  readonly olderThan: string;
  readonly cleansCalls: boolean;
  readonly cleanupPaused: boolean;
}

const noOperation: OperationDraft = { enabled: false, columns: [], payload: [] };

const body: BodyDraft = { kind: 'keep', template: '{\n  "id": {{$body.event.data.new.id}}\n}', form: [] };

export const emptyTriggerDraft: TriggerDraft = {
  name: '',
  source: '',
  table: '',
  insert: { ...noOperation, enabled: true },
  update: noOperation,
  delete: noOperation,
  manual: false,
  conditional: false,
  condition: '{}',
  target: undefined,
  webhookFrom: 'url',
  webhook: '',
  headers: [],
  retries: '0',
  interval: '10',
  timeout: '60',
  rules: emptyRetry,
  transformsRequest: false,
  request: { ...emptyRequest, body },
  transformsResponse: false,
  response: emptyResponse,
  orderingKey: [],
  batched: false,
  maxEvents: '100',
  maxWait: '',
  debounced: false,
  debounceKey: [],
  window: '1000',
  signing: 'settings',
  signingVariable: '',
  replication: false,
  paused: false,
  cleans: false,
  schedule: '0 0 * * *',
  olderThan: '168',
  cleansCalls: false,
  cleanupPaused: false,
};

export function triggerDraftOf(trigger: TriggerEntry, source: string, table: TableName): TriggerDraft {
  const { definition, retry_conf: retry, batch, debounce, signing, cleanup_config: cleanup } = trigger;
  const { request_transform: request, response_transform: response } = trigger;
  return {
    ...emptyTriggerDraft,
    name: trigger.name,
    source,
    table: tableKey(table),
    insert: operationOf(definition.insert),
    update: operationOf(definition.update),
    delete: operationOf(definition.delete),
    manual: definition.enable_manual === true,
    conditional: isGiven(trigger.when),
    condition: printPretty(trigger.when ?? {}),
    target: isGiven(trigger.target) ? targetDraftOf(trigger.target) : undefined,
    webhookFrom: isGiven(trigger.webhook_from_env) ? 'environment' : 'url',
    webhook: trigger.webhook_from_env ?? trigger.webhook ?? '',
    headers: headersOf(trigger.headers ?? []),
    retries: textOf(retry?.num_retries, emptyTriggerDraft.retries),
    interval: textOf(retry?.interval_sec, emptyTriggerDraft.interval),
    timeout: textOf(retry?.timeout_sec, emptyTriggerDraft.timeout),
    rules: retry ? retryDraftOf(retry) : emptyRetry,
    transformsRequest: isGiven(request),
    request: isGiven(request) ? requestDraftOf(request) : emptyTriggerDraft.request,
    transformsResponse: isGiven(response),
    response: isGiven(response) ? responseDraftOf(response) : emptyResponse,
    orderingKey: trigger.ordering_key ?? [],
    batched: isGiven(batch),
    maxEvents: textOf(batch?.max_events, emptyTriggerDraft.maxEvents),
    maxWait: textOf(batch?.max_wait_ms, ''),
    debounced: isGiven(debounce),
    debounceKey: debounce?.key ?? [],
    window: textOf(debounce?.window_ms, emptyTriggerDraft.window),
    signing: signing === false ? 'none' : signing ? 'own' : 'settings',
    signingVariable: signing ? signing.key_from_env : '',
    replication: trigger.trigger_on_replication === true,
    paused: trigger.paused === true,
    cleans: isGiven(cleanup),
    schedule: cleanup?.schedule ?? emptyTriggerDraft.schedule,
    olderThan: textOf(cleanup?.clear_older_than, emptyTriggerDraft.olderThan),
    cleansCalls: cleanup?.clean_invocation_logs === true,
    cleanupPaused: cleanup?.paused === true,
  };
}

type Operation = TriggerEntry['definition']['insert'];

function operationOf(operation: Operation): OperationDraft {
  if (!isGiven(operation)) return noOperation;
  return { enabled: true, columns: listOf(operation.columns), payload: listOf(operation.payload) };
}

function listOf(columns: '*' | readonly string[] | null | undefined): readonly string[] {
  return columns === '*' ? [] : (columns ?? []);
}

export function isGiven<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

function textOf(number: number | null | undefined, absent: string): string {
  return isGiven(number) ? String(number) : absent;
}

/** Returns the rows that every chosen operation has: those that a condition can name. */
export function changedRows(draft: Pick<TriggerDraft, RowOperation>): readonly ChangedRow[] {
  if (!hasRowEvents(draft)) return [];
  return [...(draft.insert.enabled ? [] : (['old'] as const)), ...(draft.delete.enabled ? [] : (['new'] as const))];
}

/** Whether changes of rows cause events. */
export function hasRowEvents(draft: Pick<TriggerDraft, RowOperation>): boolean {
  return rowOperations.some((operation) => draft[operation].enabled);
}
