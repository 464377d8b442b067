import { expect, test } from 'vitest';
import { nameList, qualifiedName, sqlName, sqlText } from './sql-names.ts';

test.each([
  ['total', 'total'],
  ['Total', '"Total"'],
  ['two words', '"two words"'],
  ['a "quoted" one', '"a ""quoted"" one"'],
  ['order', '"order"'],
  ['time', '"time"'],
  ['größe', '"größe"'],
  ['2nd', '"2nd"'],
  ['$1', '"$1"'],
])('writes the name %j as %s', (name, sql) => {
  expect(sqlName(name)).toBe(sql);
});

test('writes names with schemas, and lists of names', () => {
  expect(qualifiedName({ schema: 'My "shop"', name: 'order' })).toBe('"My ""shop"""."order"');
  expect(nameList(['id', 'User'])).toBe('id, "User"');
});

test.each([
  ['plain', "'plain'"],
  ["who's", "'who''s'"],
  ["a\\b's", "E'a\\\\b''s'"],
])('writes the text %j as %s', (text, sql) => {
  expect(sqlText(text)).toBe(sql);
});
