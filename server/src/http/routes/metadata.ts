/** `POST /v1/query`, `/v1/metadata` and `/v2/query`: commands as `{ type, args }`. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../auth/author.ts';
import type { Session } from '../../auth/session.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { errorBody, ServiceError, toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { CommandApi, Service } from '../../service/service.ts';
import { readBody } from '../body.ts';
import { authenticateBeforeBody, sendCookies, sessionOfRequest } from '../middleware/authenticate.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';

const endpoints: readonly (readonly [path: string, api: CommandApi])[] = [
  ['/v1/query', 'v1'],
  ['/v1/metadata', 'metadata'],
  ['/v2/query', 'query'],
];

export interface MetadataParts {
  readonly service: Pick<Service, 'command'>;
  readonly observe: Observe;
}

export function metadataRoutes(app: FastifyInstance, parts: MetadataParts, settings: HttpSettings): void {
  for (const [path, api] of endpoints) {
    const reject = (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => {
      const role = request.session?.role;
      const error = toServiceError(thrown);
      parts.observe({ kind: 'refused', error, requestId: request.id, role, span: request.span });
      return send(reply, error.status, errorBody(error, showsInternal(settings, role)));
    };
    const check = api === 'metadata' ? mustBeAdmin : undefined;
    app.post(path, { onRequest: authenticateBeforeBody(settings, reject, check) }, async (request, reply) => {
      const closed = new Cancellation();
      // The event is also emitted after the response, when aborting has no effect.
      reply.raw.once('close', () => closed.abort());
      try {
        const session = await sessionOfRequest(request, settings);
        const author = authorOf(request.headers, session, settings.session);
        const context = { signal: closed, span: request.span, address: request.ip, requestId: request.id, author };
        const result = await parts.service.command(await readBody(request), session, api, context);
        sendCookies(reply, session);
        return send(reply, 200, result);
      } catch (thrown) {
        return reject(request, reply, thrown);
      }
    });
  }
}

/** Every command of `/v1/metadata` requires the admin role. */
function mustBeAdmin({ role }: Session): void {
  if (role === ADMIN_ROLE) return;
  throw new ServiceError('access-denied', 'restricted access : admin only', { status: 400, path: '$.args' });
}

function send(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(printJson(body));
}
