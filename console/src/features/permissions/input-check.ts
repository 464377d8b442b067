/** Draft of the input validation webhook. Pure. */
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { type HeaderDraft, headersOf, sentHeaders } from '../../shared/headers/header-draft.ts';

export interface InputCheckDraft {
  readonly url: string;
  readonly headers: readonly HeaderDraft[];
  readonly forwards: boolean;
  /** Seconds as text. Empty for the default. */
  readonly timeout: string;
}

export const emptyInputCheck: InputCheckDraft = { url: '', headers: [], forwards: false, timeout: '' };

/** Undefined when the permission has none. */
export function inputCheckOf({ validate_input: written }: JsonObject): InputCheckDraft | undefined {
  const definition = isJsonObject(written) ? written.definition : undefined;
  if (!isJsonObject(definition)) return undefined;
  const { url, headers, forward_client_headers, timeout } = definition;
  return {
    url: typeof url === 'string' ? url : '',
    headers: Array.isArray(headers) ? headersOf(headers) : [],
    forwards: forward_client_headers === true,
    timeout: typeof timeout === 'number' ? String(timeout) : '',
  };
}

/** Returns the new definition. Members of `written` that the draft does not represent are preserved. */
export function withInputCheck(written: unknown, draft: InputCheckDraft): JsonObject {
  const before = isJsonObject(written) ? written : { type: 'http' };
  const definition = isJsonObject(before.definition) ? before.definition : {};
  const { headers: _headers, forward_client_headers: _forwards, timeout: _timeout, ...others } = definition;
  const headers = sentHeaders(draft.headers);
  return {
    ...before,
    definition: {
      ...others,
      url: draft.url.trim(),
      ...(headers.length > 0 && { headers }),
      ...(draft.forwards && { forward_client_headers: true }),
      ...(/^\d+$/.test(draft.timeout) && { timeout: Number(draft.timeout) }),
    },
  };
}

export function timeoutProblem({ timeout }: InputCheckDraft): string | undefined {
  if (timeout === '') return undefined;
  const seconds = /^\d+$/.test(timeout) ? Number(timeout) : 0;
  return seconds >= 1 && seconds <= 1_800 ? undefined : 'Must be a whole number from 1 to 1800, or empty';
}
