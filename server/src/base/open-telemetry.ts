/** Traces by OpenTelemetry over OTLP/HTTP, as the standard variables `OTEL_*` say. Its libraries are loaded only then. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, SpanContext } from '@opentelemetry/api';
import type { Environment } from './environment.ts';
import { maskUrls } from './log.ts';
import { type Span, type SpanKind, type SpanOptions, type Trace, untraced } from './trace.ts';

/** Whether traces are asked for: an endpoint is set, and nothing says no. */
export function tracesAskedFor(environment: Environment): boolean {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (environment.OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/** `untraced` where the environment asks for no traces. */
export async function openTrace(environment: Environment, version: string): Promise<Trace> {
  if (!tracesAskedFor(environment)) return untraced;
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
  // The flow of this service alone: nothing of the process is touched, and two services in it do not meet.
  const current = new AsyncLocalStorage<Flow>();
  const kinds: Readonly<Record<SpanKind, number>> = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
    consumer: api.SpanKind.CONSUMER,
  };

  function start(name: string, { kind = 'internal', attributes = {}, from, began }: SpanOptions = {}): Span {
    const remote = from === undefined ? undefined : remoteParent(from);
    const flow = current.getStore();
    if (remote === undefined && flow?.dropped !== undefined) return flow.dropped;
    const parent =
      remote === undefined
        ? (flow?.context ?? api.ROOT_CONTEXT)
        : api.trace.setSpanContext(api.ROOT_CONTEXT, {
            ...remote.context,
            ...(remote.state !== undefined && { traceState: api.createTraceState(remote.state) }),
          });
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind], attributes: { ...attributes }, ...(began !== undefined && { startTime: began }) },
      parent,
    );
    const context = api.trace.setSpan(parent, span);
    const headers = () => carriers(span.spanContext());
    if (!span.isRecording()) {
      const dropped: Span = { run: (work) => work(), headers, set: ignore, end: ignore };
      return { ...dropped, run: (work) => current.run({ context, dropped }, work) };
    }
    return {
      run: (work) => current.run({ context }, work),
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
  const recording = (): boolean => current.getStore()?.dropped === undefined;
  return { on: true, recording, start, close: () => provider.shutdown() };
}

/** Where the program is within a trace. */
interface Flow {
  readonly context: Context;
  /** Of a trace that the sampler did not choose: stands in for every span that is begun within. */
  readonly dropped?: Span;
}

function ignore(): void {}

const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

interface Remote {
  readonly context: SpanContext;
  readonly state: string | undefined;
}

/** By the recommendation "Trace Context" of the W3C; what is malformed begins a trace of its own. */
function remoteParent(headers: NonNullable<SpanOptions['from']>): Remote | undefined {
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
