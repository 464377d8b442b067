/** The span of each HTTP request: it continues the caller's trace, and what the request causes is within it. */
import type { FastifyInstance } from 'fastify';
import type { Span, Trace } from '../base/trace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where nothing is traced. */
    span: Span | undefined;
  }
}

export function traceRequests(app: FastifyInstance, trace: Trace): void {
  app.decorateRequest('span', undefined);
  if (!trace.on) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const path = request.routeOptions.url ?? 'unknown';
    const attributes = {
      'http.request.method': request.method,
      'http.route': path,
      'url.path': request.url.split('?')[0],
      'joinery.request_id': request.id,
    };
    request.span = trace.start(`${request.method} ${path}`, { kind: 'server', attributes }, request.headers);
    done();
  });
  app.addHook('onResponse', ({ span }, reply, done) => {
    span?.set('http.response.status_code', reply.statusCode);
    span?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
    done();
  });
}
