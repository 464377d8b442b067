/** The request to the handler of an action, and its form in errors. */
import type { Headers, Session } from '../../auth/session.ts';
import { type Environment, expand } from '../../base/environment.ts';
import { printJson } from '../../base/json-value.ts';
import { maskUrls } from '../../base/telemetry/log.ts';
import type { SessionVariables } from '../../base/templates/transform.ts';
import type { PlainRequest } from '../../base/templates/transform-request.ts';
import type { Action } from '../../model/types/action.ts';
import { type HandlerSettings, handlerHeaders } from './handler-headers.ts';

/** The content of a handler call. */
export interface HandlerCall {
  readonly action: Action;
  /** The given arguments by name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The inputs of a batch, in place of `input`. The handler responds with a list in the same order. */
  readonly inputs?: readonly Readonly<Record<string, unknown>>[];
  readonly session: Session;
  /** The headers of the client's request, with names in lower case. */
  readonly headers: Headers;
  /** The document sent by the client; null for asynchronous calls. */
  readonly query: string | null;
}

export interface HandlerRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined: no body. */
  readonly body: string | undefined;
  /** The request before its transform. */
  readonly plain: PlainRequest;
  readonly session: SessionVariables;
  /** The request shown to admins in errors, without environment variables and credentials. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Builds the request before its transform. Throws `invalid-configuration` for a missing environment variable. */
export function handlerRequest(call: HandlerCall, settings: HandlerSettings, environment: Environment): HandlerRequest {
  const { action } = call;
  const session = sessionVariables(call.session, settings);
  const payload = {
    action: { name: action.name },
    ...(call.inputs === undefined ? { input: call.input } : { inputs: call.inputs }),
    session_variables: session,
    request_query: call.query,
  };
  const sent = handlerHeaders(action, call.headers, settings, environment);
  const url = expand(action.handler, environment);
  const headers = sent.map(({ name, value }) => [name, value] as const);
  return {
    method: 'POST',
    url,
    headers,
    body: printJson(payload),
    plain: { method: 'POST', url, headers, body: payload },
    session,
    shown: {
      url: maskUrls(action.handler),
      ...payload,
      headers: sent.map(({ name, shown }) => ({ name, value: shown })),
    },
  };
}

/** Returns the session variables for handlers, with names in lower case, always with the role and without the admin secret. */
export function sessionVariables(
  session: Session,
  { sessionPrefix }: Pick<HandlerSettings, 'sessionPrefix'>,
): Readonly<Record<string, string>> {
  const variables = [...session.variables].filter(([name]) => name !== `${sessionPrefix}admin-secret`);
  return { ...Object.fromEntries(variables), [`${sessionPrefix}role`]: session.role };
}
