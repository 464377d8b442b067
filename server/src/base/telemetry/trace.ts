/**
 * The tracing interface. Spans are passed explicitly: context propagation with AsyncLocalStorage makes every promise slower
 * on Node 20. Disabled unless configured.
 */

export type SpanKind = 'server' | 'client' | 'internal' | 'consumer';

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  /** Time of `performance.now()`; now unless given. */
  readonly began?: number;
}

/** Headers of a request, names in lower case. */
export type CarrierHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Span {
  /** Whether the trace is recorded. Callers need not compute attributes otherwise. */
  readonly recorded: boolean;
  child(name: string, options?: SpanOptions): Span;
  /** Returns the headers that propagate the trace. */
  headers(): readonly (readonly [name: string, value: string])[];
  set(name: string, value: string | number): void;
  /** Ends the span, as failed where `error` is given. */
  end(error?: unknown): void;
}

/** The export of traces as the metadata configures it. */
export interface TraceSettings {
  /** The URL of the collector for traces, with its path. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the resource. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Maximum number of spans in one request; the default of the library if undefined. */
  readonly batchSize: number | undefined;
}

export interface Trace {
  /** Whether tracing is enabled. Callers need not create spans otherwise. */
  readonly on: boolean;
  /** Starts a span, as a child of the `traceparent` in `from` where it has one. */
  start(name: string, options?: SpanOptions, from?: CarrierHeaders): Span;
  /** Sends pending spans. */
  close(): Promise<void>;
}

const nothing: Span = {
  recorded: false,
  child: () => nothing,
  headers: () => [],
  set: () => undefined,
  end: () => undefined,
};

export const untraced: Trace = {
  on: false,
  start: () => nothing,
  close: async () => undefined,
};

/** The ids of a span as members of a log line. */
export interface TraceIds {
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace_flags: string;
}

/** Returns the ids of the span; undefined if there is no trace. */
export function traceIdsOf(span: Span | undefined): TraceIds | undefined {
  const traceparent = span?.headers().find(([name]) => name === 'traceparent')?.[1];
  const [, trace_id, span_id, trace_flags] = traceparent?.split('-') ?? [];
  if (trace_id === undefined || span_id === undefined || trace_flags === undefined) return undefined;
  return { trace_id, span_id, trace_flags };
}

/** Runs `work` and ends the span afterwards, as failed where `work` rejects. */
export async function runInSpan<Result>(span: Span, work: (span: Span) => Promise<Result>): Promise<Result> {
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
