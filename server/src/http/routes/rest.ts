/** `/api/rest/...`: REST endpoints of stored operations. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Cancellation } from '../../base/cancellation.ts';
import { errorBody, ServiceError, toServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Rest, RestRequest } from '../../service/rest/endpoints.ts';
import { readBody } from '../body.ts';
import { authenticateBeforeBody, sendCookies, sessionOfRequest } from '../middleware/authenticate.ts';
import { sendTagged } from '../middleware/entity-tags.ts';
import { hasCookieSession } from '../middleware/request-origin.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';

const prefix = '/api/rest/';
const json = 'application/json; charset=utf-8';

export interface RestParts {
  readonly rest: Rest;
  readonly observe: Observe;
}

export function restRoutes(app: FastifyInstance, { rest, observe }: RestParts, settings: HttpSettings): void {
  const reject = (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => {
    const role = request.session?.role;
    const error = toServiceError(thrown);
    observe({ kind: 'refused', error, requestId: request.id, role, span: request.span });
    return send(reply, error, showsInternal(settings, role));
  };
  app.get('/api/swagger/json', async (request, reply) => {
    try {
      const session = await settings.authenticate(request.headers);
      const document = JSON.stringify(rest.describe(session));
      sendCookies(reply, session);
      return reply.type(json).send(document);
    } catch (thrown) {
      const error = toServiceError(thrown);
      observe({ kind: 'refused', error, requestId: request.id, span: request.span });
      return send(reply, error, false);
    }
  });
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: `${prefix}*`,
    onRequest: authenticateBeforeBody(settings, reject),
    handler: async (request, reply) => {
      const closed = new Cancellation();
      reply.raw.once('close', () => closed.abort());
      try {
        const session = await sessionOfRequest(request, settings);
        const response = await rest.respond(await restRequest(request, settings), {
          session,
          headers: request.headers,
          signal: closed,
          requestId: request.id,
          showInternal: showsInternal(settings, session.role),
          address: request.ip,
          queriesOnly: false,
          span: request.span,
        });
        sendCookies(reply, session);
        for (const [name, value] of response.headers) reply.header(name, value);
        return sendTagged(request, reply.type(json), response.body);
      } catch (thrown) {
        return reject(request, reply, thrown);
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

/** Reads the undecoded path, so that `%2F` in a value is not a separator. */
async function restRequest(request: FastifyRequest, settings: HttpSettings): Promise<RestRequest> {
  const [path = '', search = ''] = (request.raw.url ?? '').split('?', 2);
  const parameters = new URLSearchParams(search);
  return {
    method: request.method,
    segments: path.slice(prefix.length).split('/').map(decoded),
    query: valuesByName(parameters),
    // Older browsers do not send the origin of such a request.
    mayBeForged: request.method === 'GET' && request.sender === 'none' && hasCookieSession(request.headers, settings),
    ...(await bodyOf(request)),
  };
}

/** Largest form in characters. Forms are parsed synchronously, unlike large JSON. */
const LONGEST_FORM = 262_144;

/** Returns the values of each name in order. */
function valuesByName(parameters: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of parameters) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ServiceError('bad-request', `the path holds "${segment}", which is not valid URL encoding`);
  }
}

async function bodyOf(request: FastifyRequest): Promise<Pick<RestRequest, 'body' | 'form'>> {
  if (typeof request.body !== 'string' || request.body === '') return { body: {}, form: false };
  if (request.headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded')) {
    if (request.body.length > LONGEST_FORM) {
      throw new ServiceError('payload-too-large', `a form has at most ${LONGEST_FORM} characters; send JSON instead`);
    }
    return { body: Object.fromEntries(valuesByName(new URLSearchParams(request.body))), form: true };
  }
  const body = await readBody(request);
  // Some clients send null in place of no body.
  if (body === null) return { body: {}, form: false };
  if (!isJsonObject(body)) {
    throw new ServiceError('parse-failed', 'the body must be a JSON object whose members are variables');
  }
  return { body, form: false };
}
