/** What came of a call, from its log entry. Pure. */
import { parseExactly } from '../../api/exact-json.ts';
import type { ShownHeader } from '../headers/header-draft.ts';
import type { Invocation } from './events-api.ts';

export interface ReadResponse {
  /** The webhook answered with 200 to 299. */
  readonly ok: boolean;
  /** `200`; `No answer`; `Not called`, for an event that was too late. */
  readonly summary: string;
  readonly headers: readonly ShownHeader[];
  /** As it came; undefined when there was no answer. */
  readonly body: string | undefined;
  /** The body was longer than what is kept. */
  readonly truncated: boolean;
  /** Why no answer came; undefined when one came. */
  readonly trouble: string | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

export function readResponse({ status, response }: Pick<Invocation, 'status' | 'response'>): ReadResponse {
  const data = members(members(response).data);
  if (status === null) {
    const trouble = postgresErrorOf(data.message);
    const summary = trouble.startsWith('not called') ? 'Not called' : 'No answer';
    return { ok: false, summary, headers: [], body: undefined, truncated: false, trouble };
  }
  const body = typeof data.body === 'string' ? data.body : typeof data.message === 'string' ? data.message : '';
  return {
    ok: status >= 200 && status < 300,
    summary: String(status),
    headers: Array.isArray(data.headers) ? (data.headers as ShownHeader[]) : [],
    body,
    truncated: data.truncated === true,
    trouble: undefined,
  };
}

/** The message may be JSON text that tells of the connection. */
function postgresErrorOf(message: unknown): string {
  if (typeof message !== 'string') return 'The log entry does not say why.';
  try {
    const told = members(parseExactly(message));
    return typeof told.message === 'string' ? told.message : message;
  } catch {
    return message;
  }
}

function members(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
