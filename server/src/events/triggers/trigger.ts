/** An event trigger as delivery uses it: its present definition, with the templates parsed. */
import type { EventDelivery } from '@joinery/metadata/schema/event-delivery';
import type { RetryRules } from '@joinery/metadata/schema/retry';
import type { WrittenHeader } from '../../base/environment.ts';
import {
  type RequestTransform,
  type ResponseTransform,
  readRequestTransform,
  readResponseTransform,
  type WrittenRequestTransform,
  type WrittenResponseTransform,
} from '../../base/templates/transform.ts';
import { writtenRules } from '../delivery/retry-rules.ts';

export type TriggerOperation = 'INSERT' | 'UPDATE' | 'DELETE' | 'MANUAL';

/** The members of the metadata of a trigger that delivery uses. Null has the same effect as an absent member. */
export interface WrittenTrigger {
  readonly name: string;
  /** Either this or `webhook_from_env`. */
  readonly webhook?: string | null | undefined;
  readonly webhook_from_env?: string | null | undefined;
  readonly headers?: readonly WrittenHeader[] | null | undefined;
  readonly retry_conf?: WrittenRetryConf | null | undefined;
  readonly request_transform?: WrittenRequestTransform | null | undefined;
  readonly response_transform?: WrittenResponseTransform | null | undefined;
  readonly signing?: EventDelivery['signing'];
  readonly definition?: Readonly<Partial<Record<RowOperation, WrittenOperation | null | undefined>>> | undefined;
  readonly batch?: { readonly max_events: number; readonly max_wait_ms?: number | null | undefined } | null | undefined;
}

type RowOperation = 'insert' | 'update' | 'delete';

interface WrittenOperation {
  readonly payload?: '*' | readonly string[] | null | undefined;
}

interface WrittenRetryConf extends RetryRules {
  readonly num_retries: number;
  readonly interval_sec: number;
  readonly timeout_sec?: number | null | undefined;
}

export interface DeliveredTrigger {
  /** Identifies the trigger in its source: `joinery.triggers.number`. */
  readonly number: number;
  readonly name: string;
  readonly table: { readonly schema: string; readonly name: string };
  /** As configured; `{{VARIABLE}}` templates are expanded when the call is made. */
  readonly webhook: string;
  /** The scheme and host of `webhook`, unexpanded. */
  readonly lane: string;
  readonly headers: readonly WrittenHeader[];
  readonly numRetries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  /** JSON text of additional retry rules; see `readRules`. */
  readonly retryRules: string | undefined;
  /** Undefined to use the configured signer. */
  readonly signing: NonNullable<EventDelivery['signing']> | undefined;
  readonly requestTransform: RequestTransform | undefined;
  readonly responseTransform: ResponseTransform | undefined;
  /** The delivered columns by operation; undefined for all. */
  readonly columns: Readonly<Partial<Record<TriggerOperation, readonly string[] | undefined>>>;
  /** Undefined: a call has one event, which is not in a list. */
  readonly batch: TriggerBatch | undefined;
}

export interface TriggerBatch {
  readonly maxEvents: number;
  /** The longest wait of an event for further events. */
  readonly maxWaitMs: number;
}

const defaultRetryConf: WrittenRetryConf = { num_retries: 0, interval_sec: 10 };
const DEFAULT_TIMEOUT_SECONDS = 60;

/** Parses the definition. Throws a TemplateError for templates that cannot be parsed. */
export function readTrigger(
  { number, table }: Pick<DeliveredTrigger, 'number' | 'table'>,
  written: WrittenTrigger,
): DeliveredTrigger {
  const { request_transform: request, response_transform: response, batch } = written;
  const { num_retries, interval_sec, timeout_sec, ...rules } = written.retry_conf ?? defaultRetryConf;
  const webhook = written.webhook ?? `{{${written.webhook_from_env ?? ''}}}`;
  return {
    number,
    name: written.name,
    table,
    webhook,
    lane: laneOf(webhook),
    headers: written.headers ?? [],
    numRetries: Math.max(num_retries, rules.retry_delays_seconds?.length ?? 0),
    retryIntervalSeconds: interval_sec,
    timeoutSeconds: timeout_sec ?? DEFAULT_TIMEOUT_SECONDS,
    retryRules: writtenRules(rules) ?? undefined,
    signing: written.signing ?? undefined,
    requestTransform: request ? readRequestTransform(request) : undefined,
    responseTransform: response ? readResponseTransform(response) : undefined,
    columns: columnsOf(written),
    batch: batch ? { maxEvents: batch.max_events, maxWaitMs: batch.max_wait_ms ?? 0 } : undefined,
  };
}

function columnsOf({ definition = {} }: WrittenTrigger): DeliveredTrigger['columns'] {
  const listed = (operation: RowOperation): readonly string[] | undefined => {
    const payload = definition[operation]?.payload;
    return payload === '*' ? undefined : (payload ?? undefined);
  };
  return { INSERT: listed('insert'), UPDATE: listed('update'), DELETE: listed('delete') };
}

/** Returns scheme and host; the whole text where it has none, as a template of the whole URL. */
function laneOf(webhook: string): string {
  return /^[^:/?#]*:\/\/[^/?#]*/.exec(webhook)?.[0] ?? /^[^/?#]*/.exec(webhook)?.[0] ?? webhook;
}
