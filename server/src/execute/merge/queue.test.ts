/** How many statements of one plan run at a time, and which requests share one. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeDatabase } from '../../../test/support/database/fake-database.ts';
import { Cancellation } from '../../base/cancellation.ts';
import type { QueryOptions, QueryRun } from '../../postgres/client/statement-run.ts';
import type { Rows } from './merge-form.ts';
import { overLists } from './merge-form.ts';
import { MergeQueue } from './queue.ts';

/** A statement that was sent and has no result yet. */
interface Running {
  readonly text: string;
  /** The value of each request. */
  readonly requests: readonly unknown[];
  end(): void;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A queue of requests with one value each, whose plan is good. Results contain the value. */
function startQueue() {
  const running: Running[] = [];
  const run = ({ text, values }: QueryRun, options: QueryOptions | undefined) => {
    if (text.startsWith('explain')) return Promise.resolve(result([['[{"Plan":{"Total Cost":10}}]']]));
    options?.sent?.();
    const [first] = values;
    const requests: readonly unknown[] = Array.isArray(first) ? first : [first];
    const rows = requests.map((value, index) => [String(value), ...(text === 'merged' ? [String(index + 1)] : [])]);
    return new Promise<ReturnType<typeof result>>((resolve) => {
      const statement = {
        text,
        requests,
        end: () => running.splice(running.indexOf(statement), 1) && resolve(result(rows)),
      };
      running.push(statement);
    });
  };
  const database = fakeDatabase(run);
  const queue = new MergeQueue({
    mergeable: { kind: 'planned', form: overLists({ text: 'merged', slots: [{ kind: 'value', value: '' }] }) },
    text: 'alone',
    database,
    role: undefined,
    watchdog: { watch: () => undefined, forget: () => true, lag: () => 0 },
    stats: { statements: 0, requests: 0, failures: 0 },
    always: false,
  });
  /** Resolves to the first value of the result. */
  const read = (value: string, options: QueryOptions = {}): Promise<string | null | undefined> =>
    new Promise<Rows>((resolve, reject) => {
      const values = [value];
      const runAlone = async (given: QueryOptions): Promise<Rows> =>
        (await database.query({ text: 'alone', values }, given)).rows;
      queue.add({ values, options, run: runAlone, resolve, reject, canceled: false });
    }).then(([row]) => row?.[0]);
  return { queue, running, read };
}

function result(rows: Rows) {
  return { rows, fields: [], rowCount: rows.length, command: 'SELECT' };
}

type Started = ReturnType<typeof startQueue>;

/** Waits until the queue has started what it can. */
async function turn(): Promise<void> {
  for (let times = 0; times < 3; times += 1) await new Promise(setImmediate);
}

async function endAll({ running }: Started): Promise<void> {
  for (const statement of running.slice()) statement.end();
  await turn();
}

const valuesFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(first + index));

/** Runs requests until the plans are compared, then a merged statement for 20 that takes `ms`. */
async function startMerging(ms: number): Promise<Started> {
  const started = startQueue();
  const results: Promise<unknown>[] = [];
  for (let times = 0; times < 3; times += 1) {
    results.push(started.read('1'), started.read('2'));
    await turn();
    expect(started.running.map(({ text }) => text)).toEqual(['alone', 'alone']);
    await endAll(started);
  }
  const merged = valuesFrom(1, 20).map((value) => started.read(value));
  await turn();
  expect(started.running.map(({ text, requests }) => [text, requests])).toEqual([['merged', valuesFrom(1, 20)]]);
  vi.advanceTimersByTime(ms);
  await endAll(started);
  expect(await Promise.all(merged)).toEqual(valuesFrom(1, 20));
  await Promise.all(results);
  return started;
}

test('requests run alone and all at once before their plans are compared', async () => {
  const started = startQueue();
  const results = valuesFrom(1, 30).map((value) => started.read(value));
  await turn();
  expect(started.running.map(({ text }) => text)).toEqual(new Array(30).fill('alone'));
  await endAll(started);
  expect(await Promise.all(results)).toEqual(valuesFrom(1, 30));
});

test('while single statements are compared with a merged one, as many run at a time as when merged', async () => {
  const started = await startMerging(60);
  const results = valuesFrom(1, 30).map((value) => started.read(value));
  for (let round = 0; round < 5; round += 1) {
    await turn();
    expect(started.running.map(({ text, requests }) => [text, ...requests])).toEqual([
      ['alone', String(2 * round + 1)],
      ['alone', String(2 * round + 2)],
    ]);
    vi.advanceTimersByTime(10);
    await endAll(started);
  }
  // 60 ms are less than those of 20 statements alone, so that the others are merged.
  expect(started.running.map(({ text, requests }) => [text, requests])).toEqual([['merged', valuesFrom(11, 20)]]);
  await endAll(started);
  expect(await Promise.all(results)).toEqual(valuesFrom(1, 30));
});

test('requests run alone and all at once after a comparison in which they take less time alone', async () => {
  const started = await startMerging(60);
  const results = valuesFrom(1, 30).map((value) => started.read(value));
  for (let round = 0; round < 5; round += 1) {
    await turn();
    vi.advanceTimersByTime(1);
    await endAll(started);
  }
  expect(started.running.map(({ text }) => text)).toEqual(new Array(20).fill('alone'));
  await endAll(started);
  expect(await Promise.all(results)).toEqual(valuesFrom(1, 30));
});

test('during the comparison, requests with equal values share a statement, and count once towards the limit', async () => {
  const started = await startMerging(60);
  const results = ['a', 'a', 'b', 'c', 'c'].map((value) => started.read(value));
  await turn();
  expect(started.running.map(({ requests }) => requests)).toEqual([['a'], ['b']]);
  await endAll(started);
  expect(started.running.map(({ requests }) => requests)).toEqual([['c']]);
  await endAll(started);
  expect(await Promise.all(results)).toEqual(['a', 'a', 'b', 'c', 'c']);
});

test('during the comparison, one more statement starts for requests that wait long', async () => {
  const started = await startMerging(60);
  const results = valuesFrom(1, 5).map((value) => started.read(value));
  await turn();
  expect(started.running).toHaveLength(2);
  started.queue.check(performance.now() + 20);
  expect(started.running).toHaveLength(2);
  started.queue.check(performance.now() + 21);
  expect(started.running.map(({ requests }) => requests)).toEqual([['1'], ['2'], ['3']]);
  await endAll(started);
  await endAll(started);
  expect(await Promise.all(results)).toEqual(valuesFrom(1, 5));
});

test('a canceled request is rejected, and another one runs in place of it', async () => {
  const started = await startMerging(60);
  const signal = new Cancellation();

  const results = ['1', '2'].map((value) => started.read(value));
  const canceled = started.read('3', { signal }).catch((error: unknown) => error);
  results.push(started.read('4'));
  await turn();
  signal.abort();
  await endAll(started);
  expect(started.running.map(({ requests }) => requests)).toEqual([['4']]);
  expect(await canceled).toMatchObject({ status: 499 });
  await endAll(started);
  expect(await Promise.all(results)).toEqual(['1', '2', '4']);
});
