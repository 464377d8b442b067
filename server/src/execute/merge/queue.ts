/** The requests of one plan that wait for a statement, and the statements that run for them. */
import type { Database } from '../../postgres/client/pool.ts';
import type { Watchdog, Watched } from '../../postgres/client/watchdog.ts';
import { Batch, type BatchOwner, type Item, rejectIfCanceled, runAlone, type WaitingRead } from './batch.ts';
import { keyOf, type MergeForm } from './merge-form.ts';
import type { Mergeable } from './mergeable.ts';
import { MOST_ITEMS, Pace } from './pace.ts';
import { isGoodPlan, mostByPlan } from './plan-check.ts';

/** Counted since the start, for metrics. */
export interface MergeStats {
  /** Statements that ran for several requests, also those with the same values. */
  statements: number;
  /** Requests whose result such a statement had. */
  requests: number;
  /** Such statements that failed, so that their requests ran again with fewer others or alone. */
  failures: number;
}

export interface QueueParts {
  readonly mergeable: Mergeable;
  /** The text of the statement of one request. */
  readonly text: string;
  readonly database: Database;
  /** The role of all requests, whose share of the pool the statements use. */
  readonly role: string | undefined;
  readonly watchdog: Watchdog;
  readonly stats: MergeStats;
  /** Whether every request is merged, also one alone, regardless of plans and times. */
  readonly always: boolean;
}

/** Turns of the event loop with several waiting requests, after which the plans are compared. */
const TURNS_BEFORE_CHECK = 3;
/** Maximum requests whose plans are compared. */
const MOST_COMPARED = 5;
/** Maximum characters of the values of one statement. */
const MOST_CHARACTERS = 1_000_000;

/** Counted for each item of a list, so that a statement has at most about 1,000 keys. */
const CHARACTERS_OF_KEY = 1_000;
/** Milliseconds that a request waits for the end of another statement. */
const LONGEST_WAIT_MS = 20;
/** The same while a statement of the plan waits for a connection: another one would wait behind it. */
const LONGEST_UNSENT_MS = 1_000;

/** The requests of the next statement. */
interface Taken {
  readonly items: readonly Item[];
  readonly form: MergeForm;
}

export class MergeQueue implements BatchOwner, Watched {
  readonly database: Database;
  readonly watchdog: Watchdog;
  readonly text: string;
  readonly #parts: QueueParts;
  readonly #pace: Pace;
  #waiting: WaitingRead[] = [];
  /** When the first of `#waiting` began to wait for the end of a statement. */
  #waitingSince: number | undefined;
  #running = 0;
  /** Those of `#running` that wait for a connection. */
  #unsent = 0;
  #scheduled = false;
  /** Turns until the plans are compared. */
  #turns: number;
  /** Maximum requests of a statement. */
  #most: number;
  /** For requests that are not alike; undefined until the plans are compared. */
  #mixed: MergeForm | undefined;

  constructor(parts: QueueParts) {
    const { mergeable, always } = parts;
    this.#parts = parts;
    this.database = parts.database;
    this.watchdog = parts.watchdog;
    this.text = parts.text;
    const isCompared = mergeable.kind === 'planned' && !always;
    this.#pace = new Pace(isCompared);
    this.#mixed = always ? mergeable.mixed : undefined;
    this.#turns = isCompared || (mergeable.mixed !== undefined && !always) ? TURNS_BEFORE_CHECK : 0;
    this.#most = isCompared ? 1 : MOST_ITEMS;
  }

  get role(): string | undefined {
    return this.#parts.role;
  }

  /** Requests of one turn of the event loop are merged; while statements run, further ones wait for the end of one. */
  add(read: WaitingRead): void {
    this.#waiting.push(read);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    if (this.#running >= this.#mostRunning()) {
      if (this.#waitingSince !== undefined) return;
      this.#waitingSince = performance.now();
      this.watchdog.watch(this);
      return;
    }
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  /** Starts a statement for the waiting requests where the running ones take long. */
  check(now: number): void {
    const waited = now - (this.#waitingSince ?? now);
    if (waited <= LONGEST_WAIT_MS) return;
    this.#waiting = this.#waiting.filter((read) => !rejectIfCanceled(read));
    if (this.#unsent === 0 || waited > LONGEST_UNSENT_MS) this.#start(this.#running + 1);
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    if (this.#waiting.length > 1) this.#comparePlans();
    this.#start(this.#mostRunning());
  };

  /** Starts statements until `mostRunning` run. */
  #start(mostRunning: number): void {
    if (this.#waitingSince !== undefined) this.watchdog.forget(this);
    this.#waitingSince = undefined;
    const most = this.#mostItems();
    while (this.#waiting.length > 0 && this.#running < mostRunning) {
      if (most > 1) {
        const taken = this.#take(most, true);
        if (taken.items.length > 0) void this.#run(taken);
      } else {
        // Requests with equal values share a statement in any case.
        const { items, form } = this.#take(mostRunning - this.#running, false);
        for (const item of items) void this.#run({ items: [item], form });
      }
    }
    this.#schedule();
  }

  async #run({ items, form }: Taken): Promise<void> {
    const { always } = this.#parts;
    const [only, second] = items;
    const [read, other] = only?.reads ?? [];
    if (second === undefined && other === undefined && read !== undefined && !always) return this.#runOne(read);
    this.#running += 1;
    this.#unsent += 1;
    await new Batch(this, items, second === undefined && !always ? undefined : form, this.#sent).run();
    this.#running -= 1;
    this.#schedule();
  }

  async #runOne(read: WaitingRead): Promise<void> {
    this.#running += 1;
    this.#unsent += 1;
    const began = performance.now();
    let sentAt: number | undefined;
    const sent = (): void => {
      if (sentAt === undefined) this.#sent();
      sentAt ??= performance.now();
    };
    await runAlone(read, { ...read.options, sent });
    if (sentAt === undefined) this.#sent();
    const now = performance.now();
    this.#pace.ranSingle(now - (sentAt ?? began), now);
    this.#running -= 1;
    this.#schedule();
  }

  readonly #sent = (): void => {
    this.#unsent -= 1;
  };

  /** Removes and returns reads with at most `most` different values: those of one statement if `isMerged`. */
  #take(most: number, isMerged: boolean): Taken {
    const items = new Map<string, { values: WaitingRead['values']; reads: WaitingRead[] }>();
    const left: WaitingRead[] = [];
    const { form } = this.#parts.mergeable;
    let first: WaitingRead | undefined;
    let isMixed = false;
    let characters = 0;
    for (const [index, read] of this.#waiting.entries()) {
      if (items.size >= most || (isMerged && characters > MOST_CHARACTERS)) {
        left.push(...this.#waiting.slice(index));
        break;
      }
      if (rejectIfCanceled(read)) continue;
      const isUnlike = isMerged && first !== undefined && !form.isAlike(first.values, read.values);
      first ??= read;
      if (isUnlike && this.#mixed === undefined) {
        left.push(read);
        continue;
      }
      isMixed ||= isUnlike;
      const key = this.#waiting.length === 1 ? '' : keyOf(read.values);
      const item = items.get(key);
      if (item === undefined) {
        items.set(key, { values: read.values, reads: [read] });
        characters += charactersOf(read);
      } else item.reads.push(read);
    }
    this.#waiting = left;
    return { items: [...items.values()], form: (isMixed ? this.#mixed : undefined) ?? form };
  }

  #mostItems(): number {
    return !this.#parts.always && this.#pace.isPaused(performance.now()) ? 1 : this.#most;
  }

  #mostRunning(): number {
    const isUnlimited = this.#mostItems() < 2 && !this.#pace.isComparing;
    return isUnlimited ? Number.POSITIVE_INFINITY : this.#pace.mostRunning();
  }

  /** Compares the plans in the background, once several requests have waited often. */
  #comparePlans(): void {
    if (this.#turns === 0) return;
    const { mergeable, text, database, role } = this.#parts;
    const { mixed } = mergeable;
    const all = this.#waiting.map((read) => read.values);
    const [first] = all;
    // Those that are alike share a plan already.
    if (mixed !== undefined && all.every((one) => first === undefined || mergeable.form.isAlike(first, one))) return;
    this.#turns -= 1;
    if (this.#turns > 0) return;
    const values = all.slice(0, MOST_COMPARED);
    const compared = { database, role, text, form: mixed ?? mergeable.form, values };
    const comparison =
      mixed === undefined
        ? mostByPlan(compared).then((most) => {
            this.#most = most;
          })
        : isGoodPlan(compared).then((isGood) => {
            if (isGood) this.#mixed = mixed;
          });
    comparison.catch(() => undefined);
  }

  ran(ms: number, requests: number, items: number): void {
    const { stats } = this.#parts;
    stats.statements += 1;
    stats.requests += requests;
    const now = performance.now();
    if (items > 1) this.#pace.ranMerged(ms, items, now);
    else this.#pace.ranSingle(ms, now);
  }

  failed(): void {
    this.#parts.stats.failures += 1;
    this.#pace.failed(performance.now());
  }
}

function charactersOf({ values }: WaitingRead): number {
  let sum = 0;
  for (const value of values) {
    if (typeof value === 'string') sum += value.length;
    else if (Array.isArray(value)) sum += value.length * CHARACTERS_OF_KEY;
  }
  return sum;
}
