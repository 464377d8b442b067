/** The form for a new event: what it holds, the arguments it makes, and where a fault belongs. Pure. */
import { faultsIn } from '@joinery/metadata/commands/arguments';
import { CreateScheduledEvent, RetryConf } from '@joinery/metadata/events';
import { faultInJson } from '../api/exact-json.ts';

export interface HeaderDraft {
  /** Stays with the row while rows come and go. */
  readonly key: number;
  readonly name: string;
  readonly from: 'value' | 'environment';
  /** The value, or the name of the variable. */
  readonly text: string;
}

/** `now` is the moment of sending. The two texts are those of the inputs; `ms` is undefined while they make no time. */
export type WhenDraft =
  | { readonly kind: 'now' }
  | { readonly kind: 'at'; readonly local: string; readonly utc: string; readonly ms: number | undefined };

export const retryFields = [
  'num_retries',
  'retry_interval_seconds',
  'timeout_seconds',
  'tolerance_seconds',
] as const satisfies readonly (keyof RetryConf)[];
export type RetryField = (typeof retryFields)[number];

export interface Draft {
  readonly webhook: string;
  readonly when: WhenDraft;
  readonly payload: string;
  readonly headers: readonly HeaderDraft[];
  readonly retry: Readonly<Record<RetryField, string>>;
  readonly comment: string;
}

/** A field of the form; those of headers go by the key of their row. */
export type FieldName =
  | 'webhook'
  | 'schedule_at'
  | 'payload'
  | 'comment'
  | 'headers'
  | `headers.${number}.${'name' | 'value'}`
  | `retry_conf.${RetryField}`;

export type Problems = ReadonlyMap<FieldName, string>;

export const noProblems: Problems = new Map();

export function emptyDraft(): Draft {
  const retry = RetryConf.parse({});
  return {
    webhook: '',
    when: { kind: 'now' },
    payload: '{}',
    headers: [],
    retry: Object.fromEntries(retryFields.map((field) => [field, String(retry[field])])) as Draft['retry'],
    comment: '',
  };
}

/** Those that were filled in; the others are not sent. */
function sentHeaders(draft: Draft): readonly HeaderDraft[] {
  return draft.headers.filter(({ name, text }) => name.trim() !== '' || text !== '');
}

export type ReadDraft = { readonly args: string } | { readonly problems: Problems };

/** The arguments of `create_scheduled_event` as JSON text, the payload in it as it was typed. `now`: since 1970. */
export function readDraft(draft: Draft, now: number): ReadDraft {
  const problems = new Map<FieldName, string>();
  const at = draft.when.kind === 'now' ? now : draft.when.ms;
  const jsonFault =
    draft.payload.trim() === '' ? 'must be JSON; for no payload write null' : faultInJson(draft.payload);
  const args = {
    webhook: draft.webhook.trim(),
    schedule_at: at === undefined ? '' : new Date(at).toISOString(),
    headers: sentHeaders(draft).map(({ name, from, text }) => ({
      name: name.trim(),
      ...(from === 'value' ? { value: text } : { value_from_env: text.trim() }),
    })),
    retry_conf: Object.fromEntries(retryFields.map((field) => [field, Number(draft.retry[field])])),
    ...(draft.comment.trim() === '' ? {} : { comment: draft.comment.trim() }),
  };
  for (const { path, message } of faultsIn(CreateScheduledEvent, { ...args, payload: null })) {
    const field = fieldAt(path, draft);
    if (field !== undefined && !problems.has(field)) problems.set(field, message);
  }
  if (at === undefined) problems.set('schedule_at', 'must be a date and a time');
  if (jsonFault !== undefined) problems.set('payload', jsonFault);
  for (const field of retryFields) {
    if (!/^\d+$/.test(draft.retry[field].trim())) problems.set(`retry_conf.${field}`, 'must be a whole number');
  }
  const webhookFault = faultInWebhook(args.webhook);
  if (webhookFault !== undefined) problems.set('webhook', webhookFault);
  if (problems.size > 0) return { problems };
  return { args: `${JSON.stringify(args).slice(0, -1)},"payload":${draft.payload}}` };
}

/** Templates are filled in by the service, which knows what makes a URL then. */
function faultInWebhook(webhook: string): string | undefined {
  if (webhook === '') return 'must not be empty: it is the address that is called';
  if (webhook.includes('{{')) return undefined;
  const url = URL.canParse(webhook) ? new URL(webhook) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return undefined;
  return 'must be an http or https URL, such as https://example.com/remind';
}

const simple: readonly string[] = ['webhook', 'schedule_at', 'payload', 'comment', 'headers'] satisfies FieldName[];

/**
 * The field that a path such as `$.args.headers[0].value` or `$.headers[0].value` leads to; undefined for a path that
 * leads to none, which is a matter of the form as a whole.
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
    const field = retryFields.find((one) => one === second);
    return field === undefined ? undefined : `retry_conf.${field}`;
  }
  return simple.includes(String(first)) ? (first as FieldName) : undefined;
}

/** Are there fields among them that stand under Advanced? */
export function isAdvanced(problems: Problems): boolean {
  return [...problems.keys()].some((field) => /^(headers|retry_conf|comment)/.test(field));
}
