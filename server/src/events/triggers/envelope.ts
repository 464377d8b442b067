/** The body of a call for an event of a trigger, in the format of Hasura v2. */
import { LRUCache } from 'lru-cache';
import { isJsonObject, parseJson, printJson } from '../../base/json-value.ts';
import type { SessionVariables } from '../../base/templates/transform.ts';
import { sortedJson } from './sorted-json.ts';
import type { DeliveredTrigger, TriggerOperation } from './trigger.ts';

/** A captured change. JSON strings are included in the body as they are, so that numbers keep their digits. */
export interface CapturedChange {
  /** The id of the event. */
  readonly id: string;
  readonly operation: TriggerOperation;
  /** In UTC, such as `2026-09-01T08:00:00.250000`. */
  readonly createdAt: string;
  /** JSON text of the session variables; undefined for a change made by another client. */
  readonly session: string | undefined;
  /** JSON text of the trace context. */
  readonly trace: string | undefined;
}

/** The data of an event: JSON strings of the row before and after the change. */
export interface CapturedRows {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface DataFormat {
  /** Of rows with more columns: those that are delivered. */
  readonly columns?: readonly string[] | undefined;
  /** Columns whose numbers are sent as strings. */
  readonly quoted?: ReadonlySet<string> | undefined;
}

/** Returns the member `data`. The columns of the rows are in alphabetical order, as Hasura v2 sends them. */
export function printData({ before, after }: CapturedRows, { columns, quoted }: DataFormat = {}): string {
  const row = (text: string | undefined): string => {
    if (text === undefined) return 'null';
    return sortedJson(columns === undefined ? text : project(text, columns), quoted);
  };
  return `{"new":${row(after)},"old":${row(before)}}`;
}

/** Returns the row with these columns only; a column that it does not have is absent. */
function project(text: string, columns: readonly string[]): string {
  const row = parseJson(text);
  if (!isJsonObject(row)) return text;
  const members = columns.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]] as const);
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${printJson(value)}`).join()}}`;
}

/**
 * Returns the body of one event. Members are in alphabetical order, as Hasura v2 sends them.
 *
 * @param data JSON text of the member `data`
 * @param currentRetry number of earlier calls since the event was created or redelivered
 */
export function triggerEnvelope(
  { name, table, numRetries }: Pick<DeliveredTrigger, 'name' | 'table' | 'numRetries'>,
  change: CapturedChange,
  data: string,
  currentRetry: number,
): string {
  const session = change.session === undefined ? 'null' : sessionOf(change.session).text;
  const trace = change.trace === undefined ? 'null' : sorted(change.trace).text;
  const event = `{"data":${data},"op":"${change.operation}","session_variables":${session},"trace_context":${trace}}`;
  const info = `{"current_retry":${currentRetry},"max_retries":${numRetries}}`;
  const owner = `{"name":${JSON.stringify(table.name)},"schema":${JSON.stringify(table.schema)}}`;
  return `{"created_at":"${localTime(change.createdAt)}","delivery_info":${info},"event":${event},"id":"${change.id}","table":${owner},"trigger":{"name":${JSON.stringify(name)}}}`;
}

/** Converts `2026-09-01T08:00:00.250000` to `2026-09-01T08:00:00.25`. Hasura v2 sends no zone. */
function localTime(time: string): string {
  return time.endsWith('.000000') ? time.slice(0, -7) : time.replace(/0+$/, '');
}

/** Whether texts of settings are JSON objects. A client may set texts of megabytes, which are not kept. */
const objects = new LRUCache<string, boolean>({ max: 1_000 });
const LONGEST_KNOWN = 10_000;

/**
 * Returns the text of a setting of the session that made a change; undefined unless it is a JSON object, since any client of the
 * database can set it to any text.
 */
export function settingOf(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  let known = objects.get(text);
  if (known === undefined) {
    known = isObjectText(text);
    if (text.length <= LONGEST_KNOWN) objects.set(text, known);
  }
  return known ? text : undefined;
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(parseJson(text));
  } catch {
    return false;
  }
}

interface SortedObject {
  /** JSON text with the members in alphabetical order. */
  readonly text: string;
  /** The members whose values are strings. */
  readonly strings: SessionVariables;
}

function sorted(text: string): SortedObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) return { text: printJson(value), strings: {} };
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  const strings = members.filter((member): member is [string, string] => typeof member[1] === 'string');
  return { text: printJson(Object.fromEntries(members)), strings: Object.fromEntries(strings) };
}

/** Sessions by their JSON text, which the events of a user share. */
const sessions = new LRUCache<string, SortedObject>({ max: 1_000 });

/** Parses session variables from a JSON string. Results are cached. */
export function sessionOf(text: string): SortedObject {
  let session = sessions.get(text);
  if (session === undefined) {
    session = sorted(text);
    if (text.length <= LONGEST_KNOWN) sessions.set(text, session);
  }
  return session;
}

/** Returns the trace that the webhook continues: that of the change, if it has a valid one, or a trace of its own. */
export function traceOf(change: CapturedChange): { readonly traceId: string; readonly sampled: boolean } {
  const own = { traceId: change.id.replaceAll('-', ''), sampled: true };
  if (change.trace === undefined) return own;
  const { trace_id: traceId = '', sampling_state: sampling } = sorted(change.trace).strings;
  // Hasura v2 writes ids of 64 bits too.
  if (!/^([0-9a-f]{16}|[0-9a-f]{32})$/.test(traceId) || /^0+$/.test(traceId)) return own;
  return { traceId: traceId.padStart(32, '0'), sampled: sampling !== '0' };
}
