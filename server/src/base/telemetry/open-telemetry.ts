/**
 * Tracing by OpenTelemetry over OTLP/HTTP, configured by the standard `OTEL_*` variables or by the metadata. Loads its
 * libraries on demand.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Attributes, Context, SpanContext } from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { BatchSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Environment } from '../environment.ts';
import { createEgress, type EgressSettings } from '../http-client/egress.ts';
import { checkedLookup, resolveBySystem } from '../http-client/egress-connect.ts';
import {
  CompactSpan,
  carriers,
  newTraceId,
  type SamplerSettings,
  type SpanOrigin,
  samplerOf,
  spanContext,
} from './compact-spans.ts';
import type { Observe } from './observe.ts';
import { maskUrls } from './redact.ts';
import {
  type CarrierHeaders,
  type Span,
  type SpanKind,
  type SpanOptions,
  type Trace,
  type TraceSettings,
  untraced,
} from './trace.ts';

/** A trace whose export follows the metadata. */
export interface Tracing extends Trace {
  /** Replaces the settings of the metadata. Spans of requests under way that end later are not exported. */
  configure(settings: TraceSettings | undefined): void;
}

export interface TracingContext {
  readonly environment: Environment;
  readonly version: string;
  /** Restricts the endpoint that the metadata names. */
  readonly egress: EgressSettings;
  readonly observe: Observe;
}

function isDisabled({ OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER }: Environment): boolean {
  return OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none';
}

/** Returns the variable that takes precedence over the endpoint of the metadata. */
function deciding(environment: Environment): string | undefined {
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (isDisabled(environment)) return 'OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER';
  return endpoints.find((name) => environment[name]);
}

/** Opens the trace that the environment configures; without one, the trace is off until `configure`. */
export async function openTracing(context: TracingContext): Promise<Tracing> {
  const { environment, observe } = context;
  const decided = deciding(environment);
  const hasEndpoint = decided !== undefined && !isDisabled(environment);
  let current = hasEndpoint ? await openTrace(context, undefined) : untraced;
  let applied: TraceSettings | undefined;
  let changing: Promise<void> = Promise.resolve();

  async function change(settings: TraceSettings | undefined): Promise<void> {
    const before = current;
    current = settings === undefined ? untraced : await openTrace(context, settings);
    await before.close();
  }

  return {
    get on() {
      return current.on;
    },
    start: (name, options, from) => current.start(name, options, from),
    configure: (settings) => {
      if (isDeepStrictEqual(settings, applied)) return;
      applied = settings;
      if (decided === undefined) {
        changing = changing.then(() => change(settings)).catch((error: unknown) => warn(observe, String(error)));
      } else if (settings !== undefined) {
        warn(observe, `the settings of the metadata have no effect, because ${decided} is set in the environment`);
      }
    },
    close: async () => {
      await changing;
      await current.close();
    },
  };
}

function warn(observe: Observe, message: string): void {
  observe({ kind: 'note', level: 'warn', where: 'opentelemetry', message: maskUrls(message) });
}

type ExporterOptions = ConstructorParameters<typeof OTLPTraceExporter>[0];
type BatchOptions = ConstructorParameters<typeof BatchSpanProcessor>[1];

/** The options of the exporter. Headers of the environment take precedence over those of the metadata. */
function exporterOptions({ environment, egress }: TracingContext, settings: TraceSettings): ExporterOptions {
  const variables = [environment.OTEL_EXPORTER_OTLP_HEADERS, environment.OTEL_EXPORTER_OTLP_TRACES_HEADERS];
  const given = new Set(
    variables.flatMap((list = '') => list.split(',').map((one) => one.split('=')[0]?.trim().toLowerCase())),
  );
  const headers = Object.entries(settings.headers).filter(([name]) => !given.has(name.toLowerCase()));
  const gate = createEgress(egress);
  const { protocol, hostname } = new URL(settings.endpoint);
  const rejection = gate.rejectionOf(protocol, hostname);
  if (rejection !== undefined) throw new Error(`the traces endpoint of the metadata cannot be called: ${rejection}`);
  return {
    url: settings.endpoint,
    headers: Object.fromEntries(headers),
    httpAgentOptions: { keepAlive: true, lookup: checkedLookup(gate, resolveBySystem) },
  };
}

/** The options of batches: four batches may wait, as in Hasura v2. Variables of the environment take precedence. */
function batchOptions(environment: Environment, batchSize: number | undefined): BatchOptions {
  if (batchSize === undefined) return {};
  return {
    ...(!environment.OTEL_BSP_MAX_EXPORT_BATCH_SIZE && { maxExportBatchSize: batchSize }),
    ...(!environment.OTEL_BSP_MAX_QUEUE_SIZE && { maxQueueSize: batchSize * 4 }),
  };
}

/** Opens a trace that is exported as the environment says, and as `settings` say where the environment does not. */
async function openTrace(given: TracingContext, settings: TraceSettings | undefined): Promise<Trace> {
  const { environment, version } = given;
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const service = { 'service.name': 'joinery', 'service.version': version, ...settings?.attributes };
  const exporter = new OTLPTraceExporter(settings && exporterOptions(given, settings));
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes(service))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const processor = new sdk.BatchSpanProcessor(exporter, batchOptions(environment, settings?.batchSize));
  const sampler = samplerOf({ ...environment, ...process.env });
  if (sampler !== undefined) {
    const origin: SpanOrigin = { processor, resource, scope: { name: 'joinery', version } };
    const { ratio } = sampler;
    const byRatio = new sdk.TraceIdRatioBasedSampler(ratio);
    const isSampled = (traceId: string): boolean =>
      ratio === 1 ||
      (ratio > 0 &&
        byRatio.shouldSample(api.ROOT_CONTEXT, traceId).decision === sdk.SamplingDecision.RECORD_AND_SAMPLED);
    return { on: true, start: createStart(origin, sampler, isSampled, api), close: () => processor.shutdown() };
  }
  const provider = new sdk.NodeTracerProvider({ resource, spanProcessors: [processor] });
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

/** Returns the start of traces whose spans are compact. A trace that is not sampled has one span, which is not recorded. */
function createStart(
  origin: SpanOrigin,
  { followsParent }: SamplerSettings,
  isSampled: (traceId: string) => boolean,
  { createTraceState }: Pick<typeof import('@opentelemetry/api'), 'createTraceState'>,
): Trace['start'] {
  return (name, options = {}, from) => {
    const remote = from && remoteParent(from);
    const traceId = remote?.context.traceId ?? newTraceId();
    const sampled = followsParent && remote !== undefined ? remote.context.traceFlags === 1 : isSampled(traceId);
    const state = remote?.state === undefined ? undefined : createTraceState(remote.state);
    if (sampled) return new CompactSpan(origin, name, options, spanContext(traceId, true, state), remote?.context);
    let headers: ReturnType<Span['headers']> | undefined;
    return unrecorded(() => {
      headers ??= carriers(spanContext(traceId, false, state));
      return headers;
    });
  };
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
