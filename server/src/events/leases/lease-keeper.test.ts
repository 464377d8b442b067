import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Observation } from '../../base/telemetry/observe.ts';
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';
import { type LeaseTimes, leaseDefaults } from './leases.ts';

beforeEach(() =>
  vi.useFakeTimers({ now: 0, toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] }),
);
afterEach(() => vi.useRealTimers());

const lastsMs = 12_000;
const renewEveryMs = 3_000;
/** A lease is used for seven eighths of its duration. */
const usableMs = 10_500;

/** A table of leases that another node or the server can change, and a keeper on it. */
class Table {
  readonly rows = new Set<string>();
  readonly renewals: { leases: readonly string[]; draining: readonly string[] }[] = [];
  /** What was done, in order: `remove 1`, `free 1`, `lost 1`, `work`, `sweep`. */
  readonly done: string[] = [];
  readonly observed: Observation[] = [];
  readonly keeper: LeaseKeeper;
  server = 'first start';
  /** Leases whose outcomes are not written. */
  inUse = new Set<string>();
  swept = 0;
  /** Milliseconds that each renewal takes. */
  renewalMs = 0;
  failing: string | undefined;
  /** The duration of the last renewal. */
  lasts: number | undefined;
  private taken = 0;

  constructor(times: LeaseTimes | undefined = { lastsMs, renewEveryMs }) {
    this.keeper = createLeaseKeeper({
      leases: {
        take: async (node, lasts) => {
          this.fail('take');
          this.taken += 1;
          this.rows.add(String(this.taken));
          this.done.push(`take for ${node} and ${lasts} ms`);
          return { id: String(this.taken), server: this.server };
        },
        renew: async (leases, draining, lasts) => {
          this.renewals.push({ leases, draining });
          this.lasts = lasts;
          if (this.renewalMs > 0) await new Promise((resolve) => setTimeout(resolve, this.renewalMs));
          this.fail('renew');
          return { alive: new Set(leases.filter((lease) => this.rows.has(lease))), server: this.server };
        },
        remove: async (lease) => {
          this.fail('remove');
          this.rows.delete(lease);
          this.done.push(`remove ${lease}`);
        },
      },
      node: 'here',
      observe: (observation) => this.observed.push(observation),
      times,
      free: async (lease) => void this.done.push(`free ${lease}`),
      sweep: async () => {
        this.done.push('sweep');
        return this.swept;
      },
      inUse: (lease) => this.inUse.has(lease),
      onWork: () => void this.done.push('work'),
      onLost: (lease) => void this.done.push(`lost ${lease}`),
    });
  }

  private fail(statement: string): void {
    if (this.failing === statement) throw new Error(`${statement} failed`);
  }

  /** Returns what was done since the last call. */
  take(): string[] {
    return this.done.splice(0);
  }
}

async function started(times?: LeaseTimes): Promise<Table> {
  const table = new Table(times);
  await table.keeper.start();
  table.take();
  return table;
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('takes a lease for its node at the start and reports that there may be work', async () => {
  const table = new Table();
  await table.keeper.start();
  expect(table.take()).toEqual([`take for here and ${lastsMs} ms`, 'work']);
});

test('has no lease before the start', () => {
  expect(new Table().keeper.current()).toBeUndefined();
});

test('holds no lease that it did not take', async () => {
  const { keeper } = await started();
  expect(keeper.holds('2')).toBe(false);
});

test('a lease that is renewed stays in use', async () => {
  const { keeper, renewals } = await started();
  await pass(10 * lastsMs);
  expect([keeper.current(), keeper.holds('1'), renewals[0]]).toEqual(['1', true, { leases: ['1'], draining: [] }]);
});

test('renews a lease for its whole duration', async () => {
  const table = await started();
  await pass(renewEveryMs);
  expect(table.lasts).toBe(lastsMs);
});

test('a lease lasts 8 seconds and is renewed every 2 seconds', async () => {
  expect(leaseDefaults).toEqual({ lastsMs: 8_000, renewEveryMs: 2_000 });
  const table = await started(leaseDefaults);
  await pass(2_000);
  expect([table.renewals.length, table.lasts]).toEqual([1, 8_000]);
});

test('renews at each interval', async () => {
  const { renewals } = await started();
  await pass(5 * renewEveryMs);
  expect(renewals).toHaveLength(5);
});

test('does not use the last eighth of the duration of a lease that was not renewed', async () => {
  const table = await started();
  table.failing = 'renew';
  await pass(usableMs - 1);
  expect(table.keeper.holds('1')).toBe(true);
  await pass(1);
  expect([table.keeper.holds('1'), table.keeper.current()]).toEqual([false, undefined]);
});

test('counts the duration of a lease from before its renewal was sent', async () => {
  const table = await started();
  table.renewalMs = 1_500;
  await pass(renewEveryMs + 1_500);
  table.failing = 'renew';
  await pass(usableMs - 1_500 - 1);
  expect(table.keeper.holds('1')).toBe(true);
  await pass(1);
  expect(table.keeper.holds('1')).toBe(false);
});

test('a renewal that ends after the usable time does not make the lease valid again', async () => {
  const table = await started();
  table.renewalMs = usableMs;
  await pass(renewEveryMs + usableMs);
  expect([table.keeper.holds('1'), table.keeper.current()]).toEqual([false, '2']);
});

test('replaces a lease that may have expired, and ends it', async () => {
  const table = await started();
  table.failing = 'renew';
  await pass(usableMs);
  table.failing = undefined;
  table.take();
  await pass(renewEveryMs);
  expect(table.take()).toEqual(['lost 1', `take for here and ${lastsMs} ms`, 'work', 'remove 1', 'free 1']);
});

test('renews a replaced lease as draining while outcomes under it are not written', async () => {
  const table = await started();
  table.inUse.add('1');
  table.keeper.suspect('1');
  await pass(2 * renewEveryMs);
  expect([table.rows.has('1'), table.renewals.at(-1)]).toEqual([true, { leases: ['1', '2'], draining: ['1'] }]);
});

test('ends a replaced lease when the outcomes under it are written', async () => {
  const table = await started();
  table.inUse.add('1');
  table.keeper.suspect('1');
  await pass(renewEveryMs);
  table.take();
  table.inUse.clear();
  await pass(renewEveryMs);
  expect(table.take()).toEqual(['remove 1', 'free 1']);
});

test('renews an ended lease no more', async () => {
  const table = await started();
  table.keeper.suspect('1');
  await pass(renewEveryMs);
  expect(table.renewals.at(-1)).toEqual({ leases: ['2'], draining: [] });
});

test('forgets a draining lease that another node has taken over', async () => {
  const table = await started();
  table.inUse.add('1');
  table.keeper.suspect('1');
  await pass(renewEveryMs);
  table.rows.delete('1');
  await pass(2 * renewEveryMs);
  expect(table.renewals.at(-1)).toEqual({ leases: ['2'], draining: [] });
});

test('ends other draining leases before one whose outcomes are not written', async () => {
  const table = await started();
  table.inUse.add('1').add('2');
  table.keeper.suspect('1');
  await pass(0);
  table.keeper.suspect('2');
  await pass(0);
  table.inUse.delete('2');
  table.take();
  await pass(renewEveryMs);
  expect(table.take()).toEqual(['remove 2', 'free 2']);
});

test('a lease that is suspected during its renewal is not used for claims, and what was claimed under it may start', async () => {
  const table = await started();
  table.renewalMs = 100;
  await pass(renewEveryMs);
  table.keeper.suspect('1');
  expect([table.keeper.current(), table.keeper.holds('1')]).toEqual([undefined, true]);
});

test('replaces a lease that is suspected during its renewal with the next renewal', async () => {
  const table = await started();
  table.renewalMs = 100;
  await pass(renewEveryMs);
  table.keeper.suspect('1');
  await pass(renewEveryMs + 100);
  expect(table.keeper.current()).toBe('2');
});

test('a lease that others have taken over leaves no suspicion for the next one', async () => {
  const table = await started();
  table.renewalMs = 100;
  table.rows.delete('1');
  await pass(renewEveryMs);
  table.keeper.suspect('1');
  await pass(100);
  expect(table.keeper.current()).toBe('2');
});

test('replaces a suspected lease at once, which no other node has taken over', async () => {
  const { keeper, observed } = await started();
  keeper.suspect('1');
  await pass(0);
  expect([keeper.current(), keeper.holds('1'), observed]).toEqual(['2', false, []]);
});

test('a suspicion of another lease has no effect', async () => {
  const { keeper } = await started();
  keeper.suspect('7');
  expect(keeper.current()).toBe('1');
  await pass(renewEveryMs);
  expect(keeper.current()).toBe('1');
});

test('a lease that replaces a suspected one is not suspected', async () => {
  const table = await started();
  table.keeper.suspect('1');
  await pass(3 * renewEveryMs);
  expect(table.keeper.current()).toBe('2');
});

test('replaces a lease after another start of the server', async () => {
  const table = await started();
  table.server = 'second start';
  await pass(renewEveryMs);
  expect([table.keeper.current(), table.take()]).toEqual([
    '2',
    ['lost 1', `take for here and ${lastsMs} ms`, 'work', 'remove 1', 'free 1'],
  ]);
});

test('renews under the new server after its start', async () => {
  const table = await started();
  table.server = 'second start';
  await pass(10 * lastsMs);
  expect(table.keeper.current()).toBe('2');
});

test('a lease that others have taken over is replaced and not ended', async () => {
  const table = await started();
  table.rows.delete('1');
  await pass(renewEveryMs);
  expect([table.keeper.current(), table.take()]).toEqual(['2', ['lost 1', `take for here and ${lastsMs} ms`, 'work']]);
});

test('warns that others have taken over a lease', async () => {
  const table = await started();
  table.rows.delete('1');
  await pass(renewEveryMs);
  expect(table.observed).toEqual([
    {
      kind: 'note',
      level: 'warn',
      where: 'events',
      message: 'lease lost: this node did not renew it in time, and others took over its events',
    },
  ]);
});

test('sends no renewal without a lease', async () => {
  const table = new Table();
  table.failing = 'take';
  await table.keeper.start();
  await pass(renewEveryMs);
  expect(table.renewals).toEqual([]);
});

test('takes over leases of dead nodes only after it has renewed its own for longer than a lease lasts', async () => {
  const table = await started();
  await pass(lastsMs);
  expect(table.take()).toEqual([]);
  await pass(renewEveryMs);
  expect(table.take()).toEqual(['sweep']);
});

test('reports work after it has released the claims of a dead node', async () => {
  const table = await started();
  table.swept = 1;
  await pass(lastsMs + renewEveryMs);
  expect(table.take()).toEqual(['sweep', 'work']);
});

test('waits again before it takes over leases after a failed renewal', async () => {
  const table = await started();
  await pass(lastsMs);
  table.failing = 'renew';
  await pass(renewEveryMs);
  table.failing = undefined;
  await pass(renewEveryMs + lastsMs);
  expect(table.take()).toEqual([]);
  await pass(renewEveryMs);
  expect(table.take()).toEqual(['sweep']);
});

test('waits again before it takes over leases after a renewal that came two intervals late', async () => {
  const table = await started();
  await pass(lastsMs);
  table.renewalMs = 2 * renewEveryMs + 1;
  await pass(renewEveryMs);
  table.renewalMs = 0;
  table.take();
  // The late one ends, the next one begins the wait.
  await pass(3 * renewEveryMs);
  expect(table.take()).not.toContain('sweep');
});

test('a renewal that comes exactly two intervals after the last one is no gap', async () => {
  const table = await started();
  await pass(lastsMs);
  table.renewalMs = renewEveryMs;
  await pass(2 * renewEveryMs);
  expect(table.take()).toContain('sweep');
});

test('reports a failure once, and the recovery', async () => {
  const table = await started();
  table.failing = 'renew';
  await pass(2 * renewEveryMs);
  table.failing = undefined;
  await pass(renewEveryMs);
  expect(table.observed.map((one) => [one.kind, 'where' in one && one.where])).toEqual([
    ['failure', 'lease for delivering events'],
    ['note', 'lease for delivering events'],
  ]);
});

test('removes its leases at the stop, then releases the claims under them', async () => {
  const table = await started();
  table.inUse.add('1');
  table.keeper.suspect('1');
  await pass(0);
  table.take();
  await table.keeper.stop();
  expect(table.take()).toEqual(['remove 1', 'free 1', 'remove 2', 'free 2']);
});

test('has no lease and renews none after the stop', async () => {
  const table = await started();
  await table.keeper.stop();
  await pass(lastsMs);
  expect([table.keeper.current(), table.keeper.holds('1'), table.renewals]).toEqual([undefined, false, []]);
});

test('a stop without a lease removes nothing', async () => {
  const table = new Table();
  await table.keeper.stop();
  expect(table.take()).toEqual([]);
});

test('reports leases that cannot be removed at the stop', async () => {
  const table = await started();
  table.failing = 'remove';
  await table.keeper.stop();
  expect(table.observed).toMatchObject([{ kind: 'failure', where: 'lease for delivering events' }]);
});
