/** Starts the polls of the cohorts of one source together, so often that a change is received within an interval, with one position. */
import type { LiveCohort } from './cohort.ts';
import type { SourcePosition } from './source-position.ts';

/** Minimum milliseconds between two positions that are read because of changes of this node. */
const SOON_MS = 20;
/**
 * The share of the interval that is left for the way of a result to its subscribers. Polls start as much earlier as the last
 * ones took, but at most by another such share, so that slow ones are not repeated much more often.
 */
const MARGIN = 0.1;

type Polled = Pick<LiveCohort, 'tables' | 'tick' | 'pollMs'>;
type Position = Pick<SourcePosition, 'read' | 'covers'>;

export class PollClock {
  readonly #intervalMs: number;
  readonly #position: Position | undefined;
  readonly #cohorts = new Set<Polled>();
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #soonAt = Number.NEGATIVE_INFINITY;
  #reading = false;

  /** Without `position`, each interval polls all. */
  constructor(intervalMs: number, position: Position | undefined) {
    this.#intervalMs = intervalMs;
    this.#position = position;
  }

  add(cohort: Polled): void {
    this.#cohorts.add(cohort);
    if (!this.#reading) this.#schedule(this.#pauseMs());
  }

  delete(cohort: Polled): void {
    this.#cohorts.delete(cohort);
    if (this.#cohorts.size > 0) return;
    clearTimeout(this.#timer);
    clearTimeout(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
  }

  /** Called when this node has changed unknown tables. Reads the position without waiting for the interval. */
  soon(): void {
    if (this.#position === undefined || this.#soon !== undefined || this.#cohorts.size === 0) return;
    this.#soon = setTimeout(
      () => {
        this.#soon = undefined;
        this.#soonAt = performance.now();
        void this.#start(true);
      },
      Math.max(0, this.#soonAt + SOON_MS - performance.now()),
    );
  }

  /** Returns the milliseconds between the starts of two polls, so that a change is received within the interval. */
  #pauseMs(): number {
    let longest = 0;
    for (const { pollMs } of this.#cohorts) longest = Math.max(longest, pollMs);
    const marginMs = MARGIN * this.#intervalMs;
    return this.#intervalMs - marginMs - Math.min(longest, marginMs);
  }

  #schedule(inMs: number): void {
    if (this.#timer !== undefined || this.#cohorts.size === 0) return;
    this.#timer = setTimeout(() => void this.#tick(), inMs);
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    this.#reading = true;
    const started = performance.now();
    await this.#start(false);
    this.#reading = false;
    this.#schedule(Math.max(0, this.#pauseMs() - (performance.now() - started)));
  }

  /** Starts the polls. `coveredOnly`: only of cohorts whose changes the position shows. */
  async #start(coveredOnly: boolean): Promise<void> {
    const position = await this.#position?.read(this.#tables());
    for (const cohort of [...this.#cohorts]) {
      const known = this.#position?.covers(cohort.tables) === true ? position : undefined;
      if (known !== undefined || !coveredOnly) cohort.tick(known);
    }
  }

  #tables(): ReadonlySet<string> {
    const names = new Set<string>();
    for (const { tables } of this.#cohorts) for (const name of tables ?? []) names.add(name);
    return names;
  }
}
