/** Liveness, readiness, version and metrics. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { sameSecret } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Metrics } from '../../base/telemetry/metrics.ts';
import type { Inconsistency } from '../../model/types/inconsistency.ts';
import { isBroken } from '../../model/types/inconsistency.ts';
import type { HttpSettings } from '../settings.ts';

export interface Health {
  /** Returns the names of components that are not ready; empty if requests can be served. Resolves within seconds. */
  unreadyReasons(): Promise<readonly string[]>;
}

interface HealthParts {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly service: { model(): { readonly inconsistencies: readonly Inconsistency[] } };
}

/** Options of the routes that monitors request. */
const probe = { config: { isProbe: true } } as const;

export function healthRoutes(app: FastifyInstance, parts: HealthParts, settings: HttpSettings): void {
  const health: RouteHandlerMethod = (request, reply) => {
    const broken = parts.service.model().inconsistencies.filter(isBroken).length;
    if (broken === 0) return reply.type('text/plain').send('OK');
    const strict = (request.query as { strict?: string }).strict === 'true';
    return reply
      .code(strict ? 500 : 200)
      .type('text/plain')
      .send(`${strict ? 'ERROR' : 'WARN'}: ${broken} inconsistent metadata objects; see get_inconsistent_metadata`);
  };
  app.get('/healthz', probe, health);
  app.get('/hasura/healthz', probe, health);
  app.get('/readyz', probe, async (_request, reply) => {
    const waiting = await parts.health.unreadyReasons();
    return reply.code(waiting.length === 0 ? 200 : 503).send({ ready: waiting.length === 0, waiting_for: waiting });
  });
  app.get('/v1/version', probe, () => versionOf(settings));
  app.get('/metrics', probe, async (request, reply) => {
    if (settings.metricsSecret !== undefined && !isBearer(request.headers.authorization, settings.metricsSecret)) {
      throw new ServiceError(
        'access-denied',
        'the metrics are read with "Authorization: Bearer <JOINERY_METRICS_SECRET>"',
      );
    }
    const { text, contentType } = await parts.metrics.read();
    return reply.type(contentType).send(text);
  });
}

/** With a reported version, the response is that of Hasura v2 with the version of the service beside it. */
function versionOf({ version, reportVersion }: HttpSettings) {
  return reportVersion === undefined
    ? { server_type: 'joinery', version }
    : { version: reportVersion, server_type: 'ce', joinery_version: version };
}

function isBearer(authorization: string | undefined, secret: string): boolean {
  return authorization !== undefined && sameSecret(authorization, `Bearer ${secret}`);
}
