import { expect, test } from 'vitest';
import {
  checkErrors,
  checkSql,
  dropConstraintSql,
  type ForeignKeyDraft,
  foreignKeyErrors,
  foreignKeySql,
  keyErrors,
  primaryKeySql,
  uniqueKeySql,
  validateSql,
} from './constraint-sql.ts';

const table = { schema: 'public', name: 'Line Item' };
const named = 'alter table public."Line Item"';

test('a primary key replaces the present one in one statement', () => {
  expect(primaryKeySql(table, { name: '', columns: ['order', 'No'] }, undefined)).toBe(
    `${named} add primary key ("order", "No");`,
  );
  expect(primaryKeySql(table, { name: 'pk', columns: ['id'] }, 'Old key')).toBe(
    `${named}\n  drop constraint "Old key",\n  add constraint pk primary key (id);`,
  );
  expect(keyErrors({ name: '', columns: [] })).toHaveProperty('columns');
});

test('a unique key may treat nulls as equal', () => {
  expect(uniqueKeySql(table, { name: 'One "email"', columns: ['email'], nullsEqual: true })).toBe(
    `${named} add constraint "One ""email""" unique nulls not distinct (email);`,
  );
});

test('a foreign key has pairs of columns, actions and an index', () => {
  const draft: ForeignKeyDraft = {
    name: '',
    schema: 'my-shop',
    table: 'Order',
    pairs: [
      { from: 'order', to: 'id' },
      { from: 'tenant', to: 'Tenant' },
    ],
    onUpdate: 'no action',
    onDelete: 'set null',
    deferrable: true,
    notValid: true,
    index: true,
  };
  expect(foreignKeySql(table, draft)).toBe(
    `${named} add foreign key ("order", tenant) references "my-shop"."Order" (id, "Tenant") on delete set null deferrable initially deferred not valid;
create index on public."Line Item" ("order", tenant);`,
  );
  expect(foreignKeyErrors(draft)).toEqual({});
  expect(Object.keys(foreignKeyErrors({ ...draft, table: '', pairs: [{ from: 'a', to: '' }] }))).toEqual([
    'table',
    'pairs',
  ]);
});

test('a check is validated now or later', () => {
  expect(checkSql(table, { name: '', expression: ' price > 0 ', notValid: true })).toBe(
    `${named} add check (price > 0) not valid;`,
  );
  expect(validateSql(table, 'Line Item_check')).toBe(`${named} validate constraint "Line Item_check";`);
  expect(checkErrors({ name: '', expression: ' ', notValid: false })).toHaveProperty('expression');
});

test('constraints are renamed and dropped', () => {
  expect(dropConstraintSql(table, 'a b', true)).toBe(`${named} drop constraint "a b" cascade;`);
});
