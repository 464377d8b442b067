/** Draft of an event, its arguments, and the fields that validation errors belong to. Pure. */
import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import { CreateScheduledEvent } from '@joinery/metadata/api/events/events';
import { validationErrors } from '@joinery/metadata/commands/edit/arguments';
import { RetryConf } from '@joinery/metadata/schema/events/retry';
import { jsonProblem, printPretty } from '../../api/exact-json.ts';
import { localInput, utcInput } from '../../ui/time/times.ts';
import { type HeaderDraft, headersOf } from '../headers/header-draft.ts';
import {
  inputsProblem,
  readTarget,
  type TargetDraft,
  type TargetField,
  targetDraftOf,
  targetFieldAt,
} from '../targets/target-draft.ts';
import { type DeliveryDraft, deliveryOf, emptyDelivery, readDelivery, transformProblem } from './delivery-draft.ts';
import {
  type BackoffField,
  backoffFields,
  emptyRetry,
  type RetryDraft,
  readRetry,
  retryDraftOf,
  retryProblems,
} from './retry-settings.ts';

/**
 * When the event is due. `now` means at submission. `local` and `utc` are the texts of the inputs; `ms` is undefined
 * while they are incomplete.
 */
export type WhenDraft =
  | { readonly kind: 'now'; readonly zone?: string }
  | {
      readonly kind: 'at';
      /** Local time in `zone`, by default the browser's time zone. */
      readonly local: string;
      readonly utc: string;
      readonly ms: number | undefined;
      readonly zone?: string;
    };

export const retryFields = [
  'num_retries',
  'retry_interval_seconds',
  'timeout_seconds',
  'tolerance_seconds',
] as const satisfies readonly (keyof RetryConf)[];
export type RetryField = (typeof retryFields)[number];

export interface Draft {
  readonly webhook: string;
  /** The target that is called in place of the webhook. */
  readonly target: TargetDraft | undefined;
  readonly when: WhenDraft;
  readonly payload: string;
  readonly headers: readonly HeaderDraft[];
  readonly retry: Readonly<Record<RetryField, string>>;
  readonly comment: string;
  readonly key: string;
  readonly ordering_key: string;
  readonly rules: RetryDraft;
  readonly delivery: DeliveryDraft;
}

/** Name of a field. Header fields are identified by the key of their row. */
export type FieldName =
  | 'webhook'
  | TargetField
  | 'schedule_at'
  | 'payload'
  | 'comment'
  | 'headers'
  | 'key'
  | 'ordering_key'
  | 'body'
  | 'signing'
  | 'request_transform'
  | `headers.${number}.${'name' | 'value'}`
  | `retry_conf.${RetryField | BackoffField}`;

export type Problems = ReadonlyMap<FieldName, string>;

export function emptyDraft(): Draft {
  const retry = RetryConf.parse({});
  return {
    webhook: '',
    target: undefined,
    when: { kind: 'now' },
    payload: '{}',
    headers: [],
    retry: Object.fromEntries(retryFields.map((field) => [field, String(retry[field])])) as Draft['retry'],
    comment: '',
    key: '',
    ordering_key: '',
    rules: emptyRetry,
    delivery: emptyDelivery,
  };
}

/** Returns a draft with the values of an event, without its keys. */
export function draftOf(event: ScheduledEvent): Draft {
  const ms = Date.parse(event.scheduled_time);
  return {
    ...emptyDraft(),
    webhook: event.target === undefined ? event.webhook_conf : '',
    target: event.target && targetDraftOf(event.target),
    when: { kind: 'at', local: localInput(ms), utc: utcInput(ms), ms },
    payload: printPretty(event.payload),
    headers: headersOf(event.header_conf),
    retry: Object.fromEntries(retryFields.map((field) => [field, String(event.retry_conf[field])])) as Draft['retry'],
    comment: event.comment ?? '',
    rules: retryDraftOf(event.retry_conf),
    delivery: deliveryOf(event),
  };
}

/** Returns the headers that are not empty. */
function sentHeaders(draft: Draft): readonly HeaderDraft[] {
  return draft.headers.filter(({ name, text }) => name.trim() !== '' || text !== '');
}

export type ReadDraft = { readonly args: string } | { readonly problems: Problems };

/**
 * Returns the arguments of `create_scheduled_event`, or of `update_scheduled_event` when `editing`, as JSON text with
 * the payload as typed. `now` in milliseconds since 1970.
 */
export function readDraft(draft: Draft, now: number, editing?: ScheduledEvent): ReadDraft {
  const { args, problems } = partsOf(draft, now);
  if (problems.size > 0) return { problems };
  const sent = editing === undefined ? args : changesOf(args, editing);
  return { args: `${JSON.stringify(sent).slice(0, -1)},"payload":${draft.payload}}` };
}

interface DraftParts {
  /** The arguments without the payload. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly problems: Problems;
}

/** Parses and validates a draft. */
export function partsOf(draft: Draft, now: number): DraftParts {
  const problems = new Map<FieldName, string>();
  const at = draft.when.kind === 'now' ? now : draft.when.ms;
  const payloadProblem =
    draft.payload.trim() === '' ? 'must be JSON; for no payload write null' : jsonProblem(draft.payload);
  const args = {
    ...calledBy(draft),
    schedule_at: at === undefined ? '' : new Date(at).toISOString(),
    retry_conf: {
      ...Object.fromEntries(retryFields.map((field) => [field, Number(draft.retry[field])])),
      ...readRetry(draft.rules),
    },
    ...given('comment', draft.comment),
    ...given('key', draft.key),
    ...given('ordering_key', draft.ordering_key),
  };
  for (const { path, message } of validationErrors(CreateScheduledEvent, { ...args, payload: null })) {
    const field = fieldAt(path, draft);
    if (field !== undefined && !problems.has(field)) problems.set(field, message);
  }
  if (at === undefined) problems.set('schedule_at', 'must be a date and a time');
  if (payloadProblem !== undefined) problems.set('payload', payloadProblem);
  for (const field of retryFields) {
    if (!/^\d+$/.test(draft.retry[field].trim())) problems.set(`retry_conf.${field}`, 'must be a whole number');
  }
  for (const [field, problem] of retryProblems(draft.rules)) problems.set(`retry_conf.${field}`, problem);
  if (draft.target !== undefined) {
    const invalidInputs = inputsProblem(draft.target);
    if (invalidInputs !== undefined) problems.set('target.inputs', invalidInputs);
    return { args, problems };
  }
  const invalidTransform = transformProblem(draft.delivery);
  if (invalidTransform !== undefined) problems.set('request_transform', invalidTransform);
  const invalidWebhook = webhookProblem(draft.webhook.trim());
  if (invalidWebhook !== undefined) problems.set('webhook', invalidWebhook);
  return { args, problems };
}

/** Returns the arguments for the webhook with its request, or for the target. */
function calledBy(draft: Draft): Readonly<Record<string, unknown>> {
  if (draft.target !== undefined) return { target: readTarget(draft.target) };
  const headers = sentHeaders(draft).map(({ name, from, text }) => ({
    name: name.trim(),
    ...(from === 'value' ? { value: text } : { value_from_env: text.trim() }),
  }));
  return { webhook: draft.webhook.trim(), headers, ...readDelivery(draft.delivery) };
}

function given(name: string, text: string): Readonly<Record<string, string>> {
  return text.trim() === '' ? {} : { [name]: text.trim() };
}

/** Keys cannot change, a comment can be removed, and an unchanged time must not restart retries. */
function changesOf(args: Readonly<Record<string, unknown>>, event: ScheduledEvent): Readonly<Record<string, unknown>> {
  const { key: _key, ordering_key: _orderingKey, schedule_at, comment = null, ...rest } = args;
  const usual = { body: null, signing: null, request_transform: null };
  const before = Math.floor(Date.parse(event.scheduled_time) / 1_000);
  const moved = Math.floor(Date.parse(String(schedule_at)) / 1_000) !== before;
  return { event_id: event.id, ...usual, ...rest, comment, ...(moved && { schedule_at }) };
}

/** Only the service can validate URLs with templates. */
function webhookProblem(webhook: string): string | undefined {
  if (webhook === '') return 'must not be empty: it is the address that is called';
  if (webhook.includes('{{')) return undefined;
  const url = URL.canParse(webhook) ? new URL(webhook) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return undefined;
  return 'must be an http or https URL, such as https://example.com/remind';
}

const simple: readonly string[] = [
  'webhook',
  'schedule_at',
  'payload',
  'comment',
  'headers',
  'key',
  'ordering_key',
  'body',
  'signing',
  'request_transform',
] satisfies FieldName[];

/**
 * Returns the field of a path such as `$.args.headers[0].value` or `$.headers[0].value`. Undefined when the path
 * concerns the form as a whole.
 */
export function fieldAt(path: string, draft: Draft): FieldName | undefined {
  const steps = [...path.replace(/^\$(\.args(?=[.[]|$))?/, '').matchAll(/\.(\w+)|\[(\d+)\]/g)].map(
    ([, name, index]) => name ?? Number(index),
  );
  const [first, second, third] = steps;
  if (first === 'headers' && typeof second === 'number') {
    const row = sentHeaders(draft)[second];
    if (row === undefined) return 'headers';
    return `headers.${row.key}.${third === 'name' ? 'name' : 'value'}`;
  }
  if (first === 'retry_conf') {
    const field = [...retryFields, ...backoffFields].find((one) => one === second);
    return field === undefined ? undefined : `retry_conf.${field}`;
  }
  if (first === 'target') return targetFieldAt(steps.slice(1).join('.'));
  return simple.includes(String(first)) ? (first as FieldName) : undefined;
}

/** Whether one of the fields is under "Advanced". */
export function isAdvanced(fields: readonly string[]): boolean {
  return fields.some((field) =>
    /^(headers|retry_conf|comment|key|ordering_key|body|signing|request_transform)/.test(field),
  );
}
