/** `/api/rest/...`: REST endpoints of stored operations. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../auth/session.ts';
import { Cancellation } from '../base/cancellation.ts';
import { errorBody, ServiceError, toServiceError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import type { Rest, RestRequest } from '../service/rest.ts';
import { sendTagged } from './entity-tags.ts';
import { readBody } from './metadata.ts';
import { type HttpSettings, showsInternal } from './settings.ts';

const prefix = '/api/rest/';
const json = 'application/json; charset=utf-8';

export interface RestParts {
  readonly rest: Rest;
  readonly observe: Observe;
}

export function restRoutes(app: FastifyInstance, { rest, observe }: RestParts, settings: HttpSettings): void {
  app.get('/api/swagger/json', async (request, reply) => {
    try {
      return reply.type(json).send(JSON.stringify(rest.describe(await settings.authenticate(request.headers))));
    } catch (thrown) {
      const error = toServiceError(thrown);
      observe({ kind: 'refused', error, requestId: request.id });
      return send(reply, error, false);
    }
  });
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: `${prefix}*`,
    handler: async (request, reply) => {
      const leaving = new Cancellation();
      reply.raw.once('close', () => leaving.abort());
      let session: Session | undefined;
      try {
        session = await settings.authenticate(request.headers, undefined, request.span);
        const answer = await rest.answer(restRequest(request), {
          session,
          headers: request.headers,
          signal: leaving,
          requestId: request.id,
          showInternal: showsInternal(settings, session.role),
          address: request.ip,
          queriesOnly: false,
          span: request.span,
        });
        for (const [name, value] of answer.headers) reply.header(name, value);
        return sendTagged(request, reply.type(json), answer.body);
      } catch (thrown) {
        const error = toServiceError(thrown);
        observe({ kind: 'refused', error, requestId: request.id, role: session?.role });
        return send(reply, error, showsInternal(settings, session?.role));
      }
    },
  });
}

function send(reply: FastifyReply, error: ServiceError, showInternal: boolean): FastifyReply {
  return reply
    .code(error.status)
    .type(json)
    .send(JSON.stringify(errorBody(error, showInternal)));
}

/** The path is read as it was sent: a slash in a value is written `%2F`, and stays one. */
function restRequest(request: FastifyRequest): RestRequest {
  const [path = '', search = ''] = (request.raw.url ?? '').split('?', 2);
  const parameters = new URLSearchParams(search);
  return {
    method: request.method,
    segments: path.slice(prefix.length).split('/').map(decoded),
    query: new Map([...parameters.keys()].map((name) => [name, parameters.getAll(name)])),
    ...bodyOf(request),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ServiceError('bad-request', `the path holds "${segment}", which is not URL-encoded as it should be`);
  }
}

function bodyOf(request: FastifyRequest): Pick<RestRequest, 'body' | 'form'> {
  if (typeof request.body !== 'string' || request.body === '') return { body: {}, form: false };
  if (request.headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded')) {
    const fields = new URLSearchParams(request.body);
    return { body: Object.fromEntries([...fields.keys()].map((name) => [name, fields.getAll(name)])), form: true };
  }
  const body = readBody(request);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ServiceError('parse-failed', 'the body must be a JSON object whose members are variables');
  }
  return { body: body as Readonly<Record<string, unknown>>, form: false };
}
