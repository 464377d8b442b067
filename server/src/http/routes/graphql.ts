/** GraphQL over HTTP: POST with one request or a batch, GET for queries, and the media types of the specification. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { Cancellation } from '../../base/cancellation.ts';
import { graphqlError, ServiceError, toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { GraphQLHandler, GraphQLResponse } from '../../service/graphql/handler.ts';
import type { PersistedQueries } from '../../service/graphql/persisted-queries.ts';
import type { GraphQLCaller } from '../../service/graphql/run-operation.ts';
import { readBody } from '../body.ts';
import { fromQueryString, toRequest } from '../graphql-request.ts';
import { authenticateBeforeBody, sendCookies, sessionOfRequest } from '../middleware/authenticate.ts';
import { sendTagged } from '../middleware/entity-tags.ts';
import { mediaType } from '../middleware/request-origin.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';

const specified = 'application/graphql-response+json';

export interface GraphQLParts {
  readonly graphql: GraphQLHandler;
  readonly persisted: PersistedQueries;
  readonly observe: Observe;
}

export function graphqlRoutes(app: FastifyInstance, parts: GraphQLParts, settings: HttpSettings): void {
  const { graphql } = parts;
  const post = (statuses: Statuses, relay?: true) => (request: FastifyRequest, reply: FastifyReply) =>
    respond(
      parts,
      settings,
      request,
      reply,
      async (caller) => respondToBody(parts, await jsonOf(request), relay ? { ...caller, relay } : caller),
      statuses,
    );
  app.post('/v1/graphql', authenticated(parts, settings, 'negotiated'), post('negotiated'));
  // Older clients of Hasura v2 use this endpoint, which reports errors by the HTTP status.
  app.post('/v1alpha1/graphql', authenticated(parts, settings, 'always'), post('always'));
  if (settings.relay) {
    app.post('/v1beta1/relay', authenticated(parts, settings, 'negotiated'), post('negotiated', true));
  }
  app.get('/v1/graphql', (request, reply) =>
    respond(parts, settings, request, reply, (caller) =>
      graphql.respond(fromQueryString(request.query as Readonly<Record<string, unknown>>, parts.persisted), {
        ...caller,
        queriesOnly: true,
      }),
    ),
  );
}

/** When errors set the HTTP status: always, or for clients that accept the media type of the specification. */
type Statuses = 'negotiated' | 'always';

/** Route options: authentication before the body is read, where it does not depend on the body. */
function authenticated(parts: GraphQLParts, settings: HttpSettings, statuses: Statuses): RouteShorthandOptions {
  if (settings.authenticatesByBody) return {};
  return { onRequest: authenticateBeforeBody(settings, rejectRequest(parts, settings, statuses)) };
}

/** Sends the response for an error that a request has before its body is read. */
export function rejectRequest(
  parts: GraphQLParts,
  settings: HttpSettings,
  statuses: Statuses = 'negotiated',
): (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => void {
  return (request, reply, thrown) => {
    const role = request.session?.role;
    const error = toServiceError(thrown);
    parts.observe({ kind: 'refused', error, requestId: request.id, role });
    sendResponse(request, reply, failed(error, showsInternal(settings, role)), statuses, hasStatus(error, settings));
  };
}

/** Runs `run` for the caller and sends the response. */
export async function respond(
  parts: GraphQLParts,
  settings: HttpSettings,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (caller: GraphQLCaller) => Promise<GraphQLResponse>,
  statuses: Statuses = 'negotiated',
): Promise<FastifyReply> {
  const closed = new Cancellation();
  // The event is also emitted after the response, when aborting has no effect.
  reply.raw.once('close', () => closed.abort());
  let role: string | undefined;
  let response: GraphQLResponse;
  let keepsStatus = false;
  try {
    const body = typeof request.body === 'string' ? request.body : undefined;
    const admitted = sessionOfRequest(request, settings, body);
    const session = admitted instanceof Promise ? await admitted : admitted;
    role = session.role;
    response = await run({
      session,
      headers: request.headers,
      signal: closed,
      requestId: request.id,
      showInternal: showsInternal(settings, role),
      address: request.ip,
      queriesOnly: false,
      span: request.span,
    });
    if (response.status === 200) sendCookies(reply, session);
  } catch (thrown) {
    const error = toServiceError(thrown);
    parts.observe({ kind: 'refused', error, requestId: request.id, role });
    keepsStatus = hasStatus(error, settings);
    response = failed(error, showsInternal(settings, role));
  }
  return sendResponse(request, reply, response, statuses, keepsStatus);
}

function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  response: GraphQLResponse,
  statuses: Statuses,
  keepsStatus: boolean,
): FastifyReply {
  const acceptsSpecified = request.headers.accept?.includes(specified) === true;
  reply.code(acceptsSpecified || keepsStatus || statuses === 'always' ? response.status : 200);
  reply.header('content-type', acceptsSpecified ? `${specified}; charset=utf-8` : 'application/json; charset=utf-8');
  for (const [name, value] of response.headers) reply.header(name, value);
  return sendTagged(request, reply, response.body);
}

/**
 * Whether every client gets the status of the error: clients of Hasura v2 expect 200, except where the request is not a
 * GraphQL request at all, and for 401 where the settings preserve it.
 */
function hasStatus({ code, status }: ServiceError, { preserves401 }: HttpSettings): boolean {
  if (preserves401 && status === 401) return true;
  return code === 'invalid-json' || code === 'parse-failed' || code === 'bad-request';
}

function failed(error: ServiceError, showInternal: boolean): GraphQLResponse {
  return { status: error.status, body: printJson({ errors: [graphqlError(error, showInternal)] }), headers: [] };
}

/**
 * Reads the body as JSON, whatever its content type: `fetch` without headers sends `text/plain`. Pages of other origins must
 * name JSON (`http/middleware/request-origin.ts`), because browsers send other types to them without a preflight.
 */
function jsonOf(request: FastifyRequest): Promise<unknown> {
  if (mediaType(request.headers).startsWith('multipart/')) {
    throw new ServiceError('bad-request', 'file uploads (multipart) are not supported; send JSON', { status: 415 });
  }
  return readBody(request);
}

function respondToBody(parts: GraphQLParts, body: unknown, caller: GraphQLCaller): Promise<GraphQLResponse> {
  if (Array.isArray(body)) return respondToBatch(parts, body, caller);
  return parts.graphql.respond(toRequest(body, parts.persisted), caller);
}

async function respondToBatch(
  { graphql, persisted }: GraphQLParts,
  body: readonly unknown[],
  caller: GraphQLCaller,
): Promise<GraphQLResponse> {
  const requests = body.map((one) => toRequest(one, persisted));
  const responses = await graphql.respondToBatch(requests, caller);
  return {
    status: 200,
    body: `[${responses.map((response) => response.body).join(',')}]`,
    headers: responses.flatMap((response) => response.headers),
  };
}
