/**
 * Handles common requests to `/v1/graphql` without the framework: a body that has arrived with its head, no unusual headers.
 * Bodies are read from the socket and responses are written with one system call. Everything else is left to node:http and
 * Fastify, whose responses, observations and spans are the same for these requests.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import type { Session } from '../../auth/session.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import { toServiceError } from '../../base/errors.ts';
import type { Span, Trace } from '../../base/telemetry/trace.ts';
import type { GraphQLResponse } from '../../service/graphql/handler.ts';
import type { GraphQLCaller } from '../../service/graphql/run-operation.ts';
import { parseBody } from '../body.ts';
import {
  type ExchangeResponse,
  type GraphQLParts,
  rejection,
  respondToBody,
  runExchange,
} from '../graphql-exchange.ts';
import { chooseEncoding, compress, isLarge } from '../middleware/compression.ts';
import { corsHeaders } from '../middleware/cors.ts';
import { requestId } from '../middleware/request-ids.ts';
import { originRules } from '../middleware/request-origin.ts';
import { endRequestSpan, startRequestSpan } from '../middleware/tracing.ts';
import type { HttpSettings } from '../settings.ts';
import { type Admitted, type ConnectionOwner, DirectConnection, type DirectResponse } from './connection.ts';
import { headPattern } from './request-head.ts';
import { type HeaderList, invalidHeader, printHead, printRejected } from './response-text.ts';

export interface DirectParts extends GraphQLParts {
  readonly trace: Trace;
}

const PATH = '/v1/graphql';
/** Larger bodies are left to node:http. */
const MAX_BODY_BYTES = 65_536;

/**
 * Handles the connections of the server. Must be called before it listens. Returns a function that leaves further requests to
 * node:http.
 */
export function handleDirectly(app: FastifyInstance, parts: DirectParts, settings: HttpSettings): () => void {
  const { server } = app;
  const { requestTimeoutMs } = settings;
  const connections = new Set<DirectConnection>();
  let isClosing = false;
  // The listener of node:http, which is also the way to pass a socket to it.
  const [handOver] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (handOver === undefined) return () => undefined;
  const owner: ConnectionOwner = {
    server,
    handOver: (socket) => handOver.call(server, socket),
    pattern: headPattern(PATH),
    maxBodyBytes: Math.min(settings.maxBodyBytes, MAX_BODY_BYTES),
    isClosing: () => isClosing,
    admit: createAdmit(parts, settings, `Keep-Alive: timeout=${Math.floor(server.keepAliveTimeout / 1000)}`),
    closed: (connection) => void connections.delete(connection),
  };
  server.removeListener('connection', handOver);
  /** Runs while there are connections. */
  let timer: NodeJS.Timeout | undefined;
  const closeLate = (): void => {
    const now = performance.now();
    for (const connection of connections) {
      connection.closeLate(now - requestTimeoutMs, now - server.keepAliveTimeout);
    }
    if (connections.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  server.on('connection', (socket) => {
    connections.add(new DirectConnection(owner, socket));
    timer ??= setInterval(closeLate, Math.min(1_000, requestTimeoutMs)).unref();
  });
  app.addHook('preClose', (done) => {
    isClosing = true;
    clearInterval(timer);
    for (const connection of connections) connection.closeIdle();
    done();
  });
  return () => {
    isClosing = true;
  };
}

function createAdmit(parts: DirectParts, settings: HttpSettings, keepAlive: string): ConnectionOwner['admit'] {
  const origins = originRules(settings);
  const { corsOrigins, sendsCors } = settings;
  const shared: Shared = {
    parts,
    settings,
    addressOf: addressReader(settings),
    cors: sendsCors && corsOrigins !== undefined ? corsHeaders(corsOrigins) : () => [],
    open: `Connection: keep-alive\r\n${keepAlive}`,
  };
  return (headers, socket, isKnown) => {
    // The rules remove headers, and depend on nothing else than the headers and the connection.
    if (!isKnown) origins.admit({ method: 'POST', url: PATH, headers, socket });
    const id = requestId({ headers });
    const span = startRequestSpan(parts.trace, { method: 'POST', path: PATH, url: PATH, id, headers });
    const session = settings.authenticatesByBody ? undefined : settings.authenticate(headers, undefined, span);
    return new DirectRequest(shared, headers, socket, id, span, session);
  };
}

/** What the requests of a server have in common. */
interface Shared {
  readonly parts: DirectParts;
  readonly settings: HttpSettings;
  readonly addressOf: (headers: IncomingHttpHeaders, socket: Socket) => string | undefined;
  readonly cors: (origin: string | undefined) => HeaderList;
  /** The headers of a connection that stays open. */
  readonly open: string;
}

class DirectRequest implements Admitted {
  readonly #shared: Shared;
  readonly #headers: IncomingHttpHeaders;
  readonly #socket: Socket;
  readonly #id: string;
  readonly #span: Span | undefined;
  readonly #session: Session | Promise<Session> | undefined;
  readonly #began = performance.now();

  constructor(
    shared: Shared,
    headers: IncomingHttpHeaders,
    socket: Socket,
    id: string,
    span: Span | undefined,
    session: Session | Promise<Session> | undefined,
  ) {
    this.#shared = shared;
    this.#headers = headers;
    this.#socket = socket;
    this.#id = id;
    this.#span = span;
    this.#session = session;
    // Awaited when the body has arrived.
    if (session instanceof Promise) session.catch(() => undefined);
  }

  respond(text: string, signal: Cancellation): Promise<DirectResponse> {
    return this.#exchange(text, signal).then((response) => this.#print(response));
  }

  #print(response: ExchangeResponse): DirectResponse | Promise<DirectResponse> {
    const { settings, cors } = this.#shared;
    const headers = this.#headers;
    const { status, body } = response;
    // Headers of upstreams, such as cookies, may have any character.
    const invalid = response.headers.length > 1 ? invalidHeader(response.headers) : undefined;
    if (invalid !== undefined) return this.#toReject(invalid);
    const ownHeaders: HeaderList = [['x-request-id', this.#id], ...cors(headers.origin), ...response.headers];
    // One header is the content type, and the others are parts of a request whose head is ASCII.
    const isAsciiHead = response.headers.length <= 1;
    if (!isLarge(body, settings.compression)) return this.#toSend(status, ownHeaders, body, isAsciiHead);
    const varying = withVary(ownHeaders);
    const encoding = chooseEncoding(headers['accept-encoding'], settings.compression.encodings);
    if (encoding === undefined) return this.#toSend(status, varying, body, isAsciiHead);
    const encoded: HeaderList = [...varying, ['content-encoding', encoding]];
    return compress(body, encoding).then((bytes) => this.#toSend(status, encoded, bytes));
  }

  #exchange(text: string, signal: Cancellation): Promise<ExchangeResponse> {
    const session = this.#session;
    if (!(session instanceof Promise)) return this.#run(session, text, signal);
    const { parts, settings } = this.#shared;
    return session.then(
      (found) => this.#run(found, text, signal),
      (thrown) =>
        rejection(
          parts,
          settings,
          { requestId: this.#id, headers: this.#headers, span: this.#span },
          undefined,
          thrown,
          'negotiated',
        ),
    );
  }

  #run(session: Session | undefined, text: string, signal: Cancellation): Promise<ExchangeResponse> {
    const { parts, settings, addressOf } = this.#shared;
    const headers = this.#headers;
    const address = addressOf(headers, this.#socket);
    const exchange = { headers, requestId: this.#id, address, span: this.#span, session, text, signal };
    const run = (caller: GraphQLCaller): Promise<GraphQLResponse> => respondToBody(parts, parseBody(text), caller);
    return runExchange(parts, settings, exchange, run, 'negotiated');
  }

  #toReject(name: string): DirectResponse {
    const { head, body } = printRejected(name);
    const error = toServiceError(new TypeError(`Invalid character in header content ["${name}"]`));
    this.#shared.parts.observe({ kind: 'refused', requestId: this.#id, error, span: this.#span });
    return {
      body,
      head: (closes) => head(closes ? 'Connection: close' : this.#shared.open),
      written: () => this.#written(500),
    };
  }

  #written(status: number): void {
    const durationMs = performance.now() - this.#began;
    const { parts } = this.#shared;
    const span = this.#span;
    parts.observe({ kind: 'request', method: 'POST', path: PATH, status, requestId: this.#id, durationMs, span });
    endRequestSpan(span, status);
  }

  #toSend(status: number, headers: HeaderList, body: string | Buffer, isAsciiHead = false): DirectResponse {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    return {
      body,
      ascii: isAsciiHead && length === body.length,
      head: (closes) => printHead(status, headers, length, closes ? 'Connection: close' : this.#shared.open),
      written: () => this.#written(status),
    };
  }
}

function withVary(headers: HeaderList): HeaderList {
  if (!headers.some(([name]) => name === 'vary')) return [...headers, ['vary', 'accept-encoding']];
  return headers.map(([name, value]) => [name, name === 'vary' ? `${value}, accept-encoding` : value] as const);
}

/** Returns a function that reads the address of the client, behind trusted proxies as the framework does. */
function addressReader({ trustedProxies }: HttpSettings): Shared['addressOf'] {
  if (trustedProxies === undefined) return (_headers, socket) => socket.remoteAddress;
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (headers, socket) => proxyAddress({ headers, socket, connection: socket } as IncomingMessage, isTrusted);
}
