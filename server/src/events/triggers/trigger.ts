/** An event trigger as delivery uses it: its present definition, with the templates parsed. */
import type { EventDelivery } from '@joinery/metadata/schema/events/delivery';
import type { RetryRules } from '@joinery/metadata/schema/events/retry';
import type { WrittenHeader } from '../../base/environment.ts';
import type { RequestTransform, ResponseTransform } from '../../base/templates/transform.ts';
import { writtenRules } from '../delivery/retry-rules.ts';
import type { ParsedTarget } from '../targets/target.ts';

export type TriggerOperation = 'INSERT' | 'UPDATE' | 'DELETE' | 'MANUAL';
type RowOperation = 'insert' | 'update' | 'delete';

/** The resolved definition of a trigger, as far as delivery uses it. */
export interface TriggerDefinition {
  readonly name: string;
  readonly table: {
    readonly schema: string;
    readonly name: string;
    /** Needed where numbers are sent as strings. */
    readonly columnsByName?: ReadonlyMap<string, { readonly type: { readonly name: string } }>;
  };
  readonly operations: ReadonlyMap<RowOperation, { readonly payload: readonly { readonly name: string }[] | 'all' }>;
  readonly batch: TriggerBatch | undefined;
  readonly webhook: TriggerCall;
}

/** How the webhook is called. Templates and names of variables are expanded when the call is made. */
interface TriggerCall {
  /** What is called in place of the webhook. */
  readonly target: ParsedTarget | undefined;
  readonly url: { readonly template: string } | { readonly fromEnv: string };
  readonly headers: readonly WrittenHeader[];
  readonly retry: RetryRules & {
    readonly num_retries: number;
    readonly interval_sec: number;
    readonly timeout_sec: number;
  };
  readonly requestTransform: RequestTransform | undefined;
  readonly responseTransform: ResponseTransform | undefined;
  /** Undefined to use the configured signer. */
  readonly signing: NonNullable<EventDelivery['signing']> | undefined;
}

export interface TriggerBatch {
  readonly maxEvents: number;
  /** The longest wait of an event for further events. */
  readonly maxWaitMs: number;
}

export interface DeliveredTrigger
  extends Pick<TriggerDefinition, 'name' | 'batch'>,
    Pick<TriggerCall, 'target' | 'headers' | 'requestTransform' | 'responseTransform' | 'signing'> {
  /** Identifies the trigger in its source: `joinery.triggers.number`. */
  readonly number: number;
  readonly table: { readonly schema: string; readonly name: string };
  /** Unexpanded. */
  readonly webhook: string;
  /** The scheme and host of `webhook`, unexpanded. */
  readonly lane: string;
  readonly numRetries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  /** JSON text of additional retry rules; see `readRules`. */
  readonly retryRules: string | undefined;
  /** The delivered columns by operation; undefined for all. */
  readonly columns: Readonly<Partial<Record<TriggerOperation, readonly string[] | undefined>>>;
  /** Columns whose numbers are sent as strings; undefined for none. */
  readonly quoted: ReadonlySet<string> | undefined;
}

/** The types that the setting `JOINERY_STRINGIFY_NUMERIC_TYPES` affects, by their names in pg_type. */
const stringifiedTypes: ReadonlySet<string> = new Set(['int8', 'numeric', 'float8', 'money']);

export interface DeliveryFormat {
  /** Whether numbers that may lose digits in clients are sent as strings. */
  readonly stringifyNumerics?: boolean | undefined;
}

/** Returns what delivery uses of a trigger with this number. */
export function deliveredTrigger(
  number: number,
  definition: TriggerDefinition,
  { stringifyNumerics = false }: DeliveryFormat = {},
): DeliveredTrigger {
  const { name, table, operations, batch, webhook: call } = definition;
  const { target, headers, requestTransform, responseTransform, signing } = call;
  const { num_retries, interval_sec, timeout_sec, ...rules } = call.retry;
  const webhook = 'fromEnv' in call.url ? `{{${call.url.fromEnv}}}` : call.url.template;
  const columnsOf = (operation: RowOperation): readonly string[] | undefined => {
    const payload = operations.get(operation)?.payload ?? 'all';
    return payload === 'all' ? undefined : payload.map((column) => column.name);
  };
  return {
    number,
    name,
    table: { schema: table.schema, name: table.name },
    batch,
    webhook,
    lane: laneOf(webhook),
    target,
    headers,
    requestTransform,
    responseTransform,
    signing,
    numRetries: Math.max(num_retries, rules.retry_delays_seconds?.length ?? 0),
    retryIntervalSeconds: interval_sec,
    timeoutSeconds: timeout_sec,
    retryRules: writtenRules(rules) ?? undefined,
    columns: { INSERT: columnsOf('insert'), UPDATE: columnsOf('update'), DELETE: columnsOf('delete') },
    quoted: stringifyNumerics ? quotedColumns(table) : undefined,
  };
}

/** Returns the columns of the table that the setting `JOINERY_STRINGIFY_NUMERIC_TYPES` affects. */
export function quotedColumns({
  columnsByName = new Map(),
}: TriggerDefinition['table']): ReadonlySet<string> | undefined {
  const names = [...columnsByName].flatMap(([name, { type }]) => (stringifiedTypes.has(type.name) ? [name] : []));
  return names.length === 0 ? undefined : new Set(names);
}

/** Returns scheme and host; the whole text up to a path where it has none, as a template of the whole URL. */
function laneOf(webhook: string): string {
  return /^[^:/?#]*:\/\/[^/?#]*/.exec(webhook)?.[0] ?? /^[^/?#]*/.exec(webhook)?.[0] ?? webhook;
}
