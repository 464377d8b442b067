/** Limits of the merged statements of one plan, and their pauses. */

/** Maximum requests of one statement. */
export const MOST_ITEMS = 100;
/** Statements of one plan at a time: the database executes one while the next is prepared. */
const LEAST_RUNNING = 2;
const MOST_RUNNING = 8;
/** Growth of the least time with each measurement, so that it follows a database that became slower. */
const FORGETTING = 1.1;
/** Failed statements, weighted by age, after which merging pauses. */
const MOST_FAILURES = 3;
const PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;
/** A merged statement that takes longer is compared with statements of single requests. */
const SUSPECT_MS = 50;
/** Number of requests that run alone for the comparison. */
const COMPARED = 10;
const BETWEEN_COMPARISONS_MS = 10_000;

export class Pace {
  /** Whether merged statements are compared with single ones. */
  readonly #compares: boolean;
  /** Least recent milliseconds of a statement. Others contain waits for the event loop. */
  #least = Number.POSITIVE_INFINITY;
  #failures = 0;
  #pauses = 0;
  #pausedUntil = 0;
  /** The merged statement that is compared, and the milliseconds of single ones so far. */
  #suspect = { ms: 0, items: 0 };
  #singles: number[] = [];
  #comparing = false;
  #comparedAt = Number.NEGATIVE_INFINITY;

  constructor(compares: boolean) {
    this.#compares = compares;
  }

  ranSingle(ms: number, now: number): void {
    this.#least = Math.min(ms, this.#least * FORGETTING);
    if (this.#comparing) this.#compare(ms, now);
  }

  /** `items` is the number of requests with different values. */
  ranMerged(ms: number, items: number, now: number): void {
    this.#least = Math.min(ms, this.#least * FORGETTING);
    this.#failures *= 0.9;
    if (!this.#compares || this.#comparing || ms < SUSPECT_MS) return;
    if (now - this.#comparedAt < BETWEEN_COMPARISONS_MS) return;
    this.#comparing = true;
    this.#suspect = { ms, items };
    this.#singles = [];
  }

  /**
   * Compares under the same load: a time alone does not show whether the statement or the load is the cause. The median, because a
   * slow request delays those that are merged with it.
   */
  #compare(ms: number, now: number): void {
    this.#singles.push(ms);
    if (this.#singles.length < COMPARED) return;
    this.#comparing = false;
    this.#comparedAt = now;
    const median = this.#singles.sort((one, other) => one - other)[COMPARED / 2] ?? 0;
    if (this.#suspect.ms > median * this.#suspect.items) this.#pause(now);
    else this.#pauses = 0;
  }

  /** Counts a merged statement that failed or was canceled. */
  failed(now: number): void {
    this.#failures += 1;
    if (this.#failures < MOST_FAILURES) return;
    this.#failures = 0;
    this.#pause(now);
  }

  #pause(now: number): void {
    this.#pausedUntil = now + Math.min(PAUSE_MS * 2 ** this.#pauses, LONGEST_PAUSE_MS);
    this.#pauses += 1;
  }

  /** Whether each request runs alone. */
  isPaused(now: number): boolean {
    return this.#comparing || now < this.#pausedUntil;
  }

  /** Whether single statements are compared with a merged one. As many run at a time as when merged. */
  get isComparing(): boolean {
    return this.#comparing;
  }

  /** Maximum statements at a time, so that a request waits about one millisecond for the end of one. */
  mostRunning(): number {
    if (!Number.isFinite(this.#least)) return LEAST_RUNNING;
    return Math.min(MOST_RUNNING, Math.max(LEAST_RUNNING, Math.ceil(this.#least)));
  }
}
