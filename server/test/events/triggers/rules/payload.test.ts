/** The body of a call, through the whole service, as Hasura v2 sends it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../support/events/delivery-node.ts';
import { startTriggerService, type TriggerService } from '../../../support/events/trigger-service.ts';

/** A type, a value as SQL, and the JSON text in the body. */
type Case = readonly [type: string, value: string, json: string];

const cases: readonly Case[] = [
  ['smallint', '-32768', '-32768'],
  ['integer', '2147483647', '2147483647'],
  ['bigint', '9223372036854775807', '9223372036854775807'],
  ['numeric', '12345678901234567890.123456789', '12345678901234567890.123456789'],
  ['numeric(12,2)', '7.5', '7.50'],
  ['numeric', "'NaN'", '"NaN"'],
  ['numeric', "'Infinity'", '"Infinity"'],
  ['real', '1.5', '1.5'],
  ['double precision', '0.1', '0.1'],
  ['double precision', "'-Infinity'", '"-Infinity"'],
  ['double precision', "'NaN'", '"NaN"'],
  ['boolean', 'true', 'true'],
  ['text', `E'a "quote", a \\\\ and a\\nline'`, '"a \\"quote\\", a \\\\ and a\\nline"'],
  ['text', "'é 漢 🙂'", '"é 漢 🙂"'],
  ['text', "''", '""'],
  ['char(3)', "'a'", '"a  "'],
  ['varchar(5)', "'abc'", '"abc"'],
  ['date', "'2026-09-01'", '"2026-09-01"'],
  ['timestamp', "'2026-09-01 08:00:00.5'", '"2026-09-01T08:00:00.5"'],
  ['timestamptz', "'2026-09-01 08:00:00+02'", '"2026-09-01T06:00:00+00:00"'],
  ['timestamptz', "'infinity'", '"infinity"'],
  ['time', "'08:00'", '"08:00:00"'],
  ['timetz', "'08:00+02'", '"08:00:00+02"'],
  ['interval', "'1 day 02:03:04'", '"1 day 02:03:04"'],
  ['uuid', "'5b0c1f9e-0000-8000-8000-00000000000a'", '"5b0c1f9e-0000-8000-8000-00000000000a"'],
  ['bytea', "'\\x00ff'", '"\\\\x00ff"'],
  ['money', '1234.5', '"$1,234.50"'],
  ['bit(3)', "B'101'", '"101"'],
  ['inet', "'10.0.0.1/8'", '"10.0.0.1/8"'],
  ['point', "'(1,2)'", '"(1,2)"'],
  ['xml', "'<a/>'", '"<a/>"'],
  ['integer[]', "'{1,null,3}'", '[1,null,3]'],
  ['text[]', `'{a,"b c"}'`, '["a","b c"]'],
  ['integer[]', "'{{1,2},{3,4}}'", '[[1,2],[3,4]]'],
  ['integer[]', "'{}'", '[]'],
  ['int4range', "'[1,5)'", '"[1,5)"'],
  ['json', `'{"b": 1, "a" : [ 1.50 , {"d":1, "c":2} ]}'`, '{"a":[1.50,{"c":2,"d":1}],"b":1}'],
  ['json', `'{"a":1,"a":2}'`, '{"a":2}'],
  ['json', "'null'", 'null'],
  ['json', "'[ ]'", '[]'],
  ['jsonb', `'{"bb": 1, "a": {"z": null, "y": true}}'`, '{"a":{"y":true,"z":null},"bb":1}'],
  ['jsonb', "'12345678901234567890'", '12345678901234567890'],
  ['mood', "'fine'", '"fine"'],
  ['pair', "row(1, 'x')", '{"first":1,"second":"x"}'],
  ['pair[]', "array[row(1, 'x')::pair]", '[{"first":1,"second":"x"}]'],
  ['positive', '3', '3'],
  ['text', 'null', 'null'],
  ['integer[]', 'null', 'null'],
  ['jsonb', 'null', 'null'],
];

/** The names sort as the cases do. */
const column = (index: number): string => `c${String(index).padStart(2, '0')}`;

const columns = cases.map(([type], index) => `${column(index)} ${type}`);
const values = cases.map(([, value]) => value);

let s: TriggerService;

beforeAll(async () => {
  s = await startTriggerService({
    sql: `create type mood as enum ('fine', 'bad');
      create type pair as (first int, second text);
      create domain positive as int check (value > 0);
      create table everything (${columns.join()}, cz int);
      create table item (zeta int, id int primary key, "Übrig" text, "Name" text, alpha jsonb, beta text);
      create table "or""der\\" ("a""b" int, "c\\d" int, "e\u00e9" int)`,
    tables: ['everything', 'item', 'or"der\\'],
  });
  const all = { insert: { columns: '*' }, update: { columns: '*' }, delete: { columns: '*' } };
  await s.create('everything', { table: 'everything', insert: { columns: '*' } });
  await s.create('item', { table: 'item', ...all, retry_conf: { num_retries: 3, interval_sec: 1 } });
  await s.create('listed', {
    table: 'item',
    insert: { columns: '*', payload: ['zeta', 'id'] },
    update: { columns: ['beta'], payload: ['beta', 'alpha'] },
    delete: { columns: '*', payload: ['id'] },
    enable_manual: true,
  });
  await s.create('named', { table: 'or"der\\', insert: { columns: '*' } });
  await s.sql(`insert into everything values (${values.join()}, 1)`);
  await s.sql(`insert into item values (1, 7, 'ü', 'n', '{"b": 1, "a": 2}', null);
    update item set beta = 'x' where id = 7; delete from item where id = 7`);
  await s.sql(`insert into "or""der\\" values (1, 2, 3)`);
});
afterAll(() => s.stop());

const dataOf = (call: Call | undefined): string => /"event":\{"data":(.*),"op":/.exec(call?.text ?? '')?.[1] ?? '';

/** Returns the call of an operation. */
async function callOf(name: string, op: string): Promise<Call | undefined> {
  const calls = await s.called(name, 3);
  return calls.find(({ body }) => (body.event as { readonly op: string }).op === op);
}

describe('the values of a row', () => {
  test.each(cases.map(([type, value, json], index) => [type, value, json, index] as const))(
    'of the type %s: %s is %s',
    async (_type, _value, json, index) => {
      const [call] = await s.called('everything');
      const next = index === cases.length - 1 ? 'cz' : column(index + 1);
      const text = call?.text ?? '';
      const start = text.indexOf(`"${column(index)}":`);
      const end = text.indexOf(`,"${next}":`, start);
      expect(text.slice(start, end)).toBe(`"${column(index)}":${json}`);
    },
  );
});

describe('the rows of an event', () => {
  const row = (beta: string): string => `{"Name":"n","alpha":{"a":2,"b":1},"beta":${beta},"id":7,"zeta":1,"Übrig":"ü"}`;

  test.each([
    ['INSERT', `{"new":${row('null')},"old":null}`],
    ['UPDATE', `{"new":${row('"x"')},"old":${row('null')}}`],
    ['DELETE', `{"new":null,"old":${row('"x"')}}`],
  ])('of %s have all columns in alphabetical order, absent rows are null', async (op, data) => {
    expect(dataOf(await callOf('item', op))).toBe(data);
  });

  test.each([
    ['INSERT', '{"new":{"id":7,"zeta":1},"old":null}'],
    ['UPDATE', '{"new":{"alpha":{"a":2,"b":1},"beta":"x"},"old":{"alpha":{"a":2,"b":1},"beta":null}}'],
    ['DELETE', '{"new":null,"old":{"id":7}}'],
  ])('of %s have the columns of the payload only', async (op, data) => {
    expect(dataOf(await callOf('listed', op))).toBe(data);
  });

  test('have the names of columns and tables as they are in the database', async () => {
    const [call] = await s.called('named');
    expect(dataOf(call)).toBe('{"new":{"a\\"b":1,"c\\\\d":2,"eé":3},"old":null}');
    expect(call?.body.table).toEqual({ schema: 'public', name: 'or"der\\' });
  });
});

describe('the members around the rows', () => {
  test('are in alphabetical order, null where the change has no session and no trace', async () => {
    const call = await callOf('item', 'DELETE');
    const body = call?.body ?? { id: '', created_at: '' };
    const data = dataOf(call);
    expect(call?.text).toBe(
      `{"created_at":"${body.created_at}","delivery_info":{"current_retry":0,"max_retries":3},` +
        `"event":{"data":${data},"op":"DELETE","session_variables":null,"trace_context":null},` +
        `"id":"${body.id}","table":{"name":"item","schema":"public"},"trigger":{"name":"item"}}`,
    );
  });

  test('created_at is the time of the transaction in UTC, without a zone and trailing zeros', async () => {
    const times = (await s.called('item', 3)).map(({ body }) => String(body.created_at));
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?$/);
    expect(new Set(times).size).toBe(1);
    expect(Math.abs(Date.now() - Date.parse(`${times[0]}Z`))).toBeLessThan(600_000);
  });

  test('id is a UUID that differs between events and triggers', async () => {
    const calls = [...(await s.called('item', 3)), ...(await s.called('listed', 3))];
    for (const { body } of calls) expect(body.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/);
    expect(new Set(calls.map(({ body }) => body.id)).size).toBe(6);
  });
});

describe('a manual event', () => {
  test.each([
    [
      'an object',
      '{ "b": 1, "a": {"d": 2, "c": 12345678901234567890} }',
      '{"a":{"c":12345678901234567890,"d":2},"b":1}',
    ],
    ['a list', '[1, null]', '[1,null]'],
    ['null', 'null', 'null'],
    ['text', '"text"', '"text"'],
    ['a number with all digits', '1.50', '1.5'],
    ['a boolean', 'false', 'false'],
  ])('has %s as its new row, and no old row', async (_what, payload, sent) => {
    const { body } = await s.service.post(
      '/v1/metadata',
      `{"type":"pg_invoke_event_trigger","args":{"name":"listed","payload":${payload}}}`,
    );
    const { event_id: id } = body as { readonly event_id: string };
    await expect.poll(() => s.sink.callsOf(id).length).toBe(1);
    const [call] = s.sink.callsOf(id);
    expect(dataOf(call)).toBe(`{"new":${sent},"old":null}`);
    expect(call?.body).toMatchObject({
      event: { op: 'MANUAL', session_variables: { 'x-hasura-role': 'admin' } },
      table: { schema: 'public', name: 'item' },
      trigger: { name: 'listed' },
    });
  });
});

describe('with JOINERY_STRINGIFY_NUMERIC_TYPES', () => {
  let stringified: TriggerService;

  beforeAll(async () => {
    stringified = await startTriggerService({
      sql: 'create table amount (a int, b bigint, c numeric, d float8, e real, f money, g numeric[], h jsonb, i bigint)',
      tables: ['amount'],
      environment: { JOINERY_STRINGIFY_NUMERIC_TYPES: 'true' },
    });
    await stringified.create('amount', { table: 'amount', insert: { columns: '*' }, enable_manual: true });
    await stringified.sql(`insert into amount values (1, 2, 3.50, 0.1, 1.5, 7, '{1.5}', '{"b": 1}', null)`);
  });
  afterAll(() => stringified.stop());

  const row = '{"a":1,"b":"2","c":"3.50","d":"0.1","e":1.5,"f":"$7.00","g":[1.5],"h":{"b":1},"i":null}';

  test('bigint, numeric, float8 and money are strings', async () => {
    const [call] = await stringified.called('amount');
    expect(dataOf(call)).toBe(`{"new":${row},"old":null}`);
  });

  test('the logs have the same rows', async () => {
    const [call] = await stringified.called('amount');
    const { body } = await stringified.post('pg_get_event_by_id', { event_id: call?.body.id });
    expect(body).toMatchObject({ event: { payload: { data: { new: JSON.parse(row) } } } });
  });

  test('the payload of a manual event keeps its numbers', async () => {
    await stringified.run('pg_invoke_event_trigger', { name: 'amount', payload: { b: 2 } });
    const calls = await stringified.called('amount', 2);
    expect(dataOf(calls[1])).toBe('{"new":{"b":2},"old":null}');
  });
});
