/** Tracing by OpenTelemetry over OTLP/HTTP, configured by the standard `OTEL_*` variables. Loads its libraries on demand. */
import type { Attributes, Context, SpanContext } from '@opentelemetry/api';
import type { Environment } from '../environment.ts';
import { maskUrls } from './log.ts';
import { type CarrierHeaders, type Span, type SpanKind, type SpanOptions, type Trace, untraced } from './trace.ts';

/** Whether an endpoint is set and tracing is not disabled. */
function isTracingEnabled(environment: Environment): boolean {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (environment.OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/** Returns `untraced` where the environment does not enable tracing. */
export async function openTrace(environment: Environment, version: string): Promise<Trace> {
  if (!isTracingEnabled(environment)) return untraced;
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const service = resources.resourceFromAttributes({ 'service.name': 'joinery', 'service.version': version });
  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .defaultResource()
      .merge(service)
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('joinery', version);
  const kinds: Readonly<Record<SpanKind, number>> = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
    consumer: api.SpanKind.CONSUMER,
  };

  function begin(name: string, { kind = 'internal', attributes, began }: SpanOptions, parent: Context): Span {
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind], ...(began !== undefined && { startTime: began }) },
      parent,
    );
    const headers = () => carriers(span.spanContext());
    if (!span.isRecording()) return unrecorded(headers);
    if (attributes !== undefined) span.setAttributes(attributes as Attributes);
    const context = api.trace.setSpan(parent, span);
    return {
      recorded: true,
      child: (below, options = {}) => begin(below, options, context),
      headers,
      set: (attribute, value) => void span.setAttribute(attribute, value),
      end: (error) => {
        if (error !== undefined) {
          const message = maskUrls(error instanceof Error ? error.message : String(error));
          span.setStatus({ code: api.SpanStatusCode.ERROR, message });
        }
        span.end();
      },
    };
  }

  function start(name: string, options: SpanOptions = {}, from?: CarrierHeaders): Span {
    const remote = from && remoteParent(from);
    if (remote === undefined) return begin(name, options, api.ROOT_CONTEXT);
    const { context, state } = remote;
    const parent = { ...context, ...(state !== undefined && { traceState: api.createTraceState(state) }) };
    return begin(name, options, api.trace.setSpanContext(api.ROOT_CONTEXT, parent));
  }
  return { on: true, start, close: () => provider.shutdown() };
}

/** The span of a trace that the sampler dropped, and of all its children. */
function unrecorded(headers: Span['headers']): Span {
  const span: Span = { recorded: false, child: () => span, headers, set: ignore, end: ignore };
  return span;
}

function ignore(): void {}

const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

interface Remote {
  readonly context: SpanContext;
  readonly state: string | undefined;
}

/** Parses the headers of W3C Trace Context. Returns undefined for malformed ones, which start a new trace. */
function remoteParent(headers: CarrierHeaders): Remote | undefined {
  const given = headers.traceparent;
  const [, traceId, spanId, flags] = (typeof given === 'string' && traceparent.exec(given.trim())) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const state = headers.tracestate;
  return {
    context: { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true },
    state: typeof state === 'string' && state !== '' ? state : undefined,
  };
}

function carriers({ traceId, spanId, traceFlags, traceState }: SpanContext): readonly (readonly [string, string])[] {
  const parent = ['traceparent', `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`] as const;
  const state = traceState?.serialize();
  return state ? [parent, ['tracestate', state]] : [parent];
}
