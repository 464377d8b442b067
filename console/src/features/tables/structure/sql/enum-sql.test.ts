import { expect, test } from 'vitest';
import {
  addEnumValueSql,
  createEnumSql,
  dropTypeSql,
  enumTypeErrors,
  enumValueErrors,
  newEnumType,
  renameEnumValueSql,
} from './enum-sql.ts';

test('creates an enum type with a value for each line', () => {
  const draft = { schema: 'shop', name: ' State ', values: "open\n\n won't pay \n", comment: 'of orders' };
  expect(createEnumSql(draft)).toBe(
    `create type shop."State" as enum ('open', 'won''t pay');\ncomment on type shop."State" is 'of orders';`,
  );
});

test('rejects an enum type without a name or values, and a value that occurs twice', () => {
  expect(Object.keys(enumTypeErrors(newEnumType))).toEqual(['name', 'values']);
  expect(enumTypeErrors({ ...newEnumType, name: 'a', values: 'x\nx' })).toEqual({
    values: 'The value "x" occurs twice.',
  });
});

test('values of an enum type are added at a place, and renamed', () => {
  const type = { schema: 'public', name: 'State' };
  expect(addEnumValueSql(type, { value: "won't ship", place: 'before', neighbor: 'paid' })).toBe(
    `alter type public."State" add value 'won''t ship' before 'paid';`,
  );
  expect(addEnumValueSql(type, { value: 'x', place: 'last', neighbor: '' })).toBe(
    `alter type public."State" add value 'x';`,
  );
  expect(renameEnumValueSql(type, 'a', ' b ')).toBe(`alter type public."State" rename value 'a' to 'b';`);
  expect(dropTypeSql(type, false)).toBe('drop type public."State";');
  expect(Object.keys(enumValueErrors({ value: '', place: 'after', neighbor: '' }))).toEqual(['value', 'neighbor']);
});
