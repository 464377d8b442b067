import { ADMIN_ROLE } from '@joinery/metadata/names';
import { LRUCache } from 'lru-cache';
import { expect, test, vi } from 'vitest';
import { modelFixture, user } from '../../test/support/model/sample-model.ts';
import { IDLE_MS, roleSchema } from './role-schema.ts';

test('the schema of a role is dropped when it is not used, and created again', () => {
  const began = performance.now();
  const now = vi.spyOn(performance, 'now');
  const advance = (ms: number) => now.mockReturnValue(began + ms);
  try {
    advance(0);
    const { model } = modelFixture();
    const [used, unused] = [roleSchema(model, user).schema, roleSchema(model, ADMIN_ROLE).schema];
    for (let time = 1; time <= 3; time += 1) {
      advance((time * IDLE_MS) / 2);
      expect(roleSchema(model, user).schema).toBe(used);
    }
    const again = roleSchema(model, ADMIN_ROLE).schema;
    expect(again).not.toBe(unused);
    expect(roleSchema(model, ADMIN_ROLE).schema).toBe(again);
  } finally {
    now.mockRestore();
  }
});

test('idle schemas are dropped without a request', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const purge = vi.spyOn(LRUCache.prototype, 'purgeStale');
  try {
    const { model } = modelFixture();
    roleSchema(model, user);
    vi.advanceTimersByTime(IDLE_MS);
    expect(purge).toHaveBeenCalledTimes(1);
  } finally {
    purge.mockRestore();
    vi.useRealTimers();
  }
});
