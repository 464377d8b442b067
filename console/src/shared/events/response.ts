/** The result of a webhook request from its log entry. Pure. */
import type { TriggerInvocation } from '@joinery/metadata/api/events/triggers';
import { parseExactly } from '../../api/exact-json.ts';
import type { ShownHeader } from '../headers/header-draft.ts';

export interface ReadResponse {
  /** Whether the status is 200 to 299 and the response was usable. */
  readonly ok: boolean;
  /** `200`, `200, not usable`, `No response`, or `Not called` for an event that was too late. */
  readonly summary: string;
  readonly headers: readonly ShownHeader[];
  /** The raw body. Undefined without a response. */
  readonly body: string | undefined;
  /** Whether the logged body is truncated. */
  readonly truncated: boolean;
  /** Why there was no response. Undefined with one. */
  readonly error: string | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

interface LoggedRequest {
  readonly payload: unknown;
  /** As configured. */
  readonly headers: readonly ShownHeader[];
  /**
   * The request as it was sent, with masked secrets. Undefined for targets and for calls of earlier versions, null
   * where the request could not be built.
   */
  readonly sent?: SentRequest | null | undefined;
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly ShownHeader[];
  /** Null without a body. */
  readonly body: string | null;
  /** Whether the log has only the beginning of the body. */
  readonly truncated?: boolean;
}

/** Members of a logged call of any kind of event. */
export interface LoggedCall {
  readonly id: string;
  /** HTTP status; null where there was no response. */
  readonly status: number | null;
  readonly created_at: string;
  /** 1 for the first call. */
  readonly attempt: number;
  readonly duration_ms: number;
  /** Between the claim by a node and the start of the call. Absent for calls of earlier versions. */
  readonly waited_ms?: number;
  readonly request: LoggedRequest;
  readonly response: unknown;
  /** Why the response was not usable. Undefined for a usable response and without one. */
  readonly rejection?: string;
}

/** Returns a call of an event trigger in the form of all logs. */
export function loggedCall({ http_status: status, ...call }: TriggerInvocation): LoggedCall {
  return { ...call, status };
}

export function readResponse(call: Pick<LoggedCall, 'status' | 'response' | 'rejection'>): ReadResponse {
  const { status, response, rejection } = call;
  const data = members(members(response).data);
  if (status === null) {
    const error = messageOf(data.message);
    const summary = error.startsWith('not called') ? 'Not called' : 'No response';
    return { ok: false, summary, headers: [], body: undefined, truncated: false, error };
  }
  const body = typeof data.body === 'string' ? data.body : typeof data.message === 'string' ? data.message : '';
  const isSuccess = status >= 200 && status < 300;
  return {
    ok: isSuccess && rejection === undefined,
    summary: isSuccess && rejection !== undefined ? `${status}, not usable` : String(status),
    headers: Array.isArray(data.headers) ? (data.headers as ShownHeader[]) : [],
    body,
    truncated: data.truncated === true,
    error: undefined,
  };
}

/** The message can be JSON text with details of the connection. */
function messageOf(message: unknown): string {
  if (typeof message !== 'string') return 'The log entry has no reason.';
  try {
    const parsed = members(parseExactly(message));
    return typeof parsed.message === 'string' ? parsed.message : message;
  } catch {
    return message;
  }
}

function members(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
