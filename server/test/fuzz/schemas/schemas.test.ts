/**
 * Random tables with random permissions, and random requests to them. The expected results are those of SQL on views and
 * tables (reads.ts, writes.ts), which share no code with the compiler. All ways to run an operation have the same result.
 * `FUZZ_SEED=<number>` selects other schemas and requests; a failure reports its seed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestDatabase } from '../../support/database/test-database.ts';
import { difference } from '../compare.ts';
import { type Random, randomFrom } from '../random.ts';
import { inputs, seed } from '../seed.ts';
import { type FuzzedService, sessionOf, startFuzzedService } from './fuzzed-service.ts';
import { expectConnection, expectStream } from './paging.ts';
import { randomConnection } from './requests/connections.ts';
import { randomHidden } from './requests/hidden.ts';
import { type Feature, features } from './requests/reading.ts';
import { type Read, randomRead } from './requests/reads.ts';
import { randomStream } from './requests/streams.ts';
import { type Kind, kinds, type Query, randomWrite, type Write } from './requests/writes.ts';
import { quote } from './tables/columns.ts';
import { USER_SETTING } from './tables/functions.ts';
import { randomSchema, roles, type Schema } from './tables/schema.ts';
import { sqlName } from './tables/sources.ts';
import { expectSameResults, type Result } from './ways.ts';

const SCHEMAS = 6;
const READS = 40;
/** The number of reads of hidden columns. */
const HIDDEN = 10;
const WRITES = 100;
const STREAMS = 5;
const CONNECTIONS = 5;
/** One read in this number runs in all ways. */
const COMPARED = 8;

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

let services: readonly FuzzedService[] = [];
/** The service that has the schema. */
let fuzzed: FuzzedService;

const randomUser = (random: Random): number => 1 + random.below(3);

beforeAll(async () => {
  services = await Promise.all([startFuzzedService('auto'), startFuzzedService('always')]);
});
afterAll(() => Promise.all(services.map((one) => one.stop())));

/** Runs `work` in a transaction in which the SQL is that of the user. `query` returns the first value. */
async function asUser<Result>(
  { database }: TestDatabase,
  user: number,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  return await database.transaction(async (send) => {
    const query: Query = async (text) => (await send({ text, values: [] })).rows[0]?.[0] ?? '';
    await query(`select set_config('${USER_SETTING}', '${user}', true)`);
    return await work(query);
  });
}

/** Returns the features of the read. */
async function checkRead(random: Random, schema: Schema, number: number): Promise<Read['uses']> {
  const { service } = fuzzed;
  const role = random.pick(roles);
  const one = randomRead(random, schema, role);
  const sent = { query: one.query, variables: one.variables };
  const resultOf = async (user: number): Promise<Result> => {
    const expected = JSON.parse(await asUser(service.database, user, (query) => query(one.sql))) as unknown;
    const headers = sessionOf(role, user);
    const { data, errors } = (await service.post('/v1/graphql', sent, headers)).body as Body;
    const found = errors?.[0]?.message ?? difference(expected, data);
    if (found !== undefined) throw new Error(`of the user ${user}: ${found}`);
    return { headers, data };
  };
  try {
    const result = await resultOf(randomUser(random));
    if (number % COMPARED === 0) {
      await expectSameResults(service, one, [result, await resultOf(randomUser(random))], number);
    }
  } catch (error) {
    throw new Error(`${role}: ${String(error)}\n${JSON.stringify(sent)}\n${one.sql}`, { cause: error });
  }
  return one.uses;
}

async function checkHidden(random: Random, schema: Schema): Promise<void> {
  const role = random.pick(roles);
  const query = randomHidden(random, schema, role);
  if (query === undefined) return;
  const { body } = await fuzzed.service.post('/v1/graphql', { query }, sessionOf(role, 1));
  expect((body as Body).errors?.[0]?.extensions.code, `${role} ${query}`).toBe('validation-failed');
}

async function checkStream(random: Random, schema: Schema): Promise<void> {
  const [role, user] = [random.pick(roles), randomUser(random)];
  const one = randomStream(random, schema, role);
  try {
    const rows = JSON.parse(await asUser(fuzzed.service.database, user, (query) => query(one.sql))) as [
      unknown,
      unknown,
    ][];
    await expectStream(fuzzed.service, one, rows, sessionOf(role, user));
  } catch (error) {
    throw new Error(`${role} of the user ${user}: ${String(error)}\n${JSON.stringify(one)}`, { cause: error });
  }
}

async function checkConnection(random: Random, schema: Schema): Promise<void> {
  const [role, user] = [random.pick(roles), randomUser(random)];
  const [one, size] = [randomConnection(random, schema, role), 2 + random.below(8)];
  try {
    const nodes = JSON.parse(await asUser(fuzzed.service.database, user, (query) => query(one.sql))) as unknown[];
    await expectConnection(fuzzed.service, one, nodes, size, sessionOf(role, user));
  } catch (error) {
    throw new Error(
      `${role} of the user ${user}: ${String(error)}\n${one.page(`first: ${size}`)}\n${JSON.stringify(one)}`,
      { cause: error },
    );
  }
}

/** Returns a query of the rows of all tables as one text. */
function contentsSql({ tables }: Schema): string {
  const lists = tables.map((table) => {
    const key = table.primaryKey.map(({ name }) => `t.${quote(name)}`).join();
    return `(select coalesce(json_agg(t order by ${key})::text, '') from ${sqlName(table)} t)`;
  });
  return `select ${lists.join(` || ' ' || `)}`;
}

interface ExpectedWrite {
  /** The result of the root field. */
  readonly result: unknown;
  /** All rows afterwards. */
  readonly contents: string;
}

/** Runs the SQL of a write and rolls back. Returns undefined if it fails. */
async function expectedWrite(schema: Schema, write: Write, user: number): Promise<ExpectedWrite | undefined> {
  let expected: ExpectedWrite | undefined;
  const undo = new Error('undone');
  await asUser(fuzzed.databaseOf(write.source), user, async (query) => {
    const result = await write.run(query);
    if (result !== undefined) expected = { result, contents: await query(contentsSql(schema)) };
    throw undo;
  }).catch((error: unknown) => {
    if (error !== undo && !/violates/.test(String(error))) throw error;
  });
  return expected;
}

interface Outcome {
  readonly write: Write;
  readonly isStored: boolean;
}

async function checkWrite(random: Random, schema: Schema): Promise<Outcome> {
  const role = random.pick(['one', 'two'] as const);
  const user = randomUser(random);
  const write = randomWrite(random, schema, role, user);
  const contents = (): Promise<string> =>
    asUser(fuzzed.databaseOf(write.source), user, (query) => query(contentsSql(schema)));
  const before = await contents();
  const expected = await expectedWrite(schema, write, user);
  const sent = { query: write.query, variables: write.variables };
  const body = (await fuzzed.service.post('/v1/graphql', sent, sessionOf(role, user))).body as Body;
  const after = await contents();
  const shown = `${role} of the user ${user}\n${JSON.stringify(sent)}\n${JSON.stringify(body)}`;
  if (expected === undefined) {
    expect(body.errors?.[0]?.extensions.code, shown).toMatch(/^(permission-error|constraint-violation)$/);
    expect(after, shown).toBe(before);
    return { write, isStored: false };
  }
  const { namespace } = write.source;
  const root = { w: expected.result };
  expect(difference(namespace === undefined ? root : { [namespace]: root }, body.data), shown).toBeUndefined();
  expect(after, shown).toBe(expected.contents);
  // The tables in the other database, which SQL of later reads uses, stay the same.
  await asUser(fuzzed.copyOf(write.source), user, (query) => write.run(query));
  return { write, isStored: true };
}

test('random requests to random schemas have the results of SQL, in all ways to run them', { timeout: 0 }, async () => {
  const outcomes: Outcome[] = [];
  const used = new Set<Feature>();
  for (let index = 0; index < inputs(SCHEMAS); index += 1) {
    const random = randomFrom(seed * 7_919 + index * 15_485_863);
    const schema = randomSchema(random);
    fuzzed = services[index % services.length] as FuzzedService;
    try {
      await fuzzed.apply(schema, random);
      for (let number = 0; number < READS; number += 1) {
        for (const feature of await checkRead(random, schema, number)) used.add(feature);
      }
      for (let number = 0; number < HIDDEN; number += 1) await checkHidden(random, schema);
      for (let number = 0; number < STREAMS; number += 1) await checkStream(random, schema);
      for (let number = 0; number < CONNECTIONS; number += 1) await checkConnection(random, schema);
      for (let number = 0; number < WRITES; number += 1) {
        const outcome = await checkWrite(random, schema);
        outcomes.push(outcome);
        for (const feature of outcome.write.uses) used.add(feature);
      }
    } catch (error) {
      throw new Error(`FUZZ_SEED=${seed}, schema ${index}: ${String(error)}`, { cause: error });
    }
  }
  expect(features.filter((feature) => !used.has(feature))).toEqual([]);
  const stored = new Set<Kind>(outcomes.filter(({ isStored }) => isStored).map(({ write }) => write.kind));
  expect(kinds.filter((kind) => !stored.has(kind))).toEqual([]);
  // Both outcomes must occur in a sufficient number of writes.
  expect(outcomes.filter(({ isStored }) => isStored).length).toBeGreaterThan(10);
  expect(outcomes.filter(({ isStored }) => !isStored).length).toBeGreaterThan(5);
});
