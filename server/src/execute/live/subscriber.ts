/** One subscriber of a poll: what it knows already, and how it is told what is new. */
import { Cancellation } from '../../base/cancellation.ts';
import type { ServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { JoinedBody, LiveTarget } from './live-target.ts';

/** Where results go. */
export interface LiveSink {
  /** Has the client taken the last one? Until then nothing is polled for it, so that nothing piles up. */
  ready(): boolean;
  result(body: string, errors: JoinedBody['errors']): void;
  /** A poll failed; the next ones may not. */
  failed(error: ServiceError): void;
  /** No more will come. */
  ended(error: ServiceError): void;
  /**
   * Asked before each poll: the target as of now, the same object while nothing has changed. Throws when the operation
   * does not fit the schema any more.
   */
  target(): LiveTarget;
}

export class LiveSubscriber {
  readonly sink: LiveSink;
  target: LiveTarget;
  /** The mark of what it was told last. */
  known: string | null;
  /** The message of the failure it was told last, so that it is told once. */
  #failure: string | undefined;
  /** The last result, if errors stood beside it. */
  #partial: string | undefined;
  #joining: Cancellation | undefined;

  constructor(target: LiveTarget, sink: LiveSink) {
    this.target = target;
    this.sink = sink;
    this.known = target.known;
  }

  /** Ready for a poll? */
  wants(): boolean {
    return this.#joining === undefined && this.sink.ready();
  }

  /** `result` came with `mark`; null for nothing new. */
  take(result: string | null, mark: string | null, span?: Span): void {
    if (mark === null || (mark === this.known && this.#failure === undefined) || !this.wants()) return;
    if (result === null) return;
    this.#failure = undefined;
    const leaving = new Cancellation();
    try {
      const body = this.target.body(result, leaving, span);
      if (typeof body === 'string') {
        this.known = mark;
        this.sink.result(body, []);
        return;
      }
      this.#joining = leaving;
      body.then(
        (joined) => {
          this.#joining = undefined;
          if (!leaving.aborted) this.#tell(joined, mark);
        },
        (error) => {
          this.#joining = undefined;
          if (!leaving.aborted) this.fail(error);
        },
      );
    } catch (error) {
      this.fail(error as ServiceError);
    }
  }

  /** What came with errors is asked for again at the next poll, and told again when it is another. */
  #tell({ body, errors }: JoinedBody, mark: string): void {
    const partial = errors.length > 0 && this.target.kind === 'live';
    const news = !partial || this.#partial !== body;
    this.known = partial ? null : mark;
    this.#partial = partial ? body : undefined;
    if (news) this.sink.result(body, errors);
  }

  fail(error: ServiceError): void {
    if (this.#failure === error.message || !this.sink.ready()) return;
    this.#failure = error.message;
    // Whatever comes next is news after an error; a stream goes on where it was.
    if (this.target.kind === 'live') this.known = null;
    this.sink.failed(error);
  }

  /** Ends what is under way for it. */
  leave(): void {
    this.#joining?.abort();
  }
}
