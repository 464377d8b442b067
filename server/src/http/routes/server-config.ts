/** `GET /v1alpha1/config` and `/v1/config`: settings that the command line tool and the console of Hasura v2 read, for admins. */
import type { FastifyInstance } from 'fastify';
import type { HttpSettings } from '../settings.ts';
import { type AdminParts, adminRoute } from './admin-route.ts';

export function serverConfigRoutes(app: FastifyInstance, parts: AdminParts, settings: HttpSettings): void {
  const { onRequest, respond } = adminRoute(parts, settings);
  for (const path of ['/v1alpha1/config', '/v1/config']) {
    app.get(path, { onRequest }, (request, reply) =>
      respond(request, reply, async () => reply.send(settings.serverConfig)),
    );
  }
}
