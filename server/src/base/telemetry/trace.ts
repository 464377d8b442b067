/**
 * Traces as the floors see them. A span is handed from whoever begins it to what it causes: letting it follow the flow of
 * the program would make every promise of the process dearer (on Node 20). Off unless configured.
 */

export type SpanKind = 'server' | 'client' | 'internal' | 'consumer';

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  /** As `performance.now()` tells it; now unless given. */
  readonly began?: number;
}

/** Headers of a request, names in lower case. */
export type CarrierHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Span {
  /** False where the trace is not kept: whoever would describe what happens within can save the trouble. */
  readonly recorded: boolean;
  child(name: string, options?: SpanOptions): Span;
  /** Headers that make who is called continue the trace. */
  headers(): readonly (readonly [name: string, value: string])[];
  set(name: string, value: string | number): void;
  /** Ends it; with an error it counts as failed. */
  end(error?: unknown): void;
}

export interface Trace {
  /** Where it is false, nobody should take the trouble of making spans. */
  readonly on: boolean;
  /** A span without parent, or below the one that a `traceparent` among `from` tells. */
  start(name: string, options?: SpanOptions, from?: CarrierHeaders): Span;
  /** Sends what is not sent yet. */
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

/** Runs `work` and ends the span with it, as failed where it rejects. */
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
