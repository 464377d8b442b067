/** The request to the handler of an action, and its form in errors. */
import type { Headers, Session } from '../../../auth/session.ts';
import { type Environment, expand } from '../../../base/environment.ts';
import { printJson } from '../../../base/json-value.ts';
import { maskUrls } from '../../../base/telemetry/redact.ts';
import type { SessionVariables } from '../../../base/templates/transform.ts';
import type { PlainRequest } from '../../../base/templates/transform-request.ts';
import type { Action } from '../../../model/types/action.ts';
import { type HandlerSettings, handlerHeaders, sentHeaders } from './handler-headers.ts';

/** The content of a handler call. */
export interface HandlerCall {
  readonly action: Action;
  /** The given arguments by name. Of a batch, a list of them, to which the handler responds with a list in the same order. */
  readonly input: unknown;
  readonly isBatch?: boolean;
  /** The JSON text of `input`, where the caller has it. */
  readonly printed?: string;
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
  return new BuiltRequest(call, settings, environment);
}

/** Members that only transforms and errors read are built when they are read. */
class BuiltRequest implements HandlerRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: HandlerRequest['headers'];
  readonly body: string;
  readonly #call: HandlerCall;
  readonly #settings: HandlerSettings;
  readonly #environment: Environment;

  constructor(call: HandlerCall, settings: HandlerSettings, environment: Environment) {
    const { action, printed = printJson(call.input) } = call;
    this.#call = call;
    this.#settings = settings;
    this.#environment = environment;
    this.headers = sentHeaders(action, call.headers, settings, environment);
    this.url = expand(action.handler, environment);
    const member = call.isBatch === true ? 'inputs' : 'input';
    this.body = `${bodyStart(action)}"${member}":${printed}${bodyEnd(call, settings)}`;
  }

  get session(): SessionVariables {
    return sessionVariables(this.#call.session, this.#settings);
  }

  get plain(): PlainRequest {
    return { method: this.method, url: this.url, headers: this.headers, body: this.#payload() };
  }

  get shown(): HandlerRequest['shown'] {
    const { action, headers } = this.#call;
    const sent = handlerHeaders(action, headers, this.#settings, this.#environment);
    return {
      url: maskUrls(action.handler),
      ...this.#payload(),
      headers: sent.map(({ name, shown }) => ({ name, value: shown })),
    };
  }

  #payload(): Readonly<Record<string, unknown>> {
    const { action, input, isBatch, query } = this.#call;
    return {
      action: { name: action.name },
      [isBatch === true ? 'inputs' : 'input']: input,
      session_variables: this.session,
      request_query: query,
    };
  }
}

const bodyStarts = new WeakMap<Action, string>();

function bodyStart(action: Action): string {
  const known = bodyStarts.get(action);
  if (known !== undefined) return known;
  const text = `{"action":${printJson({ name: action.name })},`;
  bodyStarts.set(action, text);
  return text;
}

interface BodyEnd {
  readonly query: string | null;
  readonly sessionPrefix: string;
  readonly text: string;
}

/** The texts of sessions, which the calls of a request share. */
const bodyEnds = new WeakMap<Session, BodyEnd>();

/** Returns the text after the input. */
function bodyEnd({ session, query }: HandlerCall, { sessionPrefix }: HandlerSettings): string {
  const known = bodyEnds.get(session);
  if (known !== undefined && known.query === query && known.sessionPrefix === sessionPrefix) return known.text;
  const variables = printJson(sessionVariables(session, { sessionPrefix }));
  const text = `,"session_variables":${variables},"request_query":${printJson(query)}}`;
  bodyEnds.set(session, { query, sessionPrefix, text });
  return text;
}

/** Returns the session variables for handlers, with names in lower case, always with the role and without the admin secret. */
export function sessionVariables(
  session: Session,
  { sessionPrefix }: Pick<HandlerSettings, 'sessionPrefix'>,
): Readonly<Record<string, string>> {
  const variables = [...session.variables].filter(([name]) => name !== `${sessionPrefix}admin-secret`);
  return { ...Object.fromEntries(variables), [`${sessionPrefix}role`]: session.role };
}
