/** A span for each HTTP request that continues the caller's trace. */
import type { FastifyInstance } from 'fastify';
import type { CarrierHeaders, Span, Trace } from '../../base/telemetry/trace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if tracing is off. */
    span: Span | undefined;
  }
  interface FastifyContextConfig {
    /** Whether monitors request the route every few seconds. Such requests have no spans. */
    isProbe?: true;
  }
}

export function traceRequests(app: FastifyInstance, trace: Trace): void {
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    if (!trace.on) return done();
    const { method, url, id, headers } = request;
    const { url: path = 'unknown', config } = request.routeOptions;
    if (!config?.isProbe) request.span = startRequestSpan(trace, { method, path, url, id, headers });
    done();
  });
  app.addHook('onResponse', ({ span }, reply, done) => {
    endRequestSpan(span, reply.statusCode);
    done();
  });
}

interface TracedRequest {
  readonly method: string;
  /** The route. */
  readonly path: string;
  readonly url: string;
  readonly id: string;
  readonly headers: CarrierHeaders;
}

const server = { kind: 'server' } as const;

/** Starts the span of a request; undefined if tracing is off. */
export function startRequestSpan(trace: Trace, { method, path, url, id, headers }: TracedRequest): Span | undefined {
  if (!trace.on) return undefined;
  const span = trace.start(`${method} ${path}`, server, headers);
  if (span.recorded) {
    span.set('http.request.method', method);
    span.set('http.route', path);
    span.set('url.path', url.split('?')[0] ?? '');
    span.set('joinery.request_id', id);
  }
  return span;
}

/** Ends the span when the response has been sent. */
export function endRequestSpan(span: Span | undefined, status: number): void {
  if (span === undefined) return;
  span.set('http.response.status_code', status);
  span.end(status >= 500 ? `status ${status}` : undefined);
}
