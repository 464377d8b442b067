import { buildSchema } from 'graphql';
import { expect, test, vi } from 'vitest';
import { IntrospectionTexts } from './texts.ts';

const schema = buildSchema('type Query { id: ID }');

test.each([
  ['a short text', 'é'.repeat(10)],
  ['a text that is compressed', 'é"\\'.repeat(100_000)],
  ['a text that is larger than the cache', 'a'.repeat(33_000_000)],
])('%s is cached for its schema', async (_what, text) => {
  const texts = new IntrospectionTexts();
  texts.set(schema, 'key', text, [Buffer.from(text)]);
  await vi.waitFor(() => expect(texts.get(schema, 'key') === text).toBe(true), { timeout: 10_000 });
  expect(texts.get(schema, 'other')).toBeUndefined();
  expect(texts.get(buildSchema('type Query { id: ID }'), 'key')).toBeUndefined();
});

test('callers at the same time share the work', async () => {
  const texts = new IntrospectionTexts();
  const create = vi.fn(async () => 'text');
  const both = [texts.once(schema, 'key', create), texts.once(schema, 'key', create)];
  expect(await Promise.all(both)).toEqual(['text', 'text']);
  expect(create).toHaveBeenCalledTimes(1);
  await texts.once(schema, 'key', create);
  expect(create).toHaveBeenCalledTimes(2);
});

test('work that failed is done again', async () => {
  const texts = new IntrospectionTexts();
  const failing = texts.once(schema, 'key', async () => {
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await texts.once(schema, 'key', async () => 'text')).toBe('text');
});
