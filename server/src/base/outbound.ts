/** One outbound HTTP call: a total time limit, a cap on the answer, no redirects, and failures told apart. */
import type { Agent } from 'undici';
import { Cancellation } from './cancellation.ts';

export interface OutboundCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined sends no body. */
  readonly body?: string | undefined;
  /** Milliseconds for the whole call: connect, headers and body. */
  readonly timeoutMs: number;
  /** Most bytes of the answer's body that are kept. */
  readonly maxBytes: number;
  /** What happens beyond them: the call fails, or the answer is cut there. Either way reading stops. */
  readonly overflow: 'fail' | 'truncate';
  /** Ends the call early. */
  readonly signal?: AbortSignal | Cancellation | undefined;
}

export interface OutboundAnswer {
  readonly status: number;
  /** In the order they came; names as sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As UTF-8. */
  readonly body: string;
  readonly truncated: boolean;
  readonly durationMs: number;
}

export type OutboundFailure =
  | 'invalid-url'
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'tls'
  | 'reset'
  | 'too-large'
  | 'aborted'
  | 'other';

/** Why there is no answer. The message names neither URL nor headers, so it may be shown to any caller. */
export class OutboundError extends Error {
  readonly kind: OutboundFailure;

  constructor(kind: OutboundFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OutboundError';
    this.kind = kind;
  }
}

export interface Outbound {
  /** Sends one request. Rejects with an OutboundError and nothing else; any HTTP status is an answer. */
  call(call: OutboundCall): Promise<OutboundAnswer>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Connections are kept alive and shared by all calls to an origin, at most `connections` of them. */
export function createOutbound(options: { readonly connections: number }): Outbound {
  let client: Promise<Client> | undefined;
  return {
    call: async (call) => {
      client ??= openClient(options.connections);
      return send(await client, call);
    },
    close: async () => (await client)?.agent.destroy(),
  };
}

interface Client {
  readonly agent: Agent;
  readonly request: typeof import('undici').request;
}

/** The library is loaded with the first call, so that the service starts sooner. */
async function openClient(connections: number): Promise<Client> {
  const { Agent, request } = await import('undici');
  const agent = new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 0 },
  });
  return { agent, request };
}

async function send({ agent, request }: Client, call: OutboundCall): Promise<OutboundAnswer> {
  const started = performance.now();
  checkUrl(call.url);
  const ending = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    ending.abort();
  }, call.timeoutMs);
  const letGo = call.signal && whenAborted(call.signal, () => ending.abort());
  try {
    if (call.signal?.aborted) ending.abort();
    const answer = await request(call.url, {
      method: call.method as 'POST',
      headers: call.headers.flat(),
      body: call.body ?? null,
      dispatcher: agent,
      signal: ending.signal,
      responseHeaders: 'raw',
    });
    const { text, truncated } = await readBody(answer.body, call);
    return {
      status: answer.statusCode,
      headers: headerPairs(answer.headers),
      body: text,
      truncated,
      durationMs: performance.now() - started,
    };
  } catch (error) {
    throw toOutboundError(error, late, call);
  } finally {
    clearTimeout(timer);
    letGo?.();
  }
}

function whenAborted(signal: AbortSignal | Cancellation, listener: () => void): () => void {
  if (signal instanceof Cancellation) return signal.whenAborted(listener);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw new OutboundError('invalid-url', 'the address is not an http or https URL');
  }
}

interface BodyStream extends AsyncIterable<Uint8Array> {
  destroy(): unknown;
}

async function readBody(body: BodyStream, call: OutboundCall): Promise<{ text: string; truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size <= call.maxBytes) {
      chunks.push(chunk);
      continue;
    }
    body.destroy();
    if (call.overflow === 'fail') {
      throw new OutboundError('too-large', `the answer is larger than ${call.maxBytes} bytes`);
    }
    chunks.push(chunk.subarray(0, chunk.byteLength - (size - call.maxBytes)));
    return { text: Buffer.concat(chunks).toString('utf8'), truncated: true };
  }
  return { text: Buffer.concat(chunks).toString('utf8'), truncated: false };
}

/** With `responseHeaders: 'raw'` undici gives names and values in turn; its types know only the other shape. */
function headerPairs(raw: unknown): [string, string][] {
  const flat = raw as readonly (string | Buffer)[];
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    pairs.push([String(flat[index]), String(flat[index + 1])]);
  }
  return pairs;
}

const failures: readonly (readonly [kind: OutboundFailure, code: RegExp, message: string])[] = [
  ['refused', /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'the connection was refused'],
  ['dns', /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'the host name could not be resolved'],
  ['tls', /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO_|SELF_SIGNED|EPROTO)/, 'the TLS connection failed'],
  ['reset', /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed before the answer was whole'],
  ['timeout', /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'the connection timed out'],
];

function toOutboundError(error: unknown, late: boolean, call: OutboundCall): OutboundError {
  if (error instanceof OutboundError) return error;
  if (late) return new OutboundError('timeout', `no whole answer within ${call.timeoutMs} ms`, error);
  if (call.signal?.aborted) return new OutboundError('aborted', 'the call was given up', error);
  const code = codeOf(error);
  for (const [kind, pattern, message] of failures) {
    if (pattern.test(code)) return new OutboundError(kind, message, error);
  }
  return new OutboundError('other', 'the call failed before an answer came', error);
}

/** Node tries several addresses and then throws one error that holds an error for each. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const own = (error as NodeJS.ErrnoException).code;
  if (own !== undefined) return own;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return codeOf(inner);
}
