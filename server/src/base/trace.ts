/** Traces as the floors see them: spans that know their parent by the flow of the program. Off unless configured. */

export type SpanKind = 'server' | 'client' | 'internal' | 'consumer';

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  /** As `performance.now()` tells it; now unless given. */
  readonly began?: number;
  /** Headers of a request that may carry a `traceparent`, names in lower case; without them the parent is who calls. */
  readonly from?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

export interface Span {
  /** What is begun within becomes its child. */
  run<Result>(work: () => Result): Result;
  /** Headers that make who is called continue the trace. */
  headers(): readonly (readonly [name: string, value: string])[];
  set(name: string, value: string | number): void;
  /** Ends it; with an error it counts as failed. */
  end(error?: unknown): void;
}

export interface Trace {
  /** Where it is false, nobody should take the trouble of making spans. */
  readonly on: boolean;
  /** False within a span that was not chosen to be kept: those begun there are not either, so nobody should make them. */
  recording(): boolean;
  start(name: string, options?: SpanOptions): Span;
  /** Sends what is not sent yet. */
  close(): Promise<void>;
}

const nothing: Span = {
  run: (work) => work(),
  headers: () => [],
  set: () => undefined,
  end: () => undefined,
};

export const untraced: Trace = {
  on: false,
  recording: () => false,
  start: () => nothing,
  close: async () => undefined,
};

/** Runs `work` within a span of its own. */
export async function inSpan<Result>(
  trace: Trace,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  if (!trace.on) return work(nothing);
  const span = trace.start(name, options);
  try {
    const result = await span.run(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
