/** Authentication and errors of endpoints for admins. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../auth/session.ts';
import { errorBody, ServiceError, toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { authenticateBeforeBody, sessionOfRequest } from '../middleware/authenticate.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';

export interface AdminParts {
  readonly observe: Observe;
}

interface AdminRoute {
  readonly onRequest: ReturnType<typeof authenticateBeforeBody>;
  /** Runs `send` for an admin, and sends an error otherwise. */
  respond(request: FastifyRequest, reply: FastifyReply, send: () => Promise<FastifyReply>): Promise<FastifyReply>;
}

export function adminRoute({ observe }: AdminParts, settings: HttpSettings): AdminRoute {
  const reject = (request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply => {
    const role = request.session?.role;
    const error = toServiceError(thrown);
    observe({ kind: 'refused', error, requestId: request.id, role, span: request.span });
    const body = printJson(errorBody(error, showsInternal(settings, role)));
    return reply.code(error.status).type('application/json; charset=utf-8').send(body);
  };
  return {
    onRequest: authenticateBeforeBody(settings, reject, mustBeAdmin),
    respond: async (request, reply, send) => {
      try {
        mustBeAdmin(await sessionOfRequest(request, settings));
        return await send();
      } catch (thrown) {
        return reject(request, reply, thrown);
      }
    },
  };
}

function mustBeAdmin({ role }: Session): void {
  if (role === ADMIN_ROLE) return;
  throw new ServiceError('access-denied', 'You have to be an admin to access this endpoint', { status: 400 });
}
