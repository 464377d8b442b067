/**
 * Tracing by OpenTelemetry, configured by the standard `OTEL_*` variables or by the metadata. Loads its libraries on demand.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Attributes, Context, SpanContext } from '@opentelemetry/api';
import type { BatchSpanProcessor, ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-node';
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
import { ExportQueue } from './otlp/bounded-export.ts';
import { createSpanExporter, type HttpOptions } from './otlp/otlp-exporters.ts';
import { positiveNumber, readSignal } from './otlp/otlp-settings.ts';
import { createResource, type ExportContext } from './otlp/resource.ts';
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

export interface TracingContext extends ExportContext {
  /** Restricts the endpoint that the metadata names. */
  readonly egress: EgressSettings;
  /** Masks secrets. */
  readonly redact: (text: string) => string;
}

/** Opens the trace that the environment configures; without one, the trace is off until `configure`. */
export async function openTracing(context: TracingContext): Promise<Tracing> {
  const { environment, observe } = context;
  const { isEnabled, decidedBy, protocol, protocolFrom } = readSignal(environment, 'traces');
  let current = isEnabled ? await openTrace(context, undefined) : untraced;
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
      if (decidedBy === undefined) {
        changing = changing.then(() => change(settings)).catch((error: unknown) => warn(observe, String(error)));
        if (settings !== undefined && protocol === 'grpc') {
          warn(
            observe,
            `${protocolFrom} has no effect on the traces endpoint of the metadata, which has ${HTTP.protocol}`,
          );
        }
      } else if (settings !== undefined) {
        warn(observe, `the settings of the metadata have no effect, because ${decidedBy} is set in the environment`);
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

/** The protocol of the metadata, unless the environment has `http/json`. */
const HTTP = { protocol: 'http/protobuf' } as const;

type BatchOptions = ConstructorParameters<typeof BatchSpanProcessor>[1];

/** The options of the exporter. Headers of the environment take precedence over those of the metadata. */
function exporterOptions({ environment, egress }: TracingContext, settings: TraceSettings): HttpOptions {
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
function batchOptions(environment: Environment, batchSize: number | undefined) {
  const maxQueueSize = positiveNumber(environment, QUEUE_SIZE, batchSize === undefined ? 2_048 : batchSize * 4);
  const size = batchSize !== undefined && !environment.OTEL_BSP_MAX_EXPORT_BATCH_SIZE;
  return { maxQueueSize, ...(size && { maxExportBatchSize: batchSize }) } satisfies BatchOptions;
}

const QUEUE_SIZE = 'OTEL_BSP_MAX_QUEUE_SIZE';

/** Returns a processor of batches whose queue is bounded and reports what it drops. */
async function createProcessor(context: TracingContext, settings: TraceSettings | undefined): Promise<SpanProcessor> {
  const { environment } = context;
  const written = readSignal(environment, 'traces');
  const exporter =
    settings === undefined
      ? await createSpanExporter(written)
      : await createSpanExporter(
          written.protocol === 'grpc' ? { ...written, ...HTTP } : written,
          exporterOptions(context, settings),
        );
  const { BatchSpanProcessor: Processor } = await import('@opentelemetry/sdk-trace-node');
  const options = batchOptions(environment, settings?.batchSize);
  const queue = new ExportQueue('traces', options.maxQueueSize, context);
  const processor = new Processor(
    queue.watch(exporter, (spans: readonly ReadableSpan[]) => spans.length),
    options,
  );
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      if (queue.admit()) processor.onEnd(span);
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  };
}

/** Opens a trace that is exported as the environment says, and as `settings` say where the environment does not. */
async function openTrace(given: TracingContext, settings: TraceSettings | undefined): Promise<Trace> {
  const { environment, version, redact } = given;
  const [api, sdk, processor, resource] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    createProcessor(given, settings),
    createResource(given, settings?.attributes),
  ]);
  const sampler = samplerOf({ ...environment, ...process.env });
  if (sampler !== undefined) {
    const origin: SpanOrigin = { processor, resource, scope: { name: 'joinery', version }, redact };
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
          const message = redact(maskUrls(error instanceof Error ? error.message : String(error)));
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
