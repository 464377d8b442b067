/** Tests of the statements of the stored introspections, and of the hashes that identify them. */
import { RemoteSchemaName } from '@joinery/metadata/names';
import { RemoteSchemaDefinition } from '@joinery/metadata/schema/remote-schemas';
import { buildSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { fakeDatabase } from '../../../test/support/database/fake-database.ts';
import type { QueryResult, QueryRun } from '../../postgres/client/statement-run.ts';
import { introspectionOf } from './introspection.ts';
import { createIntrospectionStore, fingerprint, originOf } from './introspection-store.ts';

const schema = buildSchema('type Query { a: Int }');
const text = JSON.stringify(introspectionOf(schema));
const name = RemoteSchemaName.parse('blog');

/** A store whose statements return these rows, one result for each statement. */
function storeWith(...results: readonly (readonly (string | null)[])[][]) {
  const runs: QueryRun[] = [];
  const query = async (run: QueryRun): Promise<QueryResult> => {
    const columns = /read_at at time zone/.test(run.text) ? ['introspection', 'read_at'] : ['name'];
    const rows = (results[runs.length] ?? []).map((row) => [...row]);
    runs.push(run);
    return {
      rows,
      fields: columns.map((column) => ({ name: column, type: 25 })) as never,
      rowCount: rows.length,
      command: '',
    };
  };
  return { store: createIntrospectionStore(fakeDatabase(query)), runs };
}

test('finds the introspection of a name and an origin, with its time', async () => {
  const { store, runs } = storeWith([[text, '2026-01-02T03:04:05.678Z']]);
  const found = await store.find(name, 'o1');
  expect(found && printSchema(found.schema)).toBe(printSchema(schema));
  expect(found?.readAt).toBe('2026-01-02T03:04:05.678Z');
  expect(runs).toMatchObject([
    { text: expect.stringContaining('where name = $1 and origin = $2'), values: ['blog', 'o1'] },
  ]);
});

test('finds nothing without a row', async () => {
  expect(await storeWith([]).store.find(name, 'o1')).toBeUndefined();
});

test('only updates the time of an introspection that is stored, which is no change', async () => {
  const { store, runs } = storeWith([['blog']]);
  expect(await store.save(name, 'o1', schema)).toBe(false);
  expect(runs).toMatchObject([
    {
      text: expect.stringMatching(/^update .*where name = \$1 and origin = \$2 and introspection = \$3/s),
      values: ['blog', 'o1', text],
    },
  ]);
});

test('stores another introspection in place of the last one, which is a change', async () => {
  const { store, runs } = storeWith([], []);
  expect(await store.save(name, 'o2', schema)).toBe(true);
  expect(runs[1]).toMatchObject({
    text: expect.stringMatching(/^insert into .*on conflict \(name\) do update/s),
    values: ['blog', 'o2', text],
  });
});

test('deletes the introspections of other names', async () => {
  const { store, runs } = storeWith([]);
  await store.retain([name]);
  expect(runs).toMatchObject([{ text: expect.stringContaining('delete from'), values: [['blog']] }]);
});

test('schemas have equal fingerprints if their introspections are equal', () => {
  const known = fingerprint(schema);
  expect(fingerprint(schema)).toBe(known);
  expect(fingerprint(buildSchema('type Query { a: Int }'))).toBe(known);
  expect(fingerprint(buildSchema('type Query { b: Int }'))).not.toBe(known);
  expect(known).toMatch(/^[A-Za-z0-9+/]{43}=$/);
});

const origin = (definition: unknown, environment = {}) =>
  originOf(RemoteSchemaDefinition.parse(definition), environment);
const url = 'http://127.0.0.1/';

test('the origin is a hash of the expanded URL and of the headers', () => {
  const known = origin({ url });
  expect(known).toMatch(/^[0-9a-f]{64}$/);
  expect(origin({ url: '{{URL}}' }, { URL: url })).toBe(known);
  expect(origin({ url_from_env: 'URL' }, { URL: url })).toBe(known);
  expect(origin({ url, headers: [], timeout_seconds: 5 })).toBe(known);
  expect(origin({ url: 'http://127.0.0.2/' })).not.toBe(known);
  expect(origin({ url, headers: [{ name: 'A', value: 'b' }] })).not.toBe(known);
});

test('the origin needs the variables of the URL', () => {
  expect(() => origin({ url: '{{URL}}' })).toThrow('environment variable "URL" is not set');
});
