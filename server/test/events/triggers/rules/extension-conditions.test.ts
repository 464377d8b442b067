/** Conditions on types of extensions in a schema in which other roles may create operators. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTriggerService, type TriggerService } from '../../../support/events/trigger-service.ts';

const rules = [
  ['_eq of citext', { name: { _eq: 'APPLE' } }],
  ['_neq of citext', { name: { _neq: 'BANANA' } }],
  ['_in of citext', { name: { _in: ['APPLE', 'PEAR'] } }],
  ['_nin of citext', { name: { _nin: ['BANANA'] } }],
  ['_like of citext', { name: { _like: 'APP%' } }],
  ['_similar of citext', { name: { _similar: '(APPLE|PEAR)' } }],
  ['_eq of a domain over citext', { label: { _eq: 'APPLE' } }],
  ['_eq of an array of citext', { names: { _eq: ['APPLE'] } }],
  ['_contains of an array of citext', { names: { _contains: ['APPLE'] } }],
  ['_ancestor of ltree', { path: { _ancestor: 'a.b.c' } }],
  ['_matches of ltree', { path: { _matches: 'a.*' } }],
  ['_matches_any of ltree', { path: { _matches_any: ['a.*'] } }],
  ['_eq of varchar', { code: { _eq: 'apple' } }],
  ['_like of varchar', { code: { _like: 'app%' } }],
  ['_eq of varchar beside citext', { name: { _is_null: false }, code: { _eq: 'apple' } }],
] as const;

let s: TriggerService;

beforeAll(async () => {
  s = await startTriggerService({
    sql: `create extension citext schema public; create extension ltree schema public; create domain label as citext;
      create table thing (id int primary key, name citext, label label, names citext[], path ltree, code varchar(20))`,
    tables: ['thing'],
  });
  for (const [index, [, when]] of rules.entries())
    await s.create(`rule_${index}`, { table: 'thing', insert: { columns: '*' }, paused: true, when: { new: when } });
  // More specific for varchar than the operators of pg_catalog.
  await s.sql(`create sequence called;
    create function other(varchar, varchar) returns boolean language sql as $$ select nextval('public.called') > 0 $$;
    create function other(varchar, text) returns boolean language sql as $$ select nextval('public.called') > 0 $$;
    create operator public.= (leftarg = varchar, rightarg = varchar, function = other);
    create operator public.= (leftarg = varchar, rightarg = text, function = other);
    create operator public.~~ (leftarg = varchar, rightarg = varchar, function = other);
    create operator public.~~ (leftarg = varchar, rightarg = text, function = other);
    insert into thing values (1, 'Apple', 'Apple', '{Apple}', 'a.b', 'apple'), (2, 'Banana', 'Banana', '{Banana}', 'b', 'banana')`);
});
afterAll(() => s.stop());

test.each(rules.map(([rule], index) => [rule, index] as const))('%s matches one of the rows', async (_rule, index) => {
  const events = await s.run('pg_get_event_logs', { name: `rule_${index}` });
  expect(events).toMatchObject([{ payload: { data: { new: { id: 1 } } } }]);
});

test('operators that another role has created in the schema of an extension are not called', async () => {
  expect(await s.column('select is_called from called')).toEqual(['f']);
});
