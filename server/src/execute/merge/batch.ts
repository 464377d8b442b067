/** Runs one statement for several requests. Where it fails, fewer requests share a statement, down to one each. */
import { Cancellation, cancellationError } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { QueryOptions } from '../../postgres/client/statement-run.ts';
import type { Watchdog, Watched } from '../../postgres/client/watchdog.ts';
import { isValueError } from '../../postgres/sql/errors.ts';
import type { MergeForm, Rows, Values } from './merge-form.ts';

/** The read of one request. */
export interface WaitingRead {
  /** The values of the parameters of its own statement. */
  readonly values: Values;
  readonly options: QueryOptions;
  /** Runs its own statement. */
  readonly run: (options: QueryOptions) => Promise<Rows>;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it was canceled and rejected. */
  canceled: boolean;
}

/** The reads with equal values, which have equal results. */
export interface Item {
  readonly values: Values;
  readonly reads: readonly WaitingRead[];
}

export interface BatchOwner {
  readonly database: Database;
  readonly watchdog: Watchdog;
  /** The text of the statement of one request. */
  readonly text: string;
  /** Called when a statement for several requests has succeeded. `items` is the number of those with different values. */
  ran(ms: number, requests: number, items: number): void;
  /** Called when a merged statement has failed or took too long. */
  failed(): void;
}

/** Milliseconds after which a merged statement is canceled, and its requests run alone: one of them may be slow. */
const LONGEST_MS = 1_000;

export class Batch implements Watched {
  readonly #owner: BatchOwner;
  readonly #items: readonly Item[];
  /** Undefined: the statement of one request runs for the reads of one item. */
  readonly #form: MergeForm | undefined;
  readonly #onSent: () => void;
  readonly #cancellation = new Cancellation();
  /** When the statement had a connection. The wait for one does not count towards its limit. */
  #sentAt: number | undefined;
  #late = false;

  /** `onSent` is called once: when the statement is sent, or when it ends without that. */
  constructor(owner: BatchOwner, items: readonly Item[], form: MergeForm | undefined, onSent = ignore) {
    this.#owner = owner;
    this.#items = items;
    this.#form = form;
    this.#onSent = onSent;
  }

  /** Rejects reads whose request was canceled. Cancels the statement when no read is left, or when it takes too long. */
  check(now: number): void {
    let isLeft = false;
    for (const { reads } of this.#items) for (const read of reads) if (!rejectIfCanceled(read)) isLeft = true;
    if (!isLeft) this.#cancellation.abort();
    else if (this.#items.length > 1 && now - (this.#sentAt ?? now) > LONGEST_MS) {
      this.#late = true;
      this.#cancellation.abort();
    }
  }

  /** Resolves when all reads are resolved or rejected. Never rejects. */
  async run(): Promise<void> {
    const { watchdog } = this.#owner;
    const reads = this.#items.flatMap((item) => item.reads);
    const began = performance.now();
    watchdog.watch(this);
    try {
      const rows = await inSpans(reads, this.#form?.text ?? this.#owner.text, () => this.#query());
      watchdog.forget(this);
      this.#owner.ran(performance.now() - (this.#sentAt ?? began), reads.length, this.#items.length);
      this.#distribute(rows);
    } catch (error) {
      watchdog.forget(this);
      const wasSent = this.#sentAt !== undefined;
      if (!wasSent) this.#onSent();
      await this.#recover(error, wasSent);
    }
  }

  readonly #sent = (): void => {
    if (this.#sentAt === undefined) this.#onSent();
    this.#sentAt = performance.now();
  };

  async #query(): Promise<Rows> {
    const { database } = this.#owner;
    const [first] = this.#items;
    const [read] = first?.reads ?? [];
    const options = { ...read?.options, signal: this.#cancellation, span: undefined, sent: this.#sent };
    if (this.#form === undefined) return read?.run(options) ?? [];
    const { text } = this.#form;
    const values = this.#form.values(this.#items.map((item) => item.values));
    return (await database.query({ text, values, name: database.prepared(text) }, options)).rows;
  }

  #distribute(rows: Rows): void {
    const divided = this.#form?.divide(
      rows,
      this.#items.map(({ values }) => values),
    );
    for (const [index, { reads }] of this.#items.entries()) {
      const own = divided === undefined ? rows : divided[index];
      for (const read of reads) {
        if (own === undefined) read.reject(new TypeError('the merged statement returned no row for a request'));
        else read.resolve(own);
      }
    }
  }

  /** Runs the reads again with fewer requests in a statement, so that each has the result or the error of its own. */
  async #recover(error: unknown, wasSent: boolean): Promise<void> {
    const left = this.#items.flatMap(({ values, reads }) => {
      const waiting = reads.filter((read) => !rejectIfCanceled(read));
      return waiting.length === 0 ? [] : [{ values, reads: waiting }];
    });
    const isBusy = hasCode(error, 'busy');
    const reject = (): void => {
      for (const { reads } of left) for (const read of reads) read.reject(error);
    };
    // Each would wait for a connection as long again.
    if (isBusy && !wasSent) return reject();
    if (this.#form === undefined) {
      // The error of equal values. A lost connection is not.
      if (!isBusy) return reject();
      await Promise.all(left.flatMap(({ reads }) => reads.map((read) => runAlone(read))));
      return;
    }
    if (left.length === 0) return;
    this.#owner.failed();
    const isOfValues = isValueError(error) || hasCode(error, 'result-limit-exceeded');
    if (this.#late || !isOfValues) await Promise.all(left.map((item) => this.#runItem(item)));
    else await this.#halve(left, this.#form);
  }

  async #halve(left: readonly Item[], form: MergeForm): Promise<void> {
    const middle = Math.ceil(left.length / 2);
    const halves = [left.slice(0, middle), left.slice(middle)];
    await Promise.all(
      halves.map((half) => {
        const [only, second] = half;
        if (only === undefined) return undefined;
        return second === undefined ? this.#runItem(only) : new Batch(this.#owner, half, form).run();
      }),
    );
  }

  #runItem(item: Item): Promise<void> {
    const [only, second] = item.reads;
    return only !== undefined && second === undefined
      ? runAlone(only)
      : new Batch(this.#owner, [item], undefined).run();
  }
}

function ignore(): void {}

/** Runs the statement of one request. Never rejects. */
export function runAlone(read: WaitingRead, options: QueryOptions = read.options): Promise<void> {
  return read.run(options).then(read.resolve, read.reject);
}

/** Rejects a read whose request was canceled. Returns whether it was. */
export function rejectIfCanceled(read: WaitingRead): boolean {
  const { signal } = read.options;
  if (!read.canceled && signal?.aborted) {
    read.canceled = true;
    read.reject(cancellationError(signal));
  }
  return read.canceled;
}

function hasCode(error: unknown, code: ServiceError['code']): boolean {
  return error instanceof ServiceError && error.code === code;
}

/** Maximum characters of a statement in traces. */
const LONGEST_TRACED = 4_000;

/** Records the statement in the trace of each request. */
async function inSpans(reads: readonly WaitingRead[], text: string, run: () => Promise<Rows>): Promise<Rows> {
  const parents = reads.flatMap(({ options }) => (options.span?.recorded ? [options.span] : []));
  if (parents.length === 0) return run();
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': 'SELECT',
    'db.query.text': text.slice(0, LONGEST_TRACED),
    'joinery.merged_requests': reads.length,
  };
  const spans = parents.map((parent) => parent.child('SELECT merged', { kind: 'client', attributes }));
  try {
    const rows = await run();
    for (const span of spans) span.end();
    return rows;
  } catch (error) {
    for (const span of spans) span.end(error);
    throw error;
  }
}
