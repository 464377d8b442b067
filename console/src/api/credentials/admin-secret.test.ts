import { expect, test } from 'vitest';
import { forgetSecret, type SecretStores, storedSecret, storeSecret } from './admin-secret.ts';

function stores(): SecretStores {
  return { tab: store(), device: store() };
}

function store(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
}

test('stores a secret for the tab until it is removed', () => {
  const both = stores();
  expect(storedSecret(both)).toBeUndefined();
  storeSecret(both, 'hush', false);
  expect(storedSecret(both)).toBe('hush');
  expect(storedSecret({ tab: store(), device: both.device })).toBeUndefined();
  forgetSecret(both);
  expect(storedSecret(both)).toBeUndefined();
});

test('stores a remembered secret for other tabs until it is removed', () => {
  const both = stores();
  storeSecret(both, 'hush', true);
  const other = { tab: store(), device: both.device };
  expect(storedSecret(other)).toBe('hush');
  forgetSecret(other);
  expect(storedSecret(both)).toBeUndefined();
});

test('forgets a remembered secret when another one is not remembered', () => {
  const both = stores();
  storeSecret(both, 'old', true);
  storeSecret(both, 'new', false);
  expect(storedSecret({ tab: store(), device: both.device })).toBeUndefined();
});

test('works without storage', () => {
  const unavailable = (): never => {
    throw new Error('access is denied');
  };
  const none = { getItem: unavailable, setItem: unavailable, removeItem: unavailable };
  const both = { tab: none, device: none };
  expect(() => storeSecret(both, 'hush', true)).not.toThrow();
  expect(storedSecret(both)).toBeUndefined();
});
