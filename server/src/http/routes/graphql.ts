/** GraphQL over HTTP: POST with one request or a batch, GET for queries, and the media types of the specification. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { Cancellation } from '../../base/cancellation.ts';
import { graphqlError, ServiceError, toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { GraphQLHandler, GraphQLResponse } from '../../service/graphql/handler.ts';
import type { PersistedQueries } from '../../service/graphql/persisted-queries.ts';
import type { GraphQLCaller } from '../../service/graphql/run-operation.ts';
import { fromQueryString, toRequest } from '../graphql-request.ts';
import { authenticateBeforeBody, sessionOfRequest } from '../middleware/authenticate.ts';
import { sendTagged } from '../middleware/entity-tags.ts';
import { isJson, mediaType } from '../middleware/request-origin.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';
import { readBody } from './metadata.ts';

const specified = 'application/graphql-response+json';

export interface GraphQLParts {
  readonly graphql: GraphQLHandler;
  readonly persisted: PersistedQueries;
  readonly observe: Observe;
}

export function graphqlRoutes(app: FastifyInstance, parts: GraphQLParts, settings: HttpSettings): void {
  const { graphql } = parts;
  const post = (statuses: Statuses) => (request: FastifyRequest, reply: FastifyReply) =>
    respond(
      parts,
      settings,
      request,
      reply,
      async (caller) => answerBody(parts, await jsonOf(request), caller),
      statuses,
    );
  app.post('/v1/graphql', authenticated(parts, settings, 'asked'), post('asked'));
  // Older clients of the reference know this one, which has always told its failures by status.
  app.post('/v1alpha1/graphql', authenticated(parts, settings, 'real'), post('real'));
  app.get('/v1/graphql', (request, reply) =>
    respond(parts, settings, request, reply, (caller) =>
      graphql.respond(fromQueryString(request.query as Readonly<Record<string, unknown>>, parts.persisted), {
        ...caller,
        queriesOnly: true,
      }),
    ),
  );
}

/** Are failures told by the status of HTTP: always, or to clients that ask for the media type of the specification? */
type Statuses = 'asked' | 'real';

/** Route options: authentication before the body is read, where it does not depend on the body. */
function authenticated(parts: GraphQLParts, settings: HttpSettings, statuses: Statuses): RouteShorthandOptions {
  if (settings.authenticatesByBody) return {};
  return { onRequest: authenticateBeforeBody(settings, rejectRequest(parts, settings, statuses)) };
}

/** Sends the response for an error that a request has before its body is read. */
export function rejectRequest(
  parts: GraphQLParts,
  settings: HttpSettings,
  statuses: Statuses = 'asked',
): (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => void {
  return (request, reply, thrown) => {
    const role = request.session?.role;
    const error = toServiceError(thrown);
    parts.observe({ kind: 'refused', error, requestId: request.id, role });
    sendAnswer(request, reply, failed(error, showsInternal(settings, role)), statuses, isMalformed(error));
  };
}

/** Runs `answer` for the caller and sends what comes of it. */
export async function respond(
  parts: GraphQLParts,
  settings: HttpSettings,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: (caller: GraphQLCaller) => Promise<GraphQLResponse>,
  statuses: Statuses = 'asked',
): Promise<FastifyReply> {
  const leaving = new Cancellation();
  // Also after the answer, when nobody listens any more.
  reply.raw.once('close', () => leaving.abort());
  let role: string | undefined;
  let answered: GraphQLResponse;
  let malformed = false;
  try {
    const body = typeof request.body === 'string' ? request.body : undefined;
    const admitted = sessionOfRequest(request, settings, body);
    const session = admitted instanceof Promise ? await admitted : admitted;
    role = session.role;
    answered = await answer({
      session,
      headers: request.headers,
      signal: leaving,
      requestId: request.id,
      showInternal: showsInternal(settings, role),
      address: request.ip,
      queriesOnly: false,
      span: request.span,
    });
  } catch (thrown) {
    const error = toServiceError(thrown);
    parts.observe({ kind: 'refused', error, requestId: request.id, role });
    malformed = isMalformed(error);
    answered = failed(error, showsInternal(settings, role));
  }
  return sendAnswer(request, reply, answered, statuses, malformed);
}

function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answered: GraphQLResponse,
  statuses: Statuses,
  malformed: boolean,
): FastifyReply {
  const speaksSpecified = request.headers.accept?.includes(specified) === true;
  reply.code(speaksSpecified || malformed || statuses === 'real' ? answered.status : 200);
  reply.header('content-type', speaksSpecified ? `${specified}; charset=utf-8` : 'application/json; charset=utf-8');
  for (const [name, value] of answered.headers) reply.header(name, value);
  return sendTagged(request, reply, answered.body);
}

/** No client of the reference sends what is no GraphQL request at all, so that nobody expects 200 for it. */
function isMalformed({ code }: ServiceError): boolean {
  return code === 'invalid-json' || code === 'parse-failed' || code === 'bad-request';
}

function failed(error: ServiceError, showInternal: boolean): GraphQLResponse {
  return { status: error.status, body: printJson({ errors: [graphqlError(error, showInternal)] }), headers: [] };
}

/**
 * The body as JSON. Browsers ask the server before they send JSON to another site, and send plain text or forms without
 * asking: what they could be made to send is refused, what `curl -d` sends is let pass.
 */
function jsonOf(request: FastifyRequest): Promise<unknown> {
  const type = mediaType(request.headers);
  if (type.startsWith('multipart/')) {
    throw new ServiceError('bad-request', 'file uploads (multipart) are not offered; send JSON', { status: 415 });
  }
  const byHand = type === 'application/x-www-form-urlencoded' && request.headers.origin === undefined;
  if (!byHand && !isJson(type)) {
    const found = type === '' ? 'there is none' : `not ${type}`;
    throw new ServiceError('bad-request', `the content type must be application/json, ${found}`, { status: 415 });
  }
  return readBody(request);
}

function answerBody(parts: GraphQLParts, body: unknown, caller: GraphQLCaller): Promise<GraphQLResponse> {
  if (Array.isArray(body)) return answerBatch(parts, body, caller);
  return parts.graphql.respond(toRequest(body, parts.persisted), caller);
}

async function answerBatch(
  { graphql, persisted }: GraphQLParts,
  body: readonly unknown[],
  caller: GraphQLCaller,
): Promise<GraphQLResponse> {
  const requests = body.map((one) => toRequest(one, persisted));
  const answers = await graphql.respondToBatch(requests, caller);
  return {
    status: 200,
    body: `[${answers.map((answer) => answer.body).join(',')}]`,
    headers: answers.flatMap((answer) => answer.headers),
  };
}
