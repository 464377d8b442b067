import { expect, test } from 'vitest';
import { storedSecret, storeSecret } from './admin-secret.ts';

function store(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
}

test('stores a secret until it is removed', () => {
  const tab = store();
  expect(storedSecret(tab)).toBeUndefined();
  storeSecret(tab, 'hush');
  expect(storedSecret(tab)).toBe('hush');
  storeSecret(tab, undefined);
  expect(storedSecret(tab)).toBeUndefined();
});

test('works without session storage', () => {
  const unavailable = (): never => {
    throw new Error('access is denied');
  };
  const tab = { getItem: unavailable, setItem: unavailable, removeItem: unavailable };
  expect(() => storeSecret(tab, 'hush')).not.toThrow();
  expect(storedSecret(tab)).toBeUndefined();
});
