/** One subscriber: the state of its last result, and the delivery of new ones. */
import { createHash } from 'node:crypto';
import { Cancellation } from '../../base/cancellation.ts';
import type { ServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { CohortSubscriber } from './item.ts';
import type { JoinedBody, LiveTarget } from './live-target.ts';

/** The receiver of results. It is ready for the next one until `result` or `failed` is called. */
export interface LiveSink {
  /** Whether the client has received the last result. Until then nothing is polled for it. */
  ready(): boolean;
  result(body: string, errors: JoinedBody['errors']): void;
  /** Reports a failed poll. Polling continues. */
  failed(error: ServiceError): void;
  /** Reports the end of the subscription. */
  ended(error: ServiceError): void;
  /**
   * Called when the model has changed. Returns the current target, which is the same object while it is unchanged. Throws if the
   * operation is no longer valid for the schema.
   */
  target(): LiveTarget;
}

export class LiveSubscriber implements CohortSubscriber {
  readonly sink: LiveSink;
  target: LiveTarget;
  known: string | null;
  item: string | undefined;
  settled = false;
  /** The message of the last reported error. Equal errors are reported once. */
  #failure: string | undefined;
  /** The digest of the last joined result. Rows that differ may be joined to equal results. */
  #delivered: string | undefined;
  #joining: Cancellation | undefined;

  constructor(target: LiveTarget, sink: LiveSink) {
    this.target = target;
    this.sink = sink;
    this.known = target.known;
  }

  isReady(): boolean {
    return this.#joining === undefined && this.sink.ready();
  }

  take(result: string | null, mark: string | null, span?: Span): void {
    if (mark === null || result === null) return;
    this.settled = mark === this.known && this.#failure === undefined;
    if (this.settled || !this.isReady()) return;
    this.#failure = undefined;
    // A stream may have further rows.
    this.settled = this.target.kind === 'live';
    const cancellation = new Cancellation();
    try {
      const body = this.target.body(result, cancellation, span);
      if (typeof body === 'string') {
        this.known = mark;
        this.sink.result(body, []);
        return;
      }
      this.#joining = cancellation;
      body.then(
        (joined) => {
          this.#joining = undefined;
          if (!cancellation.aborted) this.#deliver(joined, mark);
        },
        (error) => {
          this.#joining = undefined;
          if (!cancellation.aborted) this.fail(error);
        },
      );
    } catch (error) {
      this.fail(error as ServiceError);
    }
  }

  /** Delivers a joined result if it differs from the last one. A result with errors is fetched again at the next poll. */
  #deliver({ body, errors }: JoinedBody, mark: string): void {
    const isLive = this.target.kind === 'live';
    const partial = errors.length > 0 && isLive;
    const digest = isLive ? createHash('sha256').update(body).digest('base64') : undefined;
    const changed = digest === undefined || digest !== this.#delivered;
    this.known = partial ? null : mark;
    // Otherwise it remains as it is: a poll may have been missed since the joins began.
    if (partial) this.settled = false;
    this.#delivered = digest;
    if (changed) this.sink.result(body, errors);
  }

  fail(error: ServiceError): void {
    this.settled = false;
    if (this.#failure === error.message || !this.sink.ready()) return;
    this.#failure = error.message;
    // The next result after an error is always delivered. A stream continues at its cursor.
    if (this.target.kind === 'live') this.known = null;
    this.#delivered = undefined;
    this.sink.failed(error);
  }

  /** Cancels joins in progress. */
  leave(): void {
    this.#joining?.abort();
  }
}
