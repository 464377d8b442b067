/** Observation and tracing of HTTP calls. */
import type { CallPurpose, Observe } from '../telemetry/observe.ts';
import { runInSpan, type Span, type Trace } from '../telemetry/trace.ts';
import { type HttpCall, type HttpClient, type HttpResponse, UpstreamError } from './http-client.ts';

const unknownPurpose: CallPurpose = { kind: 'other', name: '' };

/** Returns a client that observes and traces the calls of `httpClient`. */
export function observedHttpClient(httpClient: HttpClient, observe: Observe, trace: Trace): HttpClient {
  function call(made: HttpCall, span: Span | undefined): Promise<HttpResponse> {
    const { purpose = unknownPurpose } = made;
    const started = performance.now();
    const report = (outcome: string): void =>
      observe({ kind: 'call', purpose, outcome, durationMs: performance.now() - started, span });
    return httpClient.call(made).then(
      (response) => {
        report(`${Math.floor(response.status / 100)}xx`);
        return response;
      },
      (error: unknown) => {
        report(error instanceof UpstreamError ? error.kind : 'other');
        throw error;
      },
    );
  }
  return {
    call: (made) => (trace.on ? traced(trace, made, call) : call(made, undefined)),
    close: () => httpClient.close(),
  };
}

/** Returns a client whose calls are children of `span`. */
export function tracedHttpClient(span: Span, httpClient: HttpClient): HttpClient {
  return { call: (made) => httpClient.call(withSpan(made, span)), close: () => httpClient.close() };
}

type AllMembers = { readonly [Name in keyof Required<HttpCall>]: HttpCall[Name] };

/** Names each member: a copy with a member that the original does not have takes microseconds on Node 20. */
function withSpan(made: HttpCall, span: Span): AllMembers {
  const { method, url, headers, body, timeoutMs, maxBytes, overflow, mayStart, onHeaders, signal, purpose } = made;
  return { method, url, headers, body, timeoutMs, maxBytes, overflow, mayStart, onHeaders, signal, purpose, span };
}

function traced(
  trace: Trace,
  made: HttpCall,
  send: (made: HttpCall, span: Span) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const span = begin(trace, made);
  const names = new Set(['traceparent', 'tracestate']);
  const headers = [...made.headers.filter(([header]) => !names.has(header.toLowerCase())), ...span.headers()];
  return runInSpan(span, async () => {
    const response = await send({ ...made, headers }, span);
    span.set('http.response.status_code', response.status);
    return response;
  });
}

/** Starts a trace for a call without a parent span. Attributes omit the query, which may contain secrets. */
function begin(trace: Trace, made: HttpCall): Span {
  if (made.span?.recorded === false) return made.span;
  const { kind, name } = made.purpose ?? unknownPurpose;
  const url = URL.canParse(made.url) ? new URL(made.url) : undefined;
  const attributes = {
    'http.request.method': made.method,
    'server.address': url?.hostname,
    'server.port': url && Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    'url.path': url?.pathname,
  };
  const title = name === '' ? kind : `${kind} ${name}`;
  const options = { kind: 'client', attributes } as const;
  return made.span === undefined ? trace.start(title, options) : made.span.child(title, options);
}
