import { expect, test } from 'vitest';
import { changeNamedSql, constraintObject, indexObject, typeObject } from './name-sql.ts';

const table = { schema: 'public', name: 'Order' };

test('renames and comments an index, a constraint and a type', () => {
  const before = { name: 'a', comment: null };
  const draft = { name: ' B ', comment: "it's new" };
  expect(changeNamedSql(indexObject('public', before), draft)).toBe(
    `comment on index public.a is 'it''s new';\nalter index public.a rename to "B";`,
  );
  expect(changeNamedSql(constraintObject(table, before), draft)).toBe(
    `comment on constraint a on public."Order" is 'it''s new';\nalter table public."Order" rename constraint a to "B";`,
  );
  expect(changeNamedSql(typeObject({ schema: 'shop', ...before }), draft)).toBe(
    `comment on type shop.a is 'it''s new';\nalter type shop.a rename to "B";`,
  );
});

test('writes only what differs, and removes a comment that is empty', () => {
  const index = indexObject('public', { name: 'a', comment: 'old' });
  expect(changeNamedSql(index, { name: 'a', comment: 'old' })).toBe('');
  expect(changeNamedSql(index, { name: 'a', comment: '' })).toBe('comment on index public.a is null;');
});
