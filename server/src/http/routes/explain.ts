/** `POST /v1/graphql/explain`: the plan of a request, for admins, optionally as another user. */

import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { FastifyInstance } from 'fastify';
import { sessionOfUser } from '../../auth/acting-user.ts';
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import type { ExplainForm } from '../../service/graphql/handler.ts';
import { readBody } from '../body.ts';
import type { GraphQLParts } from '../graphql-exchange.ts';
import { toRequest } from '../graphql-request.ts';
import { authenticateBeforeBody } from '../middleware/authenticate.ts';
import type { HttpSettings } from '../settings.ts';
import { rejectRequest, respond } from './graphql.ts';

/** The body is a GraphQL request, or `{ query: <request>, user: { "x-service-role": ..., ... }, is_relay: false }`. */
export function explainRoute(app: FastifyInstance, parts: GraphQLParts, settings: HttpSettings): void {
  const onRequest = authenticateBeforeBody(settings, rejectRequest(parts, settings), mustBeAdmin);
  app.post('/v1/graphql/explain', { onRequest }, (request, reply) =>
    respond(parts, settings, request, reply, async (caller) => {
      const body = await readBody(request);
      const form = formOf(body);
      if (!isWrapped(body)) return parts.graphql.explain(toRequest(body), caller, form);
      const session =
        body.user === undefined ? caller.session : sessionOfUser(body.user, settings.session.prefix, '$.user');
      return parts.graphql.explain(toRequest(body.query), { ...caller, session, relay: body.is_relay === true }, form);
    }),
  );
}

function mustBeAdmin({ role }: Session): void {
  if (role === ADMIN_ROLE) return;
  throw new ServiceError('access-denied', 'only an admin may request plans', { status: 400 });
}

/** Reads the options beside the request: `"format": "tree"` with `"plan": true` or `"analyze": true`. */
function formOf(body: unknown): ExplainForm {
  const { format = 'list', plan = false, analyze = false } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (format !== 'list' && format !== 'tree') {
    throw new ServiceError('parse-failed', '"format" is "list" or "tree"', { path: '$.format' });
  }
  for (const [name, value] of Object.entries({ plan, analyze })) {
    if (typeof value === 'boolean') continue;
    throw new ServiceError('parse-failed', `"${name}" is true or false`, { path: `$.${name}` });
  }
  return { format, plan: analyze === true ? 'analyze' : plan === true ? 'json' : 'none' };
}

function isWrapped(
  body: unknown,
): body is { readonly query: object; readonly user?: unknown; readonly is_relay?: unknown } {
  return typeof body === 'object' && body !== null && 'query' in body && typeof body.query === 'object';
}
