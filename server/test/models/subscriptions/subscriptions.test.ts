/**
 * Random changes of tables through two nodes, compared with what subscribers of both have received. `MODEL_SEED` and `MODEL_SCALE` select other changes and more
 * of them; a failure prints the seed and the shortest changes that fail.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { testDatabase } from '../../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../../support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../../support/http/handler-server.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { until } from '../../support/until.ts';
import { modelRuns, unhurried } from '../seed.ts';
import { anyStep, effectOf, emptyState, type State, type Step } from './notes.ts';
import {
  idsOf,
  type LiveQuery,
  liveQuery,
  queries,
  readers,
  SCORE,
  type Subscriber,
  sessionOf,
  stream,
  toneOf,
  visible,
} from './subscribers.ts';

const sql = `
  create table author (id int primary key, name text not null);
  insert into author values (1, 'ann'), (2, 'ann');
  create table note (id int primary key, author int not null references author, body text not null);
`;

const own = { author: 'X-Service-User-Id' };
const metadata = (handler: string, remote: string) => ({
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'author',
          array_relationships: [
            { name: 'notes', using: { foreign_key_constraint_on: { table: 'note', column: 'author' } } },
          ],
          select_permissions: [
            { role: 'user', permission: { columns: '*', filter: { id: { _eq: 'X-Service-User-Id' } } } },
          ],
        },
        {
          table: 'note',
          object_relationships: [{ name: 'writer', using: { foreign_key_constraint_on: 'author' } }],
          remote_relationships: [
            { name: 'tone', definition: { to_action: { action: 'tone', arguments: { body: '$body' } } } },
            {
              name: 'score',
              definition: {
                to_remote_schema: {
                  remote_schema: 'scores',
                  lhs_fields: ['author'],
                  remote_field: { score: { arguments: { of: '$author' } } },
                },
              },
            },
          ],
          select_permissions: [{ role: 'user', permission: { columns: '*', filter: own, allow_aggregations: true } }],
        },
      ],
    },
  ],
  remote_schemas: [{ name: 'scores', definition: { url: remote } }],
  actions: [
    {
      name: 'tone',
      definition: {
        type: 'query',
        handler,
        arguments: [{ name: 'body', type: 'String!' }],
        output_type: 'String!',
      },
      permissions: [{ role: 'user' }],
    },
  ],
});

const services: TestService[] = [];
let handler: HandlerServer;
let remote: GraphQLServer;
let nextId = 1;

beforeAll(async () => {
  const intervals = {
    JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30',
    JOINERY_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30',
  };
  handler = await startHandlerServer({
    '/tone': ({ body }) => toneOf((body.input as { readonly body: string }).body),
  });
  remote = await startGraphQLServer('type Query { score(of: Int!): Int }', { score: () => SCORE });
  const database = await testDatabase({ sql });
  for (let node = 0; node < 2; node += 1) services.push(await startService(intervals, database));
  const { command } = nodeAt(0);
  await command('replace_metadata', metadata(`${handler.url}/tone`, remote.url));
  await until('the other node has the metadata', async () => {
    const body = await nodeAt(1).graphql('{ __type(name: "note") { name } }', { 'x-service-role': 'admin' });
    return JSON.stringify(body).includes('"note"');
  });
});

afterAll(async () => {
  const [first] = services;
  for (const service of services) await service.stop();
  await Promise.all([first?.database.drop(), handler?.close(), remote?.close()]);
});

function nodeAt(index: number): TestService {
  const service = services[index];
  if (service === undefined) throw new Error(`there is no node ${index}`);
  return service;
}

/** The states of the tables in the order of their commits, and the notes that changed their author. */
interface History {
  readonly states: State[];
  readonly moved: Set<number>;
}

interface Run {
  readonly history: History;
  readonly start: number;
  readonly live: readonly LiveQuery[];
  readonly streams: readonly Subscriber[];
}

function current({ states }: History): State {
  return states.at(-1) ?? emptyState;
}

async function execute(text: string): Promise<void> {
  await nodeAt(0).database.database.query({ text, values: [] });
}

async function runStep(step: Step, run: Run): Promise<void> {
  const { history, live, streams } = run;
  switch (step.kind) {
    case 'change':
    case 'transaction': {
      const changes = step.kind === 'change' ? [step.change] : step.changes;
      let state = current(history);
      const node = step.kind === 'change' && step.via !== 'sql' ? step.via : undefined;
      const statements: string[] = [];
      for (const change of changes) {
        const effect = effectOf(change, state, nextId);
        if (effect === undefined) continue;
        if (change.kind === 'insert') nextId += change.notes.length;
        state = effect.after;
        statements.push(node === undefined ? effect.sql : effect.mutation);
      }
      if (statements.length === 0) return;
      const isRolledBack = step.kind === 'transaction' && !step.commits;
      // A subscriber may receive the state before its commit is acknowledged.
      if (!isRolledBack) record(history, state);
      if (node !== undefined) {
        const body = await nodeAt(node).graphql(`mutation { ${statements.join(' ')} }`, { 'x-service-role': 'admin' });
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

function record({ states, moved }: History, state: State): void {
  for (const [id, { author }] of states.at(-1)?.notes ?? []) {
    const after = state.notes.get(id);
    if (after !== undefined && after.author !== author) moved.add(id);
  }
  states.push(state);
}

/** Returns the rows that the stream must have sent: those that exist, and could be seen since they were committed. */
function dueIds({ history, start }: Run, { reader }: Subscriber): readonly number[] {
  return visible(current(history), reader).filter((id) => id > start && !history.moved.has(id));
}

/** Waits until the last result of each live query is the current one, and each stream has sent the rows that exist. */
async function untilReceived(run: Run): Promise<void> {
  const missing = (): readonly string[] => [
    ...run.live.flatMap(({ reader, query, connections }) => {
      const [last, wanted] = [JSON.stringify(connections.at(-1)?.at(-1)), query.resultOf(current(run.history), reader)];
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
  for (const { reader, query, connections, problems } of live) {
    if (problems.length > 0) throw new Error(`a live query received ${problems.join()}`);
    const states = history.states.map((state) => query.resultOf(state, reader));
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
    const allowed = new Set(history.states.flatMap((state) => visible(state, reader)));
    for (const [index, id] of ids.entries()) {
      if (id <= (ids[index - 1] ?? start)) throw new Error(`a stream received ${ids.join()}, which is not in order`);
      if (!allowed.has(id)) throw new Error(`a stream of ${reader.author} received the row ${id}`);
    }
  }
}

/** A query of each node has the results that the model expects. */
async function checkQueries({ history }: Run): Promise<void> {
  for (const node of services) {
    for (const reader of readers) {
      for (const { text, resultOf } of Object.values(queries)) {
        const body = await node.graphql(`{ ${text} }`, sessionOf(reader));
        const [found, wanted] = [JSON.stringify(body), `{"data":${resultOf(current(history), reader)}}`];
        if (found !== wanted) throw new Error(`the query has the result ${found} in place of ${wanted}`);
      }
    }
  }
}

/** Subscribes for each reader and query: twice on one node, so that a poll serves both, and once on the other. */
function subscribeAll(): Promise<LiveQuery[]> {
  const wanted = readers.flatMap((reader) =>
    Object.values(queries).flatMap((query) => [0, 0, 1].map((node) => liveQuery(nodeAt(node).url, reader, query))),
  );
  return Promise.all(wanted);
}

/**
 * Lets each subscriber receive a further result. Where the last change had led to a result that is sent twice, the second one is before
 * it.
 */
async function afterwards(run: Run): Promise<void> {
  await untilReceived(run);
  for (const author of [1, 2]) {
    const change = { kind: 'insert', notes: [{ author, body: 'c' }] } as const;
    await runStep({ kind: 'change', change, via: 'sql' }, run);
  }
  await untilReceived(run);
}

async function runSteps(steps: readonly Step[], batchSize: number): Promise<void> {
  await execute(`delete from note; update author set name = 'ann'`);
  const start = nextId;
  nextId += 1;
  const live = await subscribeAll();
  const streams = await Promise.all(
    readers.map((reader, index) => stream(nodeAt(index % 2).url, reader, start, batchSize)),
  );
  const run: Run = { history: { states: [emptyState], moved: new Set() }, start, live, streams };
  try {
    for (const step of steps) await runStep(step, run);
    await afterwards(run);
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
