/** The HTTP client: one time limit for a call, a limit for the response, no redirects, classified failures. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Client, Dispatcher } from 'undici';
import { Cancellation } from '../cancellation.ts';
import type { CallPurpose } from '../telemetry/observe.ts';
import type { Span } from '../telemetry/trace.ts';
import { type Address, addressOf, InvalidAddressError } from './address.ts';
import { type Exchange, OriginConnections } from './connections.ts';
import { ContentCodingError, codingsOf, createDecoder, type Decoder } from './content-coding.ts';
import { createEgress, type EgressSettings, egressDefaults } from './egress.ts';
import { checkedConnector, EgressError, type Resolve, resolveBySystem } from './egress-connect.ts';
import { type RawHeaders, ReceivedResponse } from './received-response.ts';

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
  /** Called with the headers of the request, those of a trace included, before it is sent. */
  readonly onHeaders?: ((headers: HttpCall['headers']) => void) | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | Cancellation | undefined;
  /** For metrics and traces. */
  readonly purpose?: CallPurpose | undefined;
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
  const origins = new Map<string, OriginConnections>();
  let open: OpenClient | undefined;
  let loading: Promise<OpenClient> | undefined;
  let closed = false;

  function connectionsTo(origin: string, openClient: OpenClient): OriginConnections {
    let connections = origins.get(origin);
    if (connections === undefined) {
      connections = new OriginConnections(
        () => openClient(origin),
        options.connections,
        () => origins.delete(origin),
      );
      origins.set(origin, connections);
    }
    return connections;
  }

  function send(call: HttpCall, openClient: OpenClient): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      try {
        const address = addressOf(call.url);
        const request = requestOf(call, address);
        call.onHeaders?.(call.headers);
        if (closed) throw new UpstreamError('other', 'the HTTP client is closed');
        const connections = connectionsTo(address.origin, openClient);
        const exchange = new CallExchange({ call, request, connections, resolve, reject });
        if (!exchange.settled) connections.add(exchange);
      } catch (error) {
        reject(toUpstreamError(error));
      }
    });
  }

  async function load(call: HttpCall): Promise<HttpResponse> {
    loading ??= loadClients(options);
    open = await loading;
    return send(call, open);
  }

  return {
    call: (call) => (open === undefined ? load(call) : send(call, open)),
    close: async () => {
      closed = true;
      const error = new UpstreamError('other', 'the HTTP client is closed');
      await Promise.all(Array.from(origins.values(), (connections) => connections.close(error)));
    },
  };
}

type OpenClient = (origin: string) => Client;

/** Loads undici with the first call, which shortens the start of the service. */
async function loadClients({ egress, resolve }: HttpClientOptions): Promise<OpenClient> {
  const { Client, buildConnector } = await import('undici');
  const connect = checkedConnector(buildConnector, createEgress(egress ?? egressDefaults), resolve ?? resolveBySystem);
  const options = { pipelining: 1, keepAliveTimeout: 4_000, headersTimeout: 0, bodyTimeout: 0, connect };
  return (origin) => new Client(origin, options);
}

/** Throws an InvalidAddressError where both the address and a header contain credentials. */
function requestOf({ method, headers, body }: HttpCall, { path, authorization }: Address): Dispatcher.DispatchOptions {
  const flat: string[] = [];
  for (const [name, value] of headers) flat.push(name, value);
  if (authorization !== undefined) {
    if (headers.some(([name]) => name.toLowerCase() === 'authorization')) {
      throw new InvalidAddressError(
        'the address contains credentials, and an Authorization header is sent as well: remove one of them',
      );
    }
    flat.push(...authorization);
  }
  return { path, method: method as 'POST', headers: flat, body: body ?? null };
}

interface CallExchangeSettings {
  readonly call: HttpCall;
  readonly request: Dispatcher.DispatchOptions;
  readonly connections: OriginConnections;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: UpstreamError) => void;
}

/**
 * The handler of one call. Undici's dispatch interface avoids the streams and abort signals of `request`, which cost more
 * than everything else. Settles once and ignores later events.
 */
class CallExchange implements Exchange {
  client: Client | undefined;
  readonly request: Dispatcher.DispatchOptions;
  readonly #settings: CallExchangeSettings;
  readonly #call: HttpCall;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #removeListener: (() => void) | undefined;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #status = 0;
  #rawHeaders: RawHeaders;
  /** Undefined until the request is sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #codings: readonly string[] = [];
  /** Set for an encoded body. */
  #decoder: Decoder | undefined;
  /** The encoded body where truncation is permitted. It replaces a body that cannot be decoded. */
  readonly #encoded: Uint8Array[] = [];
  #encodedSize = 0;

  constructor(settings: CallExchangeSettings) {
    const { call, request } = settings;
    this.request = request;
    this.#settings = settings;
    this.#call = call;
    this.#timer = setTimeout(() => {
      this.#stop(new UpstreamError('timeout', `no complete response within ${call.timeoutMs} ms`));
    }, call.timeoutMs);
    this.#removeListener = call.signal && whenAborted(call.signal, () => this.#stop(abortedError()));
  }

  get settled(): boolean {
    return this.#settled;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (!this.#settled && this.#call.mayStart?.() === false) this.#stop(abortedError());
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#rawHeaders = controller.rawHeaders;
    this.#codings = codingsOf(headers['content-encoding']);
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
      this.#disconnect();
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
      this.#disconnect();
    }
  }

  onResponseEnd(): void {
    this.#settings.connections.release(this);
    if (this.#decoder === undefined) this.#succeed(false);
    else this.#decoder.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(toUpstreamError(error));
    this.#settings.connections.cancel(this);
  }

  #succeed(truncated: boolean): void {
    if (!this.#settle()) return;
    const durationMs = performance.now() - this.#started;
    const bytes = joined(this.#chunks);
    this.#settings.resolve(new ReceivedResponse(this.#status, this.#rawHeaders, bytes, truncated, durationMs));
  }

  #stop(error: UpstreamError): void {
    this.#fail(error);
    this.#disconnect();
  }

  /** Ends the exchange before its response is complete. Has no effect afterwards. */
  #disconnect(): void {
    if (this.client !== undefined) this.#controller?.abort(abortedError());
    this.#settings.connections.cancel(this);
  }

  #fail(error: UpstreamError): void {
    if (this.#settle()) this.#settings.reject(error);
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

/** Returns the bytes of all chunks. A single chunk is not copied. */
function joined(chunks: readonly Uint8Array[]): Buffer {
  const [first, second] = chunks;
  if (first === undefined || second !== undefined) return Buffer.concat(chunks);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
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

const failures: readonly (readonly [kind: UpstreamFailure, code: RegExp, message: string])[] = [
  ['refused', /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'the connection was refused'],
  ['dns', /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'the host name could not be resolved'],
  ['tls', /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO_|SELF_SIGNED|EPROTO)/, 'the TLS connection failed'],
  ['reset', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed before the response was complete'],
  ['timeout', /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'the connection timed out'],
];

function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (error instanceof InvalidAddressError) return new UpstreamError('invalid-url', error.message, error.cause);
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
