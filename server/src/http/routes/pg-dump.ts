/** `POST /v1alpha1/pg_dump`: the SQL that `pg_dump` prints for the database of a source, for admins. */
import type { FastifyInstance } from 'fastify';
import { Cancellation } from '../../base/cancellation.ts';
import type { PgDump } from '../../service/pg-dump/pg-dump.ts';
import { readBody } from '../body.ts';
import type { HttpSettings } from '../settings.ts';
import { type AdminParts, adminRoute } from './admin-route.ts';

export function pgDumpRoute(
  app: FastifyInstance,
  parts: AdminParts & { pgDump: PgDump },
  settings: HttpSettings,
): void {
  const { onRequest, respond } = adminRoute(parts, settings);
  app.post('/v1alpha1/pg_dump', { onRequest }, (request, reply) =>
    respond(request, reply, async () => {
      const closed = new Cancellation();
      reply.raw.once('close', () => closed.abort());
      const sql = await parts.pgDump.dump(await readBody(request), closed);
      return reply.type('application/sql; charset=utf-8').send(sql);
    }),
  );
}
