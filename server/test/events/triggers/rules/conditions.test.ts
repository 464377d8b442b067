/** The condition `when` of triggers, and the columns of updates: which changes cause events. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTriggerService, type TriggerService } from '../../../support/events/trigger-service.ts';

type Case = readonly [rule: string, when: object, ids: readonly number[]];

/** Conditions on the new row of an insert, and the ids of the rows that match. */
const inserts: readonly Case[] = [
  ['no condition on the row', {}, [1, 2, 3]],
  ['_eq', { name: { _eq: 'apple' } }, [1]],
  ['_eq with a quote and a backslash', { note: { _eq: `it's a "\\"` } }, [1]],
  ['_neq, which a null does not match', { name: { _neq: 'apple' } }, [2]],
  ['_in', { id: { _in: [1, 3] } }, [1, 3]],
  ['_in of an empty list', { id: { _in: [] } }, []],
  ['_nin', { id: { _nin: [1, 3] } }, [2]],
  ['_gt and _lte', { amount: { _gt: 1.5, _lte: 10 } }, [2]],
  ['_gte and _lt', { amount: { _gte: 1.5, _lt: 10 } }, [1]],
  ['_is_null true', { name: { _is_null: true } }, [3]],
  ['_is_null false', { name: { _is_null: false } }, [1, 2]],
  ['_like', { name: { _like: 'app%' } }, [1]],
  ['_nlike', { name: { _nlike: 'app%' } }, [2]],
  ['_ilike', { name: { _ilike: 'BAN%' } }, [2]],
  ['_nilike', { name: { _nilike: 'BAN%' } }, [1]],
  ['_similar', { name: { _similar: '(apple|pear)' } }, [1]],
  ['_nsimilar', { name: { _nsimilar: '(apple|pear)' } }, [2]],
  ['_regex', { name: { _regex: '^B.n' } }, [2]],
  ['_iregex', { name: { _iregex: '^b.n' } }, [2]],
  ['_nregex', { name: { _nregex: '^B' } }, [1]],
  ['_niregex', { name: { _niregex: '^b' } }, [1]],
  ['_ceq', { id: { _ceq: 'other_id' } }, [1]],
  ['_ceq with a path', { id: { _ceq: ['$', 'new', 'other_id'] } }, [1]],
  ['_cne', { id: { _cne: 'other_id' } }, [2]],
  ['_clt', { id: { _clt: 'other_id' } }, [2]],
  ['_eq of an enum', { mood: { _eq: 'fine' } }, [1]],
  ['_gt of a timestamptz', { at: { _gt: '2026-03-01T00:00:00Z' } }, [2]],
  ['_eq of a uuid', { key: { _eq: '5b0c1f9e-0000-8000-8000-00000000000a' } }, [1]],
  ['_eq of a boolean', { done: { _eq: true } }, [1]],
  ['_eq of a bytea', { bytes: { _eq: '\\x00ff' } }, [1]],
  ['_eq of an array', { tags: { _eq: ['a', 'b'] } }, [1]],
  ['_contains of an array', { tags: { _contains: ['b'] } }, [1, 2]],
  ['_contained_in of an array', { tags: { _contained_in: ['b', 'c'] } }, [2]],
  ['_eq of jsonb', { data: { _eq: { b: { c: 2 }, a: 1 } } }, [1]],
  ['_contains of jsonb', { data: { _contains: { a: 1 } } }, [1]],
  ['_contained_in of jsonb', { data: { _contained_in: { a: 2, z: 1 } } }, [2]],
  ['_has_key', { data: { _has_key: 'b' } }, [1]],
  ['_has_keys_any', { data: { _has_keys_any: ['b', 'z'] } }, [1]],
  ['_has_keys_all', { data: { _has_keys_all: ['a', 'b'] } }, [1]],
  ['_cast of jsonb to String', { data: { _cast: { String: { _like: '%"a": 2%' } } } }, [2]],
  ['_and', { _and: [{ id: { _gt: 1 } }, { id: { _lt: 3 } }] }, [2]],
  ['_or', { _or: [{ id: { _eq: 1 } }, { name: { _is_null: true } }] }, [1, 3]],
  ['_not, which a null does not match', { _not: { name: { _eq: 'apple' } } }, [2]],
  ['an empty _and', { _and: [] }, [1, 2, 3]],
  ['an empty _or', { _or: [] }, []],
];

/** Conditions on both rows of an update, and the ids of the rows that match. */
const updates: readonly Case[] = [
  ['the old row', { old: { id: { _eq: 1 } } }, [1]],
  ['both rows', { old: { name: { _eq: 'apple' } }, new: { name: { _eq: 'pear' } } }, [1]],
  ['_and of rows', { _and: [{ old: { name: { _is_null: true } } }, { new: { name: { _is_null: false } } }] }, [3]],
  ['_or of rows', { _or: [{ old: { id: { _eq: 2 } } }, { new: { id: { _eq: 3 } } }] }, [2, 3]],
  ['_not of a row', { _not: { old: { id: { _lt: 3 } } } }, [3]],
  ['a column of the other row', { new: { amount: { _cgt: ['$', 'old', 'amount'] } } }, [1]],
  ['the same in the other direction', { old: { amount: { _clt: ['$', 'new', 'amount'] } } }, [1]],
  ['equal columns of both rows', { new: { amount: { _ceq: ['$', 'old', 'amount'] } } }, [2]],
];

type Comparison = readonly [type: string, from: string, to: string, rule: 'changed' | 'unchanged'];

const comparisons: readonly Comparison[] = [
  ['text', "'a'", "'a'", 'unchanged'],
  ['text', "'a'", "'A'", 'changed'],
  ['text', 'null', 'null', 'unchanged'],
  ['text', 'null', "''", 'changed'],
  ['text', "'a'", 'null', 'changed'],
  ['text', "repeat('long ', 100000)", "repeat('long ', 100000)", 'unchanged'],
  ['text', "repeat('long ', 100000)", "repeat('long ', 99999) || 'last '", 'changed'],
  ['char(3)', "'a'", "'a '", 'unchanged'],
  ['numeric', '1.0', '1.00', 'unchanged'],
  ['numeric', '1.0', '1.01', 'changed'],
  ['numeric', "'NaN'", "'NaN'", 'unchanged'],
  ['float8', "'NaN'", "'NaN'", 'unchanged'],
  ['float8', "'-0'", '0', 'unchanged'],
  ['float8', '0', "'NaN'", 'changed'],
  ['timestamptz', "'2026-09-01 08:00+00'", "'2026-09-01 10:00+02'", 'unchanged'],
  ['interval', "'1 day'", "'24 hours'", 'unchanged'],
  ['json', `'{"a":1}'`, `'{"a":1}'`, 'unchanged'],
  ['json', `'{"a":1}'`, `'{"a": 1}'`, 'changed'],
  ['jsonb', `'{"a":1,"b":2}'`, `'{"b": 2, "a": 1}'`, 'unchanged'],
  ['jsonb', "'null'", 'null', 'changed'],
  ['jsonb', "'1.0'", "'1.00'", 'unchanged'],
  ['xml', "'<a/>'", "'<a/>'", 'unchanged'],
  ['xml', "'<a/>'", "'<b/>'", 'changed'],
  ['point', "'(1,2)'", "'(1,2)'", 'unchanged'],
  ['point', "'(1,2)'", "'(1,3)'", 'changed'],
  ['integer[]', "'{1,null}'", "'{1,null}'", 'unchanged'],
  ['integer[]', "'{1}'", "'{{1}}'", 'changed'],
  ['numeric[]', "'{1.0}'", "'{1.00}'", 'unchanged'],
  ['pair', "row(1, 'x')", "row(1, 'x')", 'unchanged'],
  ['pair', "row(1, 'x')", 'row(1, null)', 'changed'],
  ['mood', "'fine'", "'bad'", 'changed'],
  ['bytea', "'\\x00'", "'\\x00'", 'unchanged'],
  ['int4range', "'[1,4]'", "'[1,5)'", 'unchanged'],
];

let s: TriggerService;

const trigger = (name: string, members: object): object => ({
  type: 'pg_create_event_trigger',
  // Paused: the events are read from the log.
  args: { name, webhook: 'http://127.0.0.1:9', paused: true, ...members },
});

beforeAll(async () => {
  const columns = comparisons.map(([type], index) => `c${index} ${type}`);
  s = await startTriggerService({
    sql: `create type mood as enum ('fine', 'bad');
      create type pair as (first int, second text);
      create table thing (id int primary key, other_id int, name text, note text, amount numeric, tags text[], data jsonb, mood mood,
        at timestamptz, key uuid, done boolean, bytes bytea);
      create table gone (like thing);
      create table compared (id int primary key, ${columns.join()})`,
    tables: ['thing', 'gone', 'compared'],
  });
  await s.run('bulk', [
    ...inserts.map(([, when], index) =>
      trigger(`insert_${index}`, { table: 'thing', insert: { columns: '*' }, when: { new: when } }),
    ),
    ...inserts.map(([, when], index) =>
      trigger(`delete_${index}`, {
        table: 'gone',
        delete: { columns: '*' },
        when: { old: JSON.parse(JSON.stringify(when).replace('"new"', '"old"')) },
      }),
    ),
    ...updates.map(([, when], index) =>
      trigger(`update_${index}`, { table: 'thing', update: { columns: ['name', 'amount'] }, when }),
    ),
    ...comparisons.map((_case, index) =>
      trigger(`compared_${index}`, { table: 'compared', update: { columns: [`c${index}`], payload: ['id'] } }),
    ),
  ]);
  await s.sql(`insert into thing values
    (1, 1, 'apple', E'it''s a "\\\\"', 1.5, '{a,b}', '{"a": 1, "b": {"c": 2}}', 'fine', '2026-01-01', '5b0c1f9e-0000-8000-8000-00000000000a', true, '\\x00ff'),
    (2, 5, 'Banana', 'x', 10, '{b}', '{"a": 2}', 'bad', '2026-06-01', '5b0c1f9e-0000-8000-8000-00000000000b', false, '\\x01'),
    (3, null, null, null, null, null, null, null, null, null, null, null)`);
  await s.sql('insert into gone select * from thing; delete from gone');
  await s.sql(`update thing set name = case id when 1 then 'pear' when 2 then 'plum' else 'new' end,
    amount = case id when 1 then 2 when 2 then 10.0 end`);
  for (const [index, [, from, to]] of comparisons.entries()) {
    await s.sql(
      `insert into compared (id, c${index}) values (${index}, ${from}); update compared set c${index} = ${to} where id = ${index}`,
    );
  }
});
afterAll(() => s.stop());

/** Returns the ids of the rows of the stored events, in their order. */
async function ids(name: string): Promise<number[]> {
  const events = (await s.run('pg_get_event_logs', { name, limit: 1_000 })) as readonly {
    readonly payload: { readonly data: Readonly<Record<'old' | 'new', { readonly id: number } | null>> };
  }[];
  return events.flatMap(({ payload: { data } }) => (data.new ?? data.old)?.id ?? []).sort((one, other) => one - other);
}

describe.each(['insert', 'delete'])('an event of %s requires by its condition', (operation) => {
  test.each(inserts.map(([rule, , expected], index) => [rule, expected, index] as const))(
    '%s',
    async (_rule, expected, index) => {
      expect(await ids(`${operation}_${index}`)).toEqual(expected);
    },
  );
});

describe('an event of update requires by its condition on', () => {
  test.each(updates.map(([rule, , expected], index) => [rule, expected, index] as const))(
    '%s',
    async (_rule, expected, index) => {
      expect(await ids(`update_${index}`)).toEqual(expected);
    },
  );
});

describe('an update of a listed column', () => {
  test.each(comparisons.map(([type, from, to, rule], index) => [rule, type, from, to, index] as const))(
    'is %s: %s from %s to %s',
    async (rule, _type, _from, _to, index) => {
      expect(await ids(`compared_${index}`)).toEqual(rule === 'changed' ? [index] : []);
    },
  );

  test('of another column causes no event', async () => {
    await s.sql(
      `insert into thing (id, name) values (50, 'a'); update thing set other_id = 1, note = 'b' where id = 50`,
    );
    expect(await ids('update_4')).toEqual([3]);
  });
});
