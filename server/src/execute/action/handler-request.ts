/** The request to the handler of an action: address, headers and body, and how they may be shown. */
import type { Headers, Session } from '../../auth/session.ts';
import { type Environment, expand } from '../../base/environment.ts';
import { printJson } from '../../base/json-value.ts';
import { maskUrls } from '../../base/telemetry/log.ts';
import type { SessionVariables } from '../../base/templates/transform.ts';
import type { PlainRequest } from '../../base/templates/transform-request.ts';
import type { Action } from '../../model/types/action.ts';
import { type HandlerSettings, handlerHeaders } from './handler-headers.ts';

/** What a handler is told. */
export interface HandlerCall {
  readonly action: Action;
  /** Arguments by name; one that was not given is not there. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Of several calls at once, in place of `input`: the handler answers with a list in the same order. */
  readonly inputs?: readonly Readonly<Record<string, unknown>>[];
  readonly session: Session;
  /** Of the client's request, names in lower case. */
  readonly headers: Headers;
  /** The document as the client sent it; null for a call that is made after the request has been answered. */
  readonly query: string | null;
}

export interface HandlerRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined sends none. */
  readonly body: string | undefined;
  /** As it would go out without a transform. */
  readonly plain: PlainRequest;
  readonly session: SessionVariables;
  /** For admins when something goes wrong: without values of the environment and without credentials. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Builds the request, not yet transformed. Throws `invalid-configuration` when a variable of the environment is gone. */
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

/** Those that handlers are told: names in lower case, the role always among them, the admin secret never. */
export function sessionVariables(
  session: Session,
  { sessionPrefix }: Pick<HandlerSettings, 'sessionPrefix'>,
): Readonly<Record<string, string>> {
  const variables = [...session.variables].filter(([name]) => name !== `${sessionPrefix}admin-secret`);
  return { ...Object.fromEntries(variables), [`${sessionPrefix}role`]: session.role };
}
