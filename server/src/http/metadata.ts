/** `POST /v1/query`, `/v1/metadata` and `/v2/query`: commands as `{ type, args }`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../auth/session.ts';
import { Cancellation } from '../base/cancellation.ts';
import { errorBody, ServiceError, toServiceError } from '../base/errors.ts';
import { parseJson, printJson } from '../base/json.ts';
import type { Observe } from '../base/observe.ts';
import type { CommandApi, Service } from '../service/service.ts';
import { type HttpSettings, showsInternal } from './settings.ts';

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
    app.post(path, async (request, reply) => {
      let session: Session | undefined;
      const leaving = new Cancellation();
      // Also after the answer, when nobody listens any more.
      reply.raw.once('close', () => leaving.abort());
      try {
        session = await settings.authenticate(request.headers, undefined, request.span);
        const asked = { signal: leaving, span: request.span };
        return send(reply, 200, await parts.service.command(readBody(request), session, api, asked));
      } catch (thrown) {
        const error = toServiceError(thrown);
        parts.observe({ kind: 'refused', error, requestId: request.id, role: session?.role });
        return send(reply, error.status, errorBody(error, showsInternal(settings, session?.role)));
      }
    });
  }
}

/** The body as JSON. Throws `invalid-json`. */
export function readBody(request: FastifyRequest): unknown {
  const text = typeof request.body === 'string' ? request.body : '';
  try {
    return parseJson(text);
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
