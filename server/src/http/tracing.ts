/** The span of each HTTP request: it continues the caller's trace, and what the request causes is within it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Trace } from '../base/trace.ts';

export function traceRequests(app: FastifyInstance, trace: Trace): void {
  if (!trace.on) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  // After the body was read, whose events come from elsewhere and would lose the flow.
  app.addHook('preHandler', (request, _reply, done) => {
    const path = request.routeOptions.url ?? 'unknown';
    const attributes = {
      'http.request.method': request.method,
      'http.route': path,
      'url.path': request.url.split('?')[0],
      'joinery.request_id': request.id,
    };
    const span = trace.start(`${request.method} ${path}`, { kind: 'server', attributes, from: request.headers });
    spans.set(request, span);
    span.run(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.set('http.response.status_code', reply.statusCode);
    span?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
    done();
  });
}
