import { describe, expect, test } from 'vitest';
import { copiedTo, missingFields, preservedMembers, presetsOf, withMember, withPresets } from './permission-draft.ts';

test('sets or removes one member and preserves the others', () => {
  const permission = { filter: {}, later: [1] };
  expect(withMember(permission, 'limit', 3)).toEqual({ filter: {}, later: [1], limit: 3 });
  expect(withMember(permission, 'filter', undefined)).toEqual({ later: [1] });
});

test('lists members without an input', () => {
  const permission = { check: {}, columns: '*', validate_input: { definition: {} }, allow_upsert: true, later: 1 };
  expect(preservedMembers(permission, 'insert')).toEqual({ allow_upsert: true, later: 1 });
});

describe('a copy', () => {
  const select = { columns: ['id'], filter: { id: 1 }, limit: 3, allow_aggregations: true };

  test('for the same operation is identical', () => {
    expect(copiedTo('select', select, 'select')).toBe(select);
  });

  test.each([
    ['insert', { columns: ['id'], check: { id: 1 } }],
    ['update', { columns: ['id'], filter: { id: 1 } }],
    ['delete', { filter: { id: 1 } }],
  ] as const)('of a select permission for %s has its rows and columns', (operation, copied) => {
    expect(copiedTo(operation, select, 'select')).toEqual(copied);
  });

  test('of an insert permission without columns has all of them', () => {
    expect(copiedTo('select', { check: {}, set: { id: 1 } }, 'insert')).toEqual({ columns: '*', filter: {} });
  });

  test('copies the row rule and presets of an update permission to an insert permission', () => {
    const update = { columns: '*', filter: { a: 1 }, check: { b: 1 }, set: { c: 1 } };
    expect(copiedTo('insert', update, 'update')).toEqual({ columns: '*', set: { c: 1 }, check: { a: 1 } });
  });
});

describe('reasons that prevent saving a permission', () => {
  test.each([
    ['select', { columns: '*', filter: {} }, 0],
    ['select', { columns: [], filter: {} }, 1],
    ['select', { columns: [], filter: {}, computed_fields: ['age'] }, 0],
    ['select', { columns: '*' }, 1],
    ['select', { columns: '*', filter: {}, limit: 'x' }, 1],
    ['insert', { columns: [], check: {} }, 0],
    ['insert', { columns: [], check: {}, set: { '': 1 } }, 1],
    ['delete', {}, 1],
    ['delete', { filter: {}, validate_input: { definition: { url: '' } } }, 1],
  ] as const)('%s %j: %d', (operation, permission, count) => {
    expect(missingFields(permission, operation)).toHaveLength(count);
  });
});

test('reads presets as rows, and writes no member without rows', () => {
  const permission = { check: {}, set: { a: 1, b: 'x-service-user-id' } };
  expect(presetsOf(permission)).toEqual([
    ['a', 1],
    ['b', 'x-service-user-id'],
  ]);
  expect(withPresets(permission, [])).toEqual({ check: {} });
});
