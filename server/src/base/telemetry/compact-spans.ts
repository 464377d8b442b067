/**
 * Spans with the members that are exported and nothing else. They take a quarter of the time of those of the library, which
 * copies and checks attributes, and creates a context for each span. The library batches and exports them.
 */
import { randomFillSync } from 'node:crypto';
import type { Attributes, HrTime, SpanContext, SpanStatus, TraceState } from '@opentelemetry/api';
import type { BatchSpanProcessor, ReadableSpan } from '@opentelemetry/sdk-trace-node';
import type { Environment } from '../environment.ts';
import { maskUrls } from './redact.ts';
import type { Span, SpanKind, SpanOptions } from './trace.ts';

/** What the spans of a trace export have in common. */
export interface SpanOrigin {
  readonly processor: Pick<BatchSpanProcessor, 'onEnd'>;
  readonly resource: ReadableSpan['resource'];
  readonly scope: ReadableSpan['instrumentationScope'];
  /** Masks secrets in the messages of errors. */
  readonly redact: (text: string) => string;
}

/** The values of the standard, in the order of `SpanKind` of the library. */
const kinds: Readonly<Record<SpanKind, number>> = { internal: 0, server: 1, client: 2, consumer: 4 };

const SAMPLED = 1;
const unset: SpanStatus = { code: 0 };

/** Random bytes for ids. */
const pool = Buffer.allocUnsafe(8_192);
let used = pool.length;

function randomId(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const id = pool.toString('hex', used - bytes, used);
  return /[1-9a-f]/.test(id) ? id : randomId(bytes);
}

export const newTraceId = (): string => randomId(16);
const newSpanId = (): string => randomId(8);

function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

/** A recorded span. */
export class CompactSpan implements Span, ReadableSpan {
  readonly recorded = true;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  readonly parentSpanContext?: SpanContext;
  readonly links: [] = [];
  readonly events: [] = [];
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  readonly #origin: SpanOrigin;
  readonly #context: SpanContext;
  /** The difference between the clock of the system and `performance.now()` at the start of the trace. */
  readonly #offset: number;
  readonly #began: number;
  #ended = Number.NaN;
  status = unset;

  constructor(
    origin: SpanOrigin,
    name: string,
    { kind = 'internal', attributes, began }: SpanOptions,
    context: SpanContext,
    parent: SpanContext | undefined,
    offset = Date.now() - performance.now(),
  ) {
    this.#origin = origin;
    this.#context = context;
    this.#offset = offset;
    this.#began = began ?? performance.now();
    this.name = name;
    this.kind = kinds[kind];
    this.attributes = {};
    for (const key in attributes) {
      const value = attributes[key];
      if (value !== undefined) this.attributes[key] = value;
    }
    if (parent !== undefined) this.parentSpanContext = parent;
  }

  child(name: string, options: SpanOptions = {}): Span {
    const context = { ...this.#context, spanId: newSpanId() };
    return new CompactSpan(this.#origin, name, options, context, this.#context, this.#offset);
  }

  headers(): readonly (readonly [string, string])[] {
    return carriers(this.#context);
  }

  set(name: string, value: string | number): void {
    if (!this.ended) this.attributes[name] = value;
  }

  end(error?: unknown): void {
    if (this.ended) return;
    this.#ended = performance.now();
    if (error !== undefined) {
      const message = maskUrls(error instanceof Error ? error.message : String(error));
      this.status = { code: 2, message: this.#origin.redact(message) };
    }
    this.#origin.processor.onEnd(this);
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  get ended(): boolean {
    return !Number.isNaN(this.#ended);
  }

  get startTime(): HrTime {
    return hrTime(this.#offset + this.#began);
  }

  get endTime(): HrTime {
    return hrTime(this.#offset + this.#ended);
  }

  get duration(): HrTime {
    return hrTime(this.#ended - this.#began);
  }

  get resource(): ReadableSpan['resource'] {
    return this.#origin.resource;
  }

  get instrumentationScope(): ReadableSpan['instrumentationScope'] {
    return this.#origin.scope;
  }
}

/** Returns the context of a new span. */
export function spanContext(traceId: string, sampled: boolean, traceState: TraceState | undefined): SpanContext {
  return { traceId, spanId: newSpanId(), traceFlags: sampled ? SAMPLED : 0, ...(traceState && { traceState }) };
}

/** The headers of W3C Trace Context. */
export function carriers({
  traceId,
  spanId,
  traceFlags,
  traceState,
}: SpanContext): readonly (readonly [string, string])[] {
  const parent = ['traceparent', `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`] as const;
  const state = traceState?.serialize();
  return state ? [parent, ['tracestate', state]] : [parent];
}

export interface SamplerSettings {
  /** Whether the decision of the caller applies. */
  readonly followsParent: boolean;
  /** The share of new traces that are recorded, from 0 to 1. */
  readonly ratio: number;
}

const samplers: Readonly<Record<string, SamplerSettings | 'ratio'>> = {
  always_on: { followsParent: false, ratio: 1 },
  always_off: { followsParent: false, ratio: 0 },
  traceidratio: 'ratio',
  parentbased_always_on: { followsParent: true, ratio: 1 },
  parentbased_always_off: { followsParent: true, ratio: 0 },
  parentbased_traceidratio: 'ratio',
};

/**
 * Returns the sampler of the environment. Undefined where the library decides: for values that it reports as invalid, and for
 * limits of spans.
 */
export function samplerOf(environment: Environment): SamplerSettings | undefined {
  if (Object.keys(environment).some((name) => /^OTEL_(SPAN|ATTRIBUTE|EVENT|LINK)_.*_LIMIT$/.test(name)))
    return undefined;
  const name = environment.OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const sampler = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (sampler !== 'ratio') return sampler;
  const ratio = Number(environment.OTEL_TRACES_SAMPLER_ARG || Number.NaN);
  return ratio >= 0 && ratio <= 1 ? { followsParent: name.startsWith('parentbased_'), ratio } : undefined;
}
