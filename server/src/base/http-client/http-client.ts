/** One outbound HTTP call: a total time limit, a cap on the answer, no redirects, and failures told apart. */
import { isUtf8 } from 'node:buffer';
import type { Agent, Dispatcher } from 'undici';
import { Cancellation } from '../cancellation.ts';
import type { CallPurpose } from '../telemetry/observe.ts';
import type { Span } from '../telemetry/trace.ts';
import { ContentCodingError, codingsOf, createDecoder, type Decoder } from './content-coding.ts';
import { createEgress, type EgressSettings, egressDefaults } from './egress.ts';
import { checkedConnector, EgressError, type Resolve, resolveBySystem } from './egress-connect.ts';

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined sends no body. */
  readonly body?: string | undefined;
  /** Milliseconds for the whole call: connect, headers and body. */
  readonly timeoutMs: number;
  /** Most bytes of the answer's body that are kept, after decoding. */
  readonly maxBytes: number;
  /** What happens beyond them: the call fails, or the answer is cut there. Either way reading stops. */
  readonly overflow: 'fail' | 'truncate';
  /** Asked when there is a connection, before anything is sent. False ends the call as `aborted`. */
  readonly mayStart?: (() => boolean) | undefined;
  /** Ends the call early. */
  readonly signal?: AbortSignal | Cancellation | undefined;
  /** For metrics and traces. */
  readonly purpose?: CallPurpose;
  /** What it is made within; a trace of its own unless given. */
  readonly span?: Span | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** In the order they came; names as sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded as `Content-Encoding` says, and read as UTF-8. */
  readonly body: string;
  /** The same as bytes. */
  readonly bytes: Buffer;
  readonly truncated: boolean;
  readonly durationMs: number;
}

export type UpstreamFailure =
  | 'invalid-url'
  /** The settings, or what no setting allows, keep the address from being called. */
  | 'egress'
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'tls'
  | 'reset'
  | 'too-large'
  | 'aborted'
  | 'other';

/** Why there is no answer. The message names neither URL nor headers, so it may be shown to any caller. */
export class UpstreamError extends Error {
  readonly kind: UpstreamFailure;

  constructor(kind: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'UpstreamError';
    this.kind = kind;
  }
}

export interface HttpClient {
  /** Sends one request. Rejects with an UpstreamError and nothing else; any HTTP status is an answer. */
  call(call: HttpCall): Promise<HttpResponse>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  /** Most connections to an origin. They are kept alive and shared by all calls to it. */
  readonly connections: number;
  /** Which addresses may be called. */
  readonly egress?: EgressSettings;
  /** Of host names; the system's unless given. Asked once for a connection, which goes where that says. */
  readonly resolve?: Resolve;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  let agent: Promise<Agent> | undefined;
  return {
    call: async (call) => {
      agent ??= openAgent(options);
      return send(await agent, call);
    },
    close: async () => (await agent)?.destroy(),
  };
}

/** The library is loaded with the first call, so that the service starts sooner. */
async function openAgent({ connections, egress, resolve }: HttpClientOptions): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  return new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: checkedConnector(buildConnector, createEgress(egress ?? egressDefaults), resolve ?? resolveBySystem),
  });
}

function send(agent: Agent, call: HttpCall): Promise<HttpResponse> {
  const url = parseUrl(call.url);
  const headers = [...call.headers, ...credentialsOf(url, call.headers)];
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(call, resolve, reject);
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: call.method as 'POST',
        headers: headers.flat(),
        body: call.body ?? null,
      },
      exchange,
    );
  });
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UpstreamError('invalid-url', 'the address is not an http or https URL');
  }
  return url;
}

/**
 * The credentials in a URL as a header, which the library would drop. Throws an UpstreamError where they cannot be
 * decoded, or where another `Authorization` header would be sent beside them.
 */
function credentialsOf({ username, password }: URL, headers: HttpCall['headers']): HttpCall['headers'] {
  if (username === '' && password === '') return [];
  if (headers.some(([name]) => name.toLowerCase() === 'authorization')) {
    throw new UpstreamError(
      'invalid-url',
      'the address holds credentials, and an Authorization header is sent as well: remove one of them',
    );
  }
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return [['authorization', `Basic ${Buffer.from(pair).toString('base64')}`]];
  } catch (cause) {
    throw new UpstreamError('invalid-url', 'the credentials in the address are not URL-encoded', cause);
  }
}

/**
 * One call as the library tells of it, without the streams and abort signals of its convenient ways, which cost more
 * than all the rest. Settles once; what the library tells afterwards is not heard.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #call: HttpCall;
  readonly #resolve: (answer: HttpResponse) => void;
  readonly #reject: (error: UpstreamError) => void;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #letGo: (() => void) | undefined;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #status = 0;
  #headers: HttpResponse['headers'] = [];
  /** Undefined while the call waits for a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #codings: readonly string[] = [];
  /** Of a body that is encoded. */
  #decoder: Decoder | undefined;
  /** An encoded body as it came, where it may be cut: it stands in for one that cannot be decoded. */
  readonly #encoded: Uint8Array[] = [];
  #encodedSize = 0;

  constructor(call: HttpCall, resolve: (answer: HttpResponse) => void, reject: (error: UpstreamError) => void) {
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => {
      this.#stop(new UpstreamError('timeout', `no whole answer within ${call.timeoutMs} ms`));
    }, call.timeoutMs);
    this.#letGo = call.signal && whenAborted(call.signal, () => this.#stop(givenUp()));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#settled && this.#call.mayStart?.() === false) this.#fail(givenUp());
    if (this.#settled) controller.abort(givenUp());
    else this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
    this.#headers = headerPairs(controller.rawHeaders);
    this.#codings = codingsOf(this.#headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#settled) return;
    if (this.#codings.length > 0) this.#decoder ??= this.#openDecoder(controller, chunk);
    if (this.#decoder === undefined) this.#take(chunk);
    else this.#decode(this.#decoder, controller, chunk);
  }

  /** Undefined where the coding is not supported. */
  #openDecoder(controller: Dispatcher.DispatchController, first: Uint8Array): Decoder | undefined {
    try {
      return createDecoder(this.#codings, first, {
        onData: (chunk) => this.#take(chunk),
        onDrain: () => controller.resume(),
        onEnd: () => this.#answer(false),
        onError: (error) => this.#undecodable(error),
      });
    } catch (error) {
      if (!(error instanceof ContentCodingError)) throw error;
      this.#codings = [];
      if (this.#call.overflow === 'fail') this.#undecodable(error);
      return undefined;
    }
  }

  #decode(decoder: Decoder, controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const missing = this.#call.overflow === 'fail' ? 0 : this.#call.maxBytes - this.#encodedSize;
    if (missing > 0) this.#encoded.push(chunk.subarray(0, missing));
    this.#encodedSize += chunk.byteLength;
    if (!decoder.write(chunk)) controller.pause();
  }

  /** An answer that may be cut is there for its status; its body is returned as it came. */
  #undecodable(error: ContentCodingError): void {
    if (this.#call.overflow === 'fail') {
      this.#stop(new UpstreamError('other', error.message, error));
    } else {
      this.#chunks.splice(0, this.#chunks.length, ...this.#encoded);
      this.#answer(this.#encodedSize > this.#call.maxBytes);
      this.#controller?.abort(givenUp());
    }
  }

  #take(chunk: Uint8Array): void {
    if (this.#settled) return;
    const { maxBytes, overflow } = this.#call;
    this.#size += chunk.byteLength;
    if (this.#size <= maxBytes) {
      this.#chunks.push(chunk);
    } else if (overflow === 'fail') {
      this.#stop(new UpstreamError('too-large', `the answer is larger than ${maxBytes} bytes`));
    } else {
      this.#chunks.push(chunk.subarray(0, chunk.byteLength - (this.#size - maxBytes)));
      this.#answer(true);
      this.#controller?.abort(givenUp());
    }
  }

  onResponseEnd(): void {
    this.#controller = undefined;
    if (this.#decoder === undefined) this.#answer(false);
    else this.#decoder.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(toUpstreamError(error));
  }

  #answer(truncated: boolean): void {
    if (!this.#settle()) return;
    const bytes = Buffer.concat(this.#chunks);
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: bytes.toString('utf8'),
      bytes,
      truncated,
      durationMs: performance.now() - this.#started,
    });
  }

  #stop(error: UpstreamError): void {
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: UpstreamError): void {
    if (this.#settle()) this.#reject(error);
  }

  /** False when that was done before. */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#letGo?.();
    this.#decoder?.destroy();
    return true;
  }
}

function givenUp(): UpstreamError {
  return new UpstreamError('aborted', 'the call was given up');
}

function whenAborted(signal: AbortSignal | Cancellation, listener: () => void): () => void {
  if (signal instanceof Cancellation) return signal.whenAborted(listener);
  if (signal.aborted) listener();
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Names and values in turn. */
function headerPairs(raw: Dispatcher.DispatchController['rawHeaders']): [string, string][] {
  const flat = Array.isArray(raw) ? raw : [];
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    pairs.push([String(flat[index]), headerText(flat[index + 1] ?? '')]);
  }
  return pairs;
}

/** UTF-8 where it is that, and Latin-1 otherwise, as HTTP has it: no byte is lost. */
function headerText(raw: Buffer | string): string {
  return typeof raw === 'string' ? raw : raw.toString(isUtf8(raw) ? 'utf8' : 'latin1');
}

const failures: readonly (readonly [kind: UpstreamFailure, code: RegExp, message: string])[] = [
  ['refused', /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'the connection was refused'],
  ['dns', /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'the host name could not be resolved'],
  ['tls', /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO_|SELF_SIGNED|EPROTO)/, 'the TLS connection failed'],
  ['reset', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed before the answer was whole'],
  ['timeout', /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'the connection timed out'],
];

function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof EgressError) return new UpstreamError('egress', error.message, error);
  const code = codeOf(error);
  for (const [kind, pattern, message] of failures) {
    if (pattern.test(code)) return new UpstreamError(kind, message, error);
  }
  return new UpstreamError('other', 'the call failed before an answer came', error);
}

/** Node tries several addresses and then throws one error that holds an error for each. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const own = (error as NodeJS.ErrnoException).code;
  if (own !== undefined) return own;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return codeOf(inner);
}
