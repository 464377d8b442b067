import { expect, test } from 'vitest';
import { fromPicker, pickerOf, toPicker } from './picked-time.ts';

test.each([
  ['date', 'date'],
  ['time', 'time'],
  ['timetz', 'time'],
  ['timestamp', 'datetime-local'],
  ['timestamptz', 'datetime-local'],
])('a column of type %s has an input of type %s', (type, picker) => {
  expect(pickerOf(type)).toBe(picker);
});

test.each([
  ['date', '2026-03-01', '2026-03-01'],
  ['time', '10:13:00', '10:13:00'],
  ['timestamp', '2026-03-01T10:13:00', '2026-03-01T10:13:00'],
])('a value of type %s is the same in the input: %s', (type, text, picked) => {
  expect(toPicker(text, type)).toBe(picked);
  expect(fromPicker(picked, type)).toBe(text);
});

test('a time with a time zone is the same instant in local time', () => {
  const picked = toPicker('2026-03-01T10:13:00+02:00', 'timestamptz');
  expect(fromPicker(picked, 'timestamptz')).toBe('2026-03-01T08:13:00+00:00');
});

test('text that the input cannot show leaves it empty', () => {
  expect(['infinity', '', 'x'].map((text) => toPicker(text, 'timestamptz'))).toEqual(['', '', '']);
  expect(toPicker('infinity', 'date')).toBe('');
});
