/** A span for each HTTP request that continues the caller's trace. */
import type { FastifyInstance } from 'fastify';
import type { Span, Trace } from '../../base/telemetry/trace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if tracing is off. */
    span: Span | undefined;
  }
}

/** Endpoints that monitors request every few seconds. They have no spans. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function traceRequests(app: FastifyInstance, trace: Trace): void {
  app.decorateRequest('span', undefined);
  const kind = { kind: 'server' } as const;
  app.addHook('onRequest', (request, _reply, done) => {
    if (!trace.on) return done();
    const path = request.routeOptions.url ?? 'unknown';
    if (probes.has(path)) return done();
    const span = trace.start(`${request.method} ${path}`, kind, request.headers);
    request.span = span;
    if (span.recorded) {
      span.set('http.request.method', request.method);
      span.set('http.route', path);
      span.set('url.path', request.url.split('?')[0] ?? '');
      span.set('joinery.request_id', request.id);
    }
    done();
  });
  app.addHook('onResponse', ({ span }, reply, done) => {
    span?.set('http.response.status_code', reply.statusCode);
    span?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
    done();
  });
}
