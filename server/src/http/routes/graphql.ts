/** GraphQL over HTTP: POST with one request or a batch, GET for queries, and the media types of the specification. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { Cancellation } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import type { GraphQLResponse } from '../../service/graphql/handler.ts';
import type { GraphQLCaller } from '../../service/graphql/run-operation.ts';
import { readBody } from '../body.ts';
import {
  type ExchangeResponse,
  type GraphQLParts,
  rejection,
  respondToBody,
  runExchange,
  type Statuses,
} from '../graphql-exchange.ts';
import { fromQueryString } from '../graphql-request.ts';
import { authenticateBeforeBody } from '../middleware/authenticate.ts';
import { sendTagged } from '../middleware/entity-tags.ts';
import { mediaType } from '../middleware/request-origin.ts';
import type { HttpSettings } from '../settings.ts';

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

/** Route options: authentication before the body is read, where it does not depend on the body. */
function authenticated(parts: GraphQLParts, settings: HttpSettings, statuses: Statuses): RouteShorthandOptions {
  if (settings.authenticatesByBody) return {};
  return { onRequest: authenticateBeforeBody(settings, rejectRequest(parts, settings, statuses)) };
}

/** Sends the response for an error that a request has before its body is read. */
export function rejectRequest(
  { observe }: Pick<GraphQLParts, 'observe'>,
  settings: HttpSettings,
  statuses: Statuses = 'negotiated',
): (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => void {
  return (request, reply, thrown) => {
    const { id: requestId, headers, session, span } = request;
    send(
      request,
      reply,
      rejection({ observe }, settings, { requestId, headers, span }, session?.role, thrown, statuses),
    );
  };
}

/** Runs `run` for the caller and sends the response. */
export async function respond(
  parts: Pick<GraphQLParts, 'observe'>,
  settings: HttpSettings,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (caller: GraphQLCaller) => Promise<GraphQLResponse>,
  statuses: Statuses = 'negotiated',
): Promise<FastifyReply> {
  const closed = new Cancellation();
  // The event is also emitted after the response, when aborting has no effect.
  reply.raw.once('close', () => closed.abort());
  const { headers, id, ip: address, span, session } = request;
  const text = typeof request.body === 'string' ? request.body : undefined;
  const exchange = { headers, requestId: id, address, span, session, text, signal: closed };
  return send(request, reply, await runExchange(parts, settings, exchange, run, statuses));
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: ExchangeResponse): FastifyReply {
  reply.code(status);
  // Fastify appends values of `set-cookie`.
  for (const [name, value] of headers) reply.header(name, value);
  return sendTagged(request, reply, body);
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
