/** The HTTP client: one time limit for a call, a limit for the response, no redirects, classified failures. */
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
  /** Undefined for no body. */
  readonly body?: string | undefined;
  /** Milliseconds for the whole call: connection, headers and body. */
  readonly timeoutMs: number;
  /** Maximum bytes of the decoded response body. */
  readonly maxBytes: number;
  /** Whether a larger body fails the call or is truncated. Reading stops in both cases. */
  readonly overflow: 'fail' | 'truncate';
  /** Called when there is a connection and nothing was sent yet. False ends the call as `aborted`. */
  readonly mayStart?: (() => boolean) | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | Cancellation | undefined;
  /** For metrics and traces. */
  readonly purpose?: CallPurpose;
  /** The parent span. Without it the call starts a trace. */
  readonly span?: Span | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** In the order of the response, with names as sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded by `Content-Encoding`, as UTF-8. */
  readonly body: string;
  /** The decoded body as bytes. */
  readonly bytes: Buffer;
  readonly truncated: boolean;
  readonly durationMs: number;
}

export type UpstreamFailure =
  | 'invalid-url'
  /** The egress policy forbids the address. */
  | 'egress'
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'tls'
  | 'reset'
  | 'too-large'
  | 'aborted'
  | 'other';

/** A call without a response. The message contains no URL and no headers, so that any caller may see it. */
export class UpstreamError extends Error {
  readonly kind: UpstreamFailure;

  constructor(kind: UpstreamFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'UpstreamError';
    this.kind = kind;
  }
}

export interface HttpClient {
  /** Sends one request. Rejects with an UpstreamError only. Resolves for every HTTP status. */
  call(call: HttpCall): Promise<HttpResponse>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  /** Maximum connections to an origin. Calls share them, and they are kept alive. */
  readonly connections: number;
  /** Permits all but metadata services unless given. */
  readonly egress?: EgressSettings;
  /** Resolves host names, once for a connection; the resolver of the system unless given. */
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

/** Loads undici with the first call, which shortens the start of the service. */
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
  const { url, origin, path } = addressOf(call.url);
  const headers = [...call.headers, ...credentialsOf(url, call.headers)];
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(call, resolve, reject);
    agent.dispatch(
      {
        origin,
        path,
        method: call.method as 'POST',
        headers: headers.flat(),
        body: call.body ?? null,
      },
      exchange,
    );
  });
}

interface Address {
  readonly url: URL;
  readonly origin: string;
  readonly path: string;
}

/** Addresses by their text, which many calls share. */
const addresses = new Map<string, Address>();
const MOST_KEPT = 500;
/** Longer texts differ from call to call. */
const LONGEST_KEPT = 500;

/** Throws an UpstreamError as `parseUrl` does. */
function addressOf(text: string): Address {
  let address = addresses.get(text);
  if (address === undefined) {
    const url = parseUrl(text);
    address = { url, origin: url.origin, path: url.pathname + url.search };
    if (text.length > LONGEST_KEPT) return address;
    if (addresses.size >= MOST_KEPT) addresses.clear();
    addresses.set(text, address);
  }
  return address;
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UpstreamError('invalid-url', 'the address is not an http or https URL');
  }
  return url;
}

/**
 * Returns the credentials of a URL as a header, because undici ignores them. Throws an UpstreamError where they cannot be
 * decoded, or where the call has an `Authorization` header too.
 */
function credentialsOf({ username, password }: URL, headers: HttpCall['headers']): HttpCall['headers'] {
  if (username === '' && password === '') return [];
  if (headers.some(([name]) => name.toLowerCase() === 'authorization')) {
    throw new UpstreamError(
      'invalid-url',
      'the address contains credentials, and an Authorization header is sent as well: remove one of them',
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
 * The handler of one call. Undici's dispatch interface avoids the streams and abort signals of `request`, which cost more
 * than everything else. Settles once and ignores later events.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #call: HttpCall;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: UpstreamError) => void;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #removeListener: (() => void) | undefined;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #status = 0;
  #headers: HttpResponse['headers'] = [];
  /** Undefined until there is a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #codings: readonly string[] = [];
  /** Set for an encoded body. */
  #decoder: Decoder | undefined;
  /** The encoded body where truncation is permitted. It replaces a body that cannot be decoded. */
  readonly #encoded: Uint8Array[] = [];
  #encodedSize = 0;

  constructor(call: HttpCall, resolve: (response: HttpResponse) => void, reject: (error: UpstreamError) => void) {
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => {
      this.#stop(new UpstreamError('timeout', `no complete response within ${call.timeoutMs} ms`));
    }, call.timeoutMs);
    this.#removeListener = call.signal && whenAborted(call.signal, () => this.#stop(abortedError()));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#settled && this.#call.mayStart?.() === false) this.#fail(abortedError());
    if (this.#settled) controller.abort(abortedError());
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

  /** Returns undefined where the coding is not supported. */
  #openDecoder(controller: Dispatcher.DispatchController, first: Uint8Array): Decoder | undefined {
    try {
      return createDecoder(this.#codings, first, {
        onData: (chunk) => this.#take(chunk),
        onDrain: () => controller.resume(),
        onEnd: () => this.#succeed(false),
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

  /** Returns the encoded body where truncation is permitted: the caller needs the status. */
  #undecodable(error: ContentCodingError): void {
    if (this.#call.overflow === 'fail') {
      this.#stop(new UpstreamError('other', error.message, error));
    } else {
      this.#chunks.splice(0, this.#chunks.length, ...this.#encoded);
      this.#succeed(this.#encodedSize > this.#call.maxBytes);
      this.#controller?.abort(abortedError());
    }
  }

  #take(chunk: Uint8Array): void {
    if (this.#settled) return;
    const { maxBytes, overflow } = this.#call;
    this.#size += chunk.byteLength;
    if (this.#size <= maxBytes) {
      this.#chunks.push(chunk);
    } else if (overflow === 'fail') {
      this.#stop(new UpstreamError('too-large', `the response is larger than ${maxBytes} bytes`));
    } else {
      this.#chunks.push(chunk.subarray(0, chunk.byteLength - (this.#size - maxBytes)));
      this.#succeed(true);
      this.#controller?.abort(abortedError());
    }
  }

  onResponseEnd(): void {
    this.#controller = undefined;
    if (this.#decoder === undefined) this.#succeed(false);
    else this.#decoder.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(toUpstreamError(error));
  }

  #succeed(truncated: boolean): void {
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

  /** Returns false when the call has settled already. */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#removeListener?.();
    this.#decoder?.destroy();
    return true;
  }
}

function abortedError(): UpstreamError {
  return new UpstreamError('aborted', 'the call was canceled');
}

function whenAborted(signal: AbortSignal | Cancellation, listener: () => void): () => void {
  if (signal instanceof Cancellation) return signal.whenAborted(listener);
  if (signal.aborted) listener();
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Returns pairs of the alternating names and values. */
function headerPairs(raw: Dispatcher.DispatchController['rawHeaders']): [string, string][] {
  const flat = Array.isArray(raw) ? raw : [];
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    pairs.push([String(flat[index]), headerText(flat[index + 1] ?? '')]);
  }
  return pairs;
}

/** Decodes UTF-8 where valid, otherwise Latin-1, so that no byte is lost. */
function headerText(raw: Buffer | string): string {
  return typeof raw === 'string' ? raw : raw.toString(isUtf8(raw) ? 'utf8' : 'latin1');
}

const failures: readonly (readonly [kind: UpstreamFailure, code: RegExp, message: string])[] = [
  ['refused', /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'the connection was refused'],
  ['dns', /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'the host name could not be resolved'],
  ['tls', /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO_|SELF_SIGNED|EPROTO)/, 'the TLS connection failed'],
  ['reset', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed before the response was complete'],
  ['timeout', /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'the connection timed out'],
];

function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof EgressError) return new UpstreamError('egress', error.message, error);
  const code = codeOf(error);
  for (const [kind, pattern, message] of failures) {
    if (pattern.test(code)) return new UpstreamError(kind, message, error);
  }
  return new UpstreamError('other', 'the call failed before a response arrived', error);
}

/** Returns the code of an error. Where a name has several addresses, Node throws one error with an error for each. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const own = (error as NodeJS.ErrnoException).code;
  if (own !== undefined) return own;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return codeOf(inner);
}
