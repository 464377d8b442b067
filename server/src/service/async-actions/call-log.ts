/** What the handler of an asynchronous action was sent, for the log: bounded in size, and without secrets. */
import type { ActionCall, SentActionRequest } from '@joinery/metadata/api/action-runs';
import type { Environment } from '../../base/environment.ts';
import { variablesIn } from '../../base/environment.ts';
import {
  type HttpCall,
  type HttpClient,
  type HttpResponse,
  UpstreamError,
} from '../../base/http-client/http-client.ts';
import { storableJson } from '../../base/storable-text.ts';
import { hideValues, variablesOf, wholeRequest } from '../../events/webhook/sent-request.ts';
import type { Action } from '../../model/types/action.ts';

/** Characters of a body that are logged. */
const MAX_BODY = 16_000;
/** Characters of a URL and of a header that are logged. */
const MAX_TEXT = 4_000;

/** Headers whose values are not logged. */
const credentials = /^(authorization|cookie)$/i;

/** Records one call that is sent by `httpClient`. */
export class CallRecorder {
  readonly #action: Action;
  readonly #environment: Environment;
  readonly #started = performance.now();
  #call: HttpCall | undefined;
  #headers: HttpCall['headers'] = [];
  #response: HttpResponse | undefined;

  constructor(action: Action, environment: Environment) {
    this.#action = action;
    this.#environment = environment;
  }

  /** Returns a client that records the request and the response of a call. */
  client(httpClient: HttpClient): HttpClient {
    return {
      call: async (call) => {
        this.#call = call;
        this.#headers = call.headers;
        const onHeaders = (headers: HttpCall['headers']): void => {
          this.#headers = headers;
        };
        this.#response = await httpClient.call({ ...call, onHeaders });
        return this.#response;
      },
      close: () => httpClient.close(),
    };
  }

  /**
   * Returns JSON text for the log.
   *
   * @param error why the call had no usable response
   */
  logged(attempt: number, error: Error | undefined): string {
    const call: ActionCall = {
      attempt,
      ended_at: new Date().toISOString(),
      duration_ms: Math.round(this.#response?.durationMs ?? performance.now() - this.#started),
      sent: this.#call === undefined ? null : this.#sent(this.#call),
      response: this.#response === undefined ? null : loggedResponse(this.#response),
      error: error === undefined ? null : messageOf(error),
    };
    return storableJson(call);
  }

  #sent({ method, url, body }: HttpCall): SentActionRequest {
    const { handler, headers: configured, requestTransform } = this.#action;
    const names = [...variablesIn(handler), ...variablesOf(configured)];
    const secrets = this.#headers.filter(([name]) => credentials.test(name)).map(([, value]) => value);
    const hide = (text: string): string => withoutSecrets(hideValues(text, names, this.#environment), secrets);
    const request = wholeRequest({
      method,
      // Without a transform, as configured: the values of variables are not in it.
      url: requestTransform === undefined ? handler : hide(url),
      headers: this.#headers.map(([name, value]) => [
        name,
        credentials.test(name) ? '***' : cut(hide(value), MAX_TEXT),
      ]),
      // Without a transform the body has no values of variables.
      body: body === undefined || requestTransform === undefined ? (body ?? null) : hide(body),
      length: Buffer.byteLength(body ?? ''),
    });
    const { body: whole } = request;
    return {
      ...request,
      url: cut(request.url, MAX_TEXT),
      body: whole === null ? null : whole.slice(0, MAX_BODY),
      ...(whole !== null && whole.length > MAX_BODY && { truncated: true }),
    };
  }
}

/** Credentials of a client may be copied by a transform. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => (secret === '' ? hidden : hidden.replaceAll(secret, '***')), text);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function loggedResponse({ status, headers, body }: HttpResponse): NonNullable<ActionCall['response']> {
  return {
    status,
    headers: headers.map(([name, value]) => ({
      name,
      value: /^set-cookie$/i.test(name) ? '***' : cut(value, MAX_TEXT),
    })),
    body: body.slice(0, MAX_BODY),
    ...(body.length > MAX_BODY && { truncated: true }),
  };
}

/** The reason of a call without a response is more precise than the error for the client. */
function messageOf(error: Error): string {
  return cut(error.cause instanceof UpstreamError ? error.cause.message : error.message, MAX_TEXT);
}
