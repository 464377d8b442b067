import { expect, test } from 'vitest';
import { counted, sentence, shortId } from './format.ts';

test('formats a message as a sentence', () => {
  expect(sentence(' must be a number ')).toBe('Must be a number.');
  expect(sentence('Is it?')).toBe('Is it?');
});

test('formats counts in singular and plural', () => {
  expect([counted(0, 'call'), counted(1, 'call'), counted(1_204, 'call')]).toEqual([
    '0 calls',
    '1 call',
    '1,204 calls',
  ]);
});

test('shortens a UUID to its first part', () => {
  expect(shortId('3f2a0b1c-0000-4000-8000-000000000000')).toBe('3f2a0b1c');
});
