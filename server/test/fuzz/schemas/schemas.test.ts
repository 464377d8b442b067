/**
 * Random tables with random permissions, and random requests to them. The expected results are those of SQL on views and
 * tables (reads.ts, writes.ts), which share no code with the compiler. All ways to run an operation have the same result.
 * `FUZZ_SEED=<number>` selects other schemas and requests; a failure reports its seed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectedClient } from '../../support/http/websocket-clients.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { difference } from '../compare.ts';
import { type Random, randomFrom } from '../random.ts';
import { inputs, seed } from '../seed.ts';
import { quote } from './columns.ts';
import { type Read, randomRead } from './reads.ts';
import { type Role, randomSchema, roles, type Schema, schemaSql, tablesMetadata } from './schema.ts';
import { randomWrite } from './writes.ts';

const SCHEMAS = 4;
const READS = 40;
const WRITES = 20;
/** One read in this number runs in all ways. */
const COMPARED = 8;

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

interface Inconsistencies {
  readonly inconsistent_objects: readonly { readonly name: string; readonly reason: string }[];
}

let service: TestService;
let exported: { readonly sources: readonly [Readonly<Record<string, unknown>>] };

beforeAll(async () => {
  service = await startService({ JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50' });
  exported = (await service.command('export_metadata', {})) as typeof exported;
});
afterAll(() => service?.stop());

async function sql(text: string): Promise<readonly (string | null)[]> {
  const { rows } = await service.database.database.query({ text, values: [] });
  return rows[0] ?? [];
}

async function applySchema(schema: Schema, random: Random): Promise<void> {
  await service.command('clear_metadata', {});
  await service.command('run_sql', { sql: schemaSql(schema, random) });
  const [source] = exported.sources;
  const metadata = {
    ...exported,
    sources: [{ ...source, tables: tablesMetadata(schema) }],
    inherited_roles: [{ role_name: 'both', role_set: ['one', 'two'] }],
  };
  await service.command('replace_metadata', { allow_inconsistent_metadata: true, metadata });
  const { inconsistent_objects } = (await service.command('get_inconsistent_metadata', {})) as Inconsistencies;
  // Permissions to write are inherited only if they are equal.
  const unexpected = inconsistent_objects.filter(({ name }) => !/^both: (insert|update|delete) permission/.test(name));
  expect(unexpected).toEqual([]);
}

function session({ user }: Schema, role: Role): Readonly<Record<string, string>> {
  return { 'x-service-role': role, 'x-service-user-id': String(user) };
}

/** Asserts that a batch, a query and a subscription over a websocket, and a REST endpoint have the same result. */
async function expectSameResults(read: Read, role: Role, schema: Schema, data: unknown): Promise<void> {
  const { query, variables, declarations, fields } = read;
  const headers = session(schema, role);
  const subscription = `subscription${declarations} { ${fields} }`;
  const batch = await service.post(
    '/v1/graphql',
    [
      { query, variables },
      { query, variables },
    ],
    headers,
  );
  expect(batch.body).toEqual([{ data }, { data }]);
  for (const document of [query, subscription]) {
    const client = await connectedClient(service.url, headers);
    client.send({ id: '1', type: 'subscribe', payload: { query: document, variables } });
    expect(await client.next()).toMatchObject({ type: 'next', payload: { data } });
    await client.close();
  }
  await service.command('create_query_collection', { name: 'c', definition: { queries: [{ name: 'q', query }] } });
  const definition = { query: { collection_name: 'c', query_name: 'q' } };
  await service.command('create_rest_endpoint', { name: 'r', url: 'r', methods: ['POST'], definition });
  expect((await service.post('/api/rest/r', variables, headers)).body).toEqual(data);
  await service.command('drop_rest_endpoint', { name: 'r' });
  await service.command('drop_query_collection', { collection: 'c', cascade: true });
}

async function checkRead(random: Random, schema: Schema, number: number): Promise<void> {
  const role = random.pick(roles);
  const read = randomRead(random, schema, role);
  const expected = JSON.parse((await sql(read.sql))[0] ?? '') as unknown;
  const sent = { query: read.query, variables: read.variables };
  const body = (await service.post('/v1/graphql', sent, session(schema, role))).body as Body;
  const found = body.errors?.[0]?.message ?? difference(expected, body.data);
  if (found !== undefined) throw new Error(`${role}: ${found}\n${JSON.stringify(sent)}\n${read.sql}`);
  if (number % COMPARED === 0) await expectSameResults(read, role, schema, body.data);
}

/** Returns a query of the rows of all tables as one text. */
function contentsSql({ tables }: Schema): string {
  const lists = tables.map(
    ({ name }) => `(select coalesce(json_agg(t order by t.id)::text, '') from public.${quote(name)} t)`,
  );
  return `select ${lists.join(` || ' ' || `)}`;
}

/** Runs the SQL of a write and rolls back. Returns the number of rows and all contents, or undefined if it fails. */
async function expectedWrite(schema: Schema, statement: string): Promise<readonly [string, string] | undefined> {
  let result: readonly [string, string] | undefined;
  const undo = new Error('undone');
  await service.database.database
    .transaction(async (query) => {
      const [count, violations] = (await query({ text: statement, values: [] })).rows[0] ?? [];
      const after = (await query({ text: contentsSql(schema), values: [] })).rows[0]?.[0] ?? '';
      if (violations === '0') result = [count ?? '', after];
      throw undo;
    })
    .catch(() => undefined);
  return result;
}

async function checkWrite(random: Random, schema: Schema): Promise<'stored' | 'rejected'> {
  const role = random.pick(['one', 'two'] as const);
  const write = randomWrite(random, schema, role);
  const [before] = await sql(contentsSql(schema));
  const expected = await expectedWrite(schema, write.sql);
  const sent = { query: write.query, variables: write.variables };
  const body = (await service.post('/v1/graphql', sent, session(schema, role))).body as Body;
  const [after] = await sql(contentsSql(schema));
  const shown = `${role} ${JSON.stringify(sent)}\n${write.sql}\n${JSON.stringify(body)}`;
  if (expected === undefined) {
    expect(body.errors?.[0]?.extensions.code, shown).toMatch(/^(permission-error|constraint-violation)$/);
    expect(after, shown).toBe(before);
    return 'rejected';
  }
  expect(body, shown).toEqual({ data: { w: { affected_rows: Number(expected[0]) } } });
  expect(after, shown).toBe(expected[1]);
  return 'stored';
}

test('random requests to random schemas have the results of SQL, in all ways to run them', { timeout: 0 }, async () => {
  const outcomes = { stored: 0, rejected: 0 };
  for (let index = 0; index < inputs(SCHEMAS); index += 1) {
    const random = randomFrom(seed * 7_919 + index * 15_485_863);
    const schema = randomSchema(random);
    try {
      await applySchema(schema, random);
      for (let number = 0; number < READS; number += 1) await checkRead(random, schema, number);
      for (let number = 0; number < WRITES; number += 1) outcomes[await checkWrite(random, schema)] += 1;
    } catch (error) {
      throw new Error(`FUZZ_SEED=${seed}, schema ${index}: ${String(error)}`, { cause: error });
    }
  }
  // Both outcomes must occur in a sufficient number of writes.
  expect(outcomes.stored).toBeGreaterThan(10);
  expect(outcomes.rejected).toBeGreaterThan(5);
});
