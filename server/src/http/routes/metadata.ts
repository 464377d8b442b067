/** `POST /v1/query`, `/v1/metadata` and `/v2/query`: commands as `{ type, args }`. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../auth/session.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { errorBody, ServiceError, toServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import { LARGE_JSON, parseLargeJson } from '../../base/large-json.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { CommandApi, Service } from '../../service/service.ts';
import { authenticateBeforeBody, sessionOfRequest } from '../middleware/authenticate.ts';
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
      parts.observe({ kind: 'refused', error, requestId: request.id, role });
      return send(reply, error.status, errorBody(error, showsInternal(settings, role)));
    };
    const check = api === 'metadata' ? mustBeAdmin : undefined;
    app.post(path, { onRequest: authenticateBeforeBody(settings, reject, check) }, async (request, reply) => {
      const leaving = new Cancellation();
      // Also after the answer, when nobody listens any more.
      reply.raw.once('close', () => leaving.abort());
      try {
        const session = await sessionOfRequest(request, settings);
        const asked = { signal: leaving, span: request.span, address: request.ip, requestId: request.id };
        return send(reply, 200, await parts.service.command(await readBody(request), session, api, asked));
      } catch (thrown) {
        return reject(request, reply, thrown);
      }
    });
  }
}

/** No command of `/v1/metadata` is for other roles. */
function mustBeAdmin({ role }: Session): void {
  if (role === ADMIN_ROLE) return;
  throw new ServiceError('access-denied', 'restricted access : admin only', { status: 400, path: '$.args' });
}

/** The body as JSON. Rejects with `invalid-json`. */
export async function readBody(request: FastifyRequest): Promise<unknown> {
  const text = typeof request.body === 'string' ? request.body : '';
  try {
    return text.length < LARGE_JSON ? parseJson(text) : await parseLargeJson(text);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError(
      'invalid-json',
      text === '' ? 'the request body is empty' : `the request body is not JSON: ${problem}`,
    );
  }
}

function send(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(printJson(body));
}
