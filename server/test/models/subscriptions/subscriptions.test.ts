/**
 * Random changes of a table, compared with what subscribers have received. `MODEL_SEED` and `MODEL_SCALE` select other changes and more
 * of them; a failure prints the seed and the shortest changes that fail.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { until } from '../../support/until.ts';
import { modelRuns, unhurried } from '../seed.ts';
import { anyStep, effectOf, type Notes, type Step } from './notes.ts';
import { idsOf, liveQuery, liveResult, readers, type Subscriber, sessionOf, stream, visible } from './subscribers.ts';

let service: TestService;
let nextId = 1;

beforeAll(async () => {
  const sql = 'create table note (id int primary key, author int not null, body text not null)';
  const intervals = {
    JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30',
    JOINERY_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30',
  };
  service = await startService(intervals, { sql });
  await service.command('track_table', { table: 'note' });
  const permission = { columns: '*', filter: { author: 'X-Service-User-Id' } };
  await service.command('create_select_permission', { table: 'note', role: 'user', permission });
});

afterAll(() => service?.stop());

/** The states of the table in the order of their commits, and the rows that changed their author. */
interface History {
  readonly states: Notes[];
  readonly moved: Set<number>;
}

interface Run {
  readonly history: History;
  readonly start: number;
  readonly live: readonly Subscriber[];
  readonly streams: readonly Subscriber[];
}

function current({ states }: History): Notes {
  return states.at(-1) ?? new Map();
}

async function execute(text: string): Promise<void> {
  await service.database.database.query({ text, values: [] });
}

async function runStep(step: Step, run: Run): Promise<void> {
  const { history, live, streams } = run;
  switch (step.kind) {
    case 'change':
    case 'transaction': {
      const changes = step.kind === 'change' ? [step.change] : step.changes;
      let notes = current(history);
      const statements: string[] = [];
      for (const change of changes) {
        const effect = effectOf(change, notes, nextId);
        if (effect === undefined) continue;
        if (change.kind === 'insert') nextId += change.notes.length;
        notes = effect.after;
        statements.push(step.kind === 'change' && step.via === 'graphql' ? effect.mutation : effect.sql);
      }
      if (statements.length === 0) return;
      const isRolledBack = step.kind === 'transaction' && !step.commits;
      // A subscriber may receive the state before its commit is acknowledged.
      if (!isRolledBack) record(history, notes);
      if (step.kind === 'change' && step.via === 'graphql') {
        const body = await service.graphql(`mutation { ${statements.join(' ')} }`, { 'x-service-role': 'admin' });
        if (JSON.stringify(body).includes('"errors"')) throw new Error(JSON.stringify(body));
        return;
      }
      await execute(`begin; ${statements.join('; ')}; ${isRolledBack ? 'rollback' : 'commit'}`);
      return;
    }
    case 'reconnect': {
      const all = [...live, ...streams];
      await all[step.subscriber % all.length]?.reconnect();
      return;
    }
    case 'wait':
      return untilReceived(run);
    default:
      return step satisfies never;
  }
}

function record({ states, moved }: History, notes: Notes): void {
  for (const [id, { author }] of states.at(-1) ?? []) {
    const after = notes.get(id);
    if (after !== undefined && after.author !== author) moved.add(id);
  }
  states.push(notes);
}

/** Returns the rows that the stream must have sent: those that exist, and could be seen since they were committed. */
function dueIds({ history, start }: Run, { reader }: Subscriber): readonly number[] {
  return visible(current(history), reader).filter((id) => id > start && !history.moved.has(id));
}

/** Waits until the last result of each live query is the current one, and each stream has sent the rows that exist. */
async function untilReceived(run: Run): Promise<void> {
  const missing = (): readonly string[] => [
    ...run.live.flatMap(({ reader, connections }) => {
      const [last, wanted] = [JSON.stringify(connections.at(-1)?.at(-1)), liveResult(current(run.history), reader)];
      return last === wanted ? [] : [`the live query of ${reader.author} has ${last} in place of ${wanted}`];
    }),
    ...run.streams.flatMap((one) => {
      const received = new Set(idsOf(one.connections.flat()));
      const rest = dueIds(run, one).filter((id) => !received.has(id));
      return rest.length === 0 ? [] : [`the stream of ${one.reader.author} misses ${rest.join()}`];
    }),
  ];
  await until(
    () => missing().join('; '),
    () => missing().length === 0,
    { seconds: 30 },
  );
}

/** The results of a live query are states of the table in the order of their commits, and each differs from the one before. */
function checkLive({ history, live }: Run): void {
  for (const { reader, connections, problems } of live) {
    if (problems.length > 0) throw new Error(`a live query received ${problems.join()}`);
    const states = history.states.map((notes) => liveResult(notes, reader));
    let from = 0;
    for (const results of connections) {
      const texts = results.map((one) => JSON.stringify(one));
      for (const [index, text] of texts.entries()) {
        if (text === texts[index - 1]) throw new Error(`a live query received ${text} twice in a row`);
        const found = states.indexOf(text, from);
        if (found < 0) throw new Error(`a live query received ${text}, which is no state from number ${from} on`);
        from = found;
      }
    }
  }
}

/** A stream sends rows in order, each once, and only rows that were committed and that its reader could see. */
function checkStreams({ history, streams, start }: Run): void {
  for (const { reader, connections, problems } of streams) {
    if (problems.length > 0) throw new Error(`a stream received ${problems.join()}`);
    const ids = idsOf(connections.flat());
    const allowed = new Set(history.states.flatMap((notes) => visible(notes, reader)));
    for (const [index, id] of ids.entries()) {
      if (id <= (ids[index - 1] ?? start)) throw new Error(`a stream received ${ids.join()}, which is not in order`);
      if (!allowed.has(id)) throw new Error(`a stream of ${reader.author} received the row ${id}`);
    }
  }
}

/** A query has the results that the model expects. */
async function checkQueries({ history }: Run): Promise<void> {
  for (const reader of readers) {
    const body = await service.graphql('{ note(order_by: { id: asc }) { id author body } }', sessionOf(reader));
    const [found, wanted] = [JSON.stringify(body), `{"data":${liveResult(current(history), reader)}}`];
    if (found !== wanted) throw new Error(`the query has the result ${found} in place of ${wanted}`);
  }
}

async function runSteps(steps: readonly Step[], batchSize: number): Promise<void> {
  await execute('delete from note');
  const start = nextId;
  nextId += 1;
  const live = await Promise.all(readers.map((reader) => liveQuery(service.url, reader)));
  const streams = await Promise.all(readers.map((reader) => stream(service.url, reader, start, batchSize)));
  const run: Run = { history: { states: [new Map()], moved: new Set() }, start, live, streams };
  try {
    for (const step of steps) await runStep(step, run);
    await untilReceived(run);
    checkLive(run);
    checkStreams(run);
    await checkQueries(run);
  } finally {
    await Promise.all([...live, ...streams].map((one) => one.close()));
  }
}

test('subscribers receive the committed changes of the model', unhurried, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 1, maxLength: 15, size: 'max' }),
      fc.integer({ min: 1, max: 5 }),
      runSteps,
    ),
    modelRuns(12),
  );
});
