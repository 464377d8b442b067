/** The HTTP server: registers middleware and routes. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { ServiceError } from '../base/errors.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import type { Trace } from '../base/telemetry/trace.ts';
import type { GraphQLHandler } from '../service/graphql/handler.ts';
import type { PersistedQueries } from '../service/graphql/persisted-queries.ts';
import type { OperationStreams } from '../service/graphql/result-streams.ts';
import type { Toolsets } from '../service/mcp/toolsets.ts';
import type { PgDump } from '../service/pg-dump/pg-dump.ts';
import type { Rest } from '../service/rest/endpoints.ts';
import type { Service } from '../service/service.ts';
import { handleDirectly } from './direct/direct-graphql.ts';
import { decorateRequests } from './middleware/authenticate.ts';
import { compressResponses } from './middleware/compression.ts';
import { corsOptions } from './middleware/cors.ts';
import { handleErrors, handleMalformedUrl } from './middleware/errors.ts';
import { requestId } from './middleware/request-ids.ts';
import { checkOrigins } from './middleware/request-origin.ts';
import { traceRequests } from './middleware/tracing.ts';
import { consoleRoutes } from './routes/console.ts';
import { docsRoutes } from './routes/docs.ts';
import { explainRoute } from './routes/explain.ts';
import { graphqlRoutes } from './routes/graphql.ts';
import { type Health, healthRoutes } from './routes/health.ts';
import { importRowsRoute } from './routes/import-rows.ts';
import { metadataRoutes } from './routes/metadata.ts';
import { pgDumpRoute } from './routes/pg-dump.ts';
import { restRoutes } from './routes/rest.ts';
import { serverConfigRoutes } from './routes/server-config.ts';
import type { HttpSettings } from './settings.ts';
import { type WebSockets, webSockets } from './websocket/websocket.ts';

export interface HttpParts {
  readonly service: Service;
  readonly graphql: GraphQLHandler;
  readonly persisted: PersistedQueries;
  readonly rest: Rest;
  readonly pgDump: PgDump;
  /** The tools of the MCP server; undefined where it is disabled. */
  readonly mcp: Toolsets | undefined;
  readonly subscriber: OperationStreams;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly observe: Observe;
  readonly trace: Trace;
}

/** Requests that do not arrive on the port of the service. */
export interface Mount {
  /** Handles a request of another HTTP server of this process. Its body must not have been read. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Handles an `upgrade` event of another HTTP server of this process: a websocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Handles a POST request without a connection, with `body` as JSON. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<PostResult>;
}

export interface PostResult {
  readonly status: number;
  readonly text: string;
}

export interface HttpServer {
  readonly mount: Mount;
  /** Prepares the routes for `mount` without listening. */
  ready(): Promise<void>;
  /** Starts listening and returns the URL with the actual port. Rejects if the address is in use. */
  listen(): Promise<string>;
  /**
   * Stops accepting connections, serves the requests of open ones, and closes each after its response. Resolves when all are
   * closed, or after `mostMs`.
   */
  drain(mostMs: number): Promise<void>;
  /** Stops accepting requests and resolves when running requests are finished. */
  close(): Promise<void>;
}

export async function createHttpServer(parts: HttpParts, settings: HttpSettings): Promise<HttpServer> {
  const app = fastify({
    bodyLimit: settings.maxBodyBytes,
    trustProxy: settings.trustedProxies === undefined ? false : [...settings.trustedProxies],
    schemaController: noSchemas,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: requestId,
    frameworkErrors: handleMalformedUrl,
    routerOptions: { ignoreTrailingSlash: true },
    requestTimeout: settings.requestTimeoutMs,
    // By default Node waits 60 s for headers and checks for late requests every 30 s.
    http: {
      headersTimeout: settings.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, settings.requestTimeoutMs),
    },
  });
  readBodies(app);
  decorateRequests(app);
  returnRequestIds(app);
  handleErrors(app, settings, parts.observe);
  rejectWhileClosing(app);
  observeRequests(app, parts.observe);
  traceRequests(app, parts.trace);
  checkOrigins(app, settings);
  compressResponses(app, settings.compression);
  const { corsOrigins, sendsCors } = settings;
  if (sendsCors && corsOrigins !== undefined) {
    const { default: cors } = await import('@fastify/cors');
    await app.register(cors, corsOptions(corsOrigins));
  }
  healthRoutes(app, parts, settings);
  let stopDirect = (): void => undefined;
  if (settings.apis.has('graphql')) {
    graphqlRoutes(app, parts, settings);
    if (settings.direct) stopDirect = handleDirectly(app, parts, settings);
    explainRoute(app, parts, settings);
    restRoutes(app, parts, settings);
    observeSockets(parts, webSockets(app, parts, settings));
  }
  if (settings.apis.has('metadata')) {
    metadataRoutes(app, parts, settings);
    await importRowsRoute(app, parts, settings);
  }
  if (settings.apis.has('config')) serverConfigRoutes(app, parts, settings);
  if (settings.apis.has('pgdump')) pgDumpRoute(app, parts, settings);
  if (settings.mcp !== undefined && parts.mcp !== undefined) {
    const { mcpRoutes } = await import('./routes/mcp.ts');
    mcpRoutes(app, { toolsets: parts.mcp, observe: parts.observe }, settings, settings.mcp);
  }
  if (settings.docs !== undefined) docsRoutes(app, settings.docs.directory);
  if (settings.console !== undefined) {
    await consoleRoutes(app, settings.console.directory, {
      headerPrefix: settings.session.prefix,
      version: settings.version,
      secretRequired: settings.session.adminSecrets.length > 0,
      ...(settings.consoleSignIn !== undefined && { oidc: { name: settings.consoleSignIn.name } }),
    });
    if (settings.consoleSignIn !== undefined) {
      const { consoleSignInRoutes } = await import('./routes/console-sign-in.ts');
      consoleSignInRoutes(app, settings.consoleSignIn, parts);
    }
  }
  return {
    mount: mountOf(app),
    ready: async () => {
      await app.ready();
    },
    listen: () => app.listen({ host: settings.host, port: settings.port }).catch(explainListenError(settings)),
    ...createDrain(app, stopDirect),
  };
}

function mountOf(app: FastifyInstance): Mount {
  return {
    handle: (request, response) => void app.server.emit('request', request, response),
    upgrade: (request, socket, head) => void app.server.emit('upgrade', request, socket, head),
    post: async (url, body, headers = {}) => {
      const payload = JSON.stringify(body);
      const sent = { 'content-type': 'application/json', ...headers };
      const { statusCode, body: text } = await app.inject({ method: 'POST', url, headers: sent, payload });
      return { status: statusCode, text };
    },
  };
}

/** Milliseconds between counts of the open connections. */
const DRAIN_POLL_MS = 50;

/** @param stopDirect leaves further requests to node:http, whose responses close the connection */
function createDrain(app: FastifyInstance, stopDirect: () => void): Pick<HttpServer, 'drain' | 'close'> {
  let closed: Promise<unknown> | undefined;
  app.addHook('onRequest', (_request, reply, done) => {
    if (closed !== undefined) reply.header('connection', 'close');
    done();
  });
  const connections = (): Promise<number> =>
    new Promise((resolve) => app.server.getConnections((error, count) => resolve(error === null ? count : 0)));
  return {
    drain: async (mostMs) => {
      closed = once(app.server, 'close');
      stopDirect();
      // The method of the HTTP server would also close idle connections, whose clients may be sending a request.
      Server.prototype.close.call(app.server);
      const until = performance.now() + mostMs;
      while (performance.now() < until && (await connections()) > 0) await sleep(DRAIN_POLL_MS);
    },
    close: async () => {
      await app.close();
      // Fastify does not wait for the requests of a server that no longer listens.
      await closed;
    },
  };
}

/** Rethrows an error of `listen` as `invalid-configuration` that names the option to change. */
function explainListenError({ host, port }: HttpSettings): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    const reason = listenErrors[cause.code ?? '']?.(host, port) ?? `cannot listen on ${host}:${port}: ${cause.message}`;
    throw new ServiceError('invalid-configuration', reason, { cause });
  };
}

const listenErrors: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} on ${host} is already in use; stop the process that uses it, or choose another port with --port or JOINERY_PORT (0 takes a free one)`,
  EACCES: (_host, port) =>
    `this user may not listen on port ${port}; choose a port from 1024 on with --port or JOINERY_PORT`,
  EADDRNOTAVAIL: (host) => `this machine has no address ${host}; choose another with --host or JOINERY_HOST`,
  ENOTFOUND: (host) => `the host name ${host} does not resolve; choose another with --host or JOINERY_HOST`,
};

/** Disables Fastify's schema compilers, which are not used and take 100 ms to load. */
const noSchemas = { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } };

function noCompiler(): never {
  throw new Error('routes have no JSON schemas');
}

/** Reads bodies as text. Each endpoint parses its body, with exact numbers and its own error format. */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

function observeSockets({ metrics, subscriber }: HttpParts, sockets: WebSockets): void {
  const { stats } = subscriber;
  metrics.gauge('joinery_websocket_connections', 'Open websockets.', sockets.size);
  metrics.gauge('joinery_subscriptions', 'Live queries and streams that are polled.', () => stats().subscribers);
  metrics.gauge('joinery_live_cohorts', 'Different statements that subscriptions share.', () => stats().cohorts);
  metrics.counter('joinery_live_statements_total', 'Statements of polls since the start.', () => stats().statements);
}

/** Rejects requests on open connections with `busy` once the server is closing. */
function rejectWhileClosing(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    done(isClosing ? new ServiceError('busy', 'the service is shutting down') : undefined);
  });
}

function returnRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}

function observeRequests(app: FastifyInstance, observe: Observe): void {
  app.addHook('onResponse', (request, reply, done) => {
    observe({
      kind: 'request',
      method: request.method,
      path: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      requestId: request.id,
      durationMs: reply.elapsedTime,
      span: request.span,
    });
    done();
  });
}
