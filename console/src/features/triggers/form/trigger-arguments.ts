/** The arguments of `create_event_trigger` from a draft, and the fields that errors belong to. Pure. */
import { CreateEventTrigger } from '@joinery/metadata/api/events/triggers';
import { jsonProblem, parseExactly } from '../../../api/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../../api/json.ts';
import { backoffFields, readRetry, retryProblems } from '../../../shared/event-form/retry-settings.ts';
import { sentHeaders } from '../../../shared/headers/header-draft.ts';
import { readTarget, targetErrors, targetFieldAt } from '../../../shared/targets/target-draft.ts';
import { readRequest, readResponse, transformErrors } from '../../../shared/transforms/transform-draft.ts';
import { byMember, memberAt, numberIn, schemaErrors } from '../../../ui/form/beside-text/schema-errors.ts';
import { sentence } from '../../../ui/format.ts';
import type { TriggerEntry } from '../triggers-api.ts';
import {
  changedRows,
  hasRowEvents,
  isGiven,
  type RowOperation,
  rowOperations,
  type TriggerDraft,
} from './trigger-draft.ts';

/** Returns the arguments as JSON text. Members of `before` without an input are preserved; `before` is replaced. */
export function writeTrigger(draft: TriggerDraft, before?: TriggerEntry): string {
  return JSON.stringify(argumentsOf(draft, before));
}

function argumentsOf(draft: TriggerDraft, before?: TriggerEntry): JsonObject {
  const { definition, retry_conf, cleanup_config, batch, debounce, request_transform, response_transform, ...others } =
    before ?? { definition: {} };
  return {
    ...unknownMembers(others, written),
    name: draft.name.trim(),
    source: draft.source,
    table: tableOf(draft),
    ...Object.fromEntries(
      rowOperations.flatMap((name) =>
        draft[name].enabled ? [[name, writeOperation(draft, name, definition[name])]] : [],
      ),
    ),
    ...(draft.manual && { enable_manual: true }),
    ...(draft.conditional && { when: conditionOf(draft) }),
    ...(draft.target === undefined
      ? requestOf(draft, request_transform, response_transform)
      : { target: readTarget(draft.target) }),
    retry_conf: {
      ...unknownMembers(retry_conf ?? {}, [...backoffFields]),
      num_retries: numberIn(draft.retries),
      interval_sec: numberIn(draft.interval),
      timeout_sec: numberIn(draft.timeout),
      ...readRetry(draft.rules),
    },
    ...(draft.orderingKey.length > 0 && { ordering_key: draft.orderingKey }),
    ...(draft.batched && {
      batch: {
        ...unknownMembers(batch ?? {}, ['max_wait_ms']),
        max_events: numberIn(draft.maxEvents),
        ...(draft.maxWait.trim() !== '' && { max_wait_ms: numberIn(draft.maxWait) }),
      },
    }),
    ...(draft.debounced && { debounce: { ...debounce, key: draft.debounceKey, window_ms: numberIn(draft.window) } }),
    ...(draft.replication && { trigger_on_replication: true }),
    ...(draft.cleans && {
      cleanup_config: {
        ...cleanup_config,
        schedule: draft.schedule.trim(),
        clear_older_than: numberIn(draft.olderThan),
        clean_invocation_logs: draft.cleansCalls,
        paused: draft.cleanupPaused,
      },
    }),
    // A replaced trigger that was paused stays paused otherwise.
    paused: draft.paused,
    replace: before !== undefined,
  };
}

/** Returns the members that describe the request to a webhook, which a target does not have. */
function requestOf(
  draft: TriggerDraft,
  request: TriggerEntry['request_transform'],
  response: TriggerEntry['response_transform'],
): JsonObject {
  const headers = sentHeaders(draft.headers);
  return {
    [draft.webhookFrom === 'url' ? 'webhook' : 'webhook_from_env']: draft.webhook.trim(),
    ...(headers.length > 0 && { headers }),
    ...(draft.transformsRequest && { request_transform: readRequest(draft.request, request) }),
    ...(draft.transformsResponse && { response_transform: readResponse(draft.response, response) }),
    ...(draft.signing === 'none' && { signing: false }),
    ...(draft.signing === 'own' && { signing: { key_from_env: draft.signingVariable.trim() } }),
  };
}

/** Members of a trigger that inputs write. */
const written = [
  'name',
  'target',
  'webhook',
  'webhook_from_env',
  'headers',
  'when',
  'ordering_key',
  'signing',
  'trigger_on_replication',
  'paused',
] as const satisfies readonly (keyof TriggerEntry)[];

function unknownMembers(members: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !known.includes(name)));
}

export function tableOf({ table }: Pick<TriggerDraft, 'table'>): { readonly schema: string; readonly name: string } {
  const [schema = '', name = ''] = table === '' ? [] : (JSON.parse(table) as readonly string[]);
  return { schema, name };
}

function writeOperation(
  draft: TriggerDraft,
  name: RowOperation,
  before: TriggerEntry['definition']['insert'],
): JsonObject {
  const { columns, payload } = draft[name];
  const isAll = !isGiven(before?.payload) || Array.isArray(before.payload);
  return {
    ...before,
    // Only updates use the list.
    columns: name !== 'update' ? (before?.columns ?? '*') : columns.length === 0 ? '*' : columns,
    payload: payload.length > 0 ? payload : isAll ? undefined : before?.payload,
  };
}

/** Text that is not JSON is passed on, so that validation rejects it. */
function conditionOf({ condition }: TriggerDraft): unknown {
  return jsonProblem(condition) === undefined ? parseExactly(condition) : condition;
}

const fields: Readonly<Record<string, string>> = {
  name: 'name',
  source: 'source',
  table: 'table',
  insert: 'insert',
  update: 'update',
  delete: 'delete',
  enable_manual: 'operations',
  'insert.payload': 'insert.payload',
  'update.columns': 'update.columns',
  'update.payload': 'update.payload',
  'delete.payload': 'delete.payload',
  when: 'condition',
  webhook: 'webhook',
  webhook_from_env: 'webhook',
  headers: 'headers',
  'retry_conf.num_retries': 'retries',
  'retry_conf.interval_sec': 'interval',
  'retry_conf.timeout_sec': 'timeout',
  ...Object.fromEntries(backoffFields.map((name) => [`retry_conf.${name}`, `retry_conf.${name}`])),
  request_transform: 'request',
  response_transform: 'response',
  ordering_key: 'orderingKey',
  'batch.max_events': 'maxEvents',
  'batch.max_wait_ms': 'maxWait',
  'debounce.key': 'debounceKey',
  'debounce.window_ms': 'window',
  signing: 'signing',
  trigger_on_replication: 'replication',
  paused: 'paused',
  'cleanup_config.schedule': 'schedule',
  'cleanup_config.clear_older_than': 'olderThan',
};

const fieldOfMember = byMember(fields);

const whole = 'Must be a whole number.';
const messages = {
  name: 'Must begin with a letter and have at most 63 letters, digits, "_" and "-".',
  retries: whole,
  interval: whole,
  timeout: 'Must be a whole number of at least 1.',
  maxEvents: 'Must be a whole number from 1 to 1000.',
  maxWait: 'Must be a whole number from 0 to 60000, or empty.',
  window: 'Must be a whole number from 1 to 86400000, which is a day.',
  olderThan: whole,
};

/** Returns the field of a member such as `headers[0].value`. */
function fieldOf(member: string, draft: TriggerDraft): string | undefined {
  if (/^target\b/.test(member)) return targetFieldAt(member.slice('target.'.length));
  const header = /^headers\[(\d+)\](\.name)?/.exec(member);
  if (header === null) return fieldOfMember(member);
  const row = draft.headers.filter(({ name, text }) => name.trim() !== '' || text !== '')[Number(header[1])];
  return row === undefined ? 'headers' : `headers.${row.key}.${header[2] === undefined ? 'value' : 'name'}`;
}

/** Returns the field of a path in an error of the command, or in an inconsistency of the trigger. */
export function triggerFieldAt(path: string, draft: TriggerDraft): string | undefined {
  const member = path.replace(/^.*\.event_triggers\[\d+\]/, '$').replace(/^\$\.definition\b/, '$');
  return fieldOf(memberAt(member), draft);
}

/** Returns the messages by field. */
export function triggerErrors(draft: TriggerDraft, before?: TriggerEntry): Record<string, string> {
  const args = argumentsOf(draft, before);
  const errors = schemaErrors(CreateEventTrigger, args, { fieldOf: (member) => fieldOf(member, draft), messages });
  for (const [field, problem] of retryProblems(draft.rules)) errors[`retry_conf.${field}`] ??= sentence(problem);
  if (draft.table === '') errors.table = 'Choose a table.';
  if (!hasRowEvents(draft) && !draft.manual) errors.operations = 'Choose at least one operation.';
  Object.assign(errors, callErrors(draft), transformErrors(draft));
  const condition = conditionError(draft);
  if (condition !== undefined) errors.condition = condition;
  if (draft.cleans && draft.schedule.trim() === '') errors.schedule = 'Must have five fields, such as 0 0 * * *.';
  return errors;
}

/** Returns the errors of the target, or of the webhook and its signature. */
function callErrors(draft: TriggerDraft): Readonly<Record<string, string>> {
  if (draft.target !== undefined) return targetErrors(draft.target);
  const webhook = webhookError(draft);
  const isUnsigned = draft.signing === 'own' && draft.signingVariable.trim() === '';
  return {
    ...(webhook !== undefined && { webhook }),
    ...(isUnsigned && { signing: 'Must be the name of a variable.' }),
  };
}

function webhookError({ webhook, webhookFrom }: TriggerDraft): string | undefined {
  const text = webhook.trim();
  if (webhookFrom === 'environment') return text === '' ? 'Must be the name of a variable.' : undefined;
  if (text === '') return 'Must not be empty: it is the address that is called.';
  // Only the service can validate URLs with templates.
  if (text.includes('{{')) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return undefined;
  return 'Must be an http or https URL, such as https://example.com/hook.';
}

function conditionError(draft: TriggerDraft): string | undefined {
  if (!draft.conditional || jsonProblem(draft.condition) !== undefined) return undefined;
  const condition = parseExactly(draft.condition);
  if (!isJsonObject(condition) || Object.keys(condition).length === 0) {
    return 'Add a condition, or choose that every change causes an event.';
  }
  const rows = changedRows(draft);
  const absent = ['old', 'new'].find((row) => names(condition, row) && !rows.some((one) => one === row));
  if (absent === undefined) return undefined;
  const operation = absent === 'old' ? 'An insert' : 'A delete';
  return `${operation} has no ${absent} row: remove its conditions, or define a trigger of its own for the operation.`;
}

/** Whether a condition names a row, at any depth of `_and`, `_or` and `_not`. */
function names(condition: unknown, row: string): boolean {
  if (Array.isArray(condition)) return condition.some((one) => names(one, row));
  if (!isJsonObject(condition)) return false;
  return Object.entries(condition).some(
    ([name, inner]) => name === row || (/^[_$](and|or|not)$/.test(name) && names(inner, row)),
  );
}
