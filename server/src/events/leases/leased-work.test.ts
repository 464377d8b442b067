import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { waitByGlobalTimers } from '../../../test/support/timers-promises.ts';
import { ServiceError } from '../../base/errors.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import { createLeasedWork, type LeasedWork, type LeasedWorkSettings } from './leased-work.ts';

interface TestWork {
  readonly work: LeasedWork;
  /** Resolves when the next lease is taken. */
  readonly nextLease: () => Promise<void>;
  /** The leases whose claims were released. */
  readonly released: readonly string[];
  /** Another server takes over the database. */
  readonly failOver: () => void;
}

/** Returns work under leases that are numbered from 1. */
function leasedWork(renewEveryMs = 300_000): TestWork {
  let taken = 0;
  let server = 'one';
  const released: string[] = [];
  let onTaken = (): void => undefined;
  const work = createLeasedWork<string>({
    leases: {
      async take() {
        taken += 1;
        return { id: String(taken), server };
      },
      renew: async (leases) => ({ alive: new Set(leases), server }),
      remove: async () => undefined,
    },
    node: 'test',
    observe: () => undefined,
    // Longer than the test: leases are replaced because they are suspected.
    times: { lastsMs: 600_000, renewEveryMs },
    failureLog: createFailureLog(() => undefined, 'claiming'),
    release: async (lease) => {
      released.push(lease);
    },
    sweep: async () => 0,
    known: () => [],
    inUse: () => false,
    onWork: () => onTaken(),
    stopClaiming: async () => undefined,
    idle: async () => undefined,
    finish: async () => undefined,
    lastWritesMs: 0,
  });
  const nextLease = (): Promise<void> =>
    new Promise((resolve) => {
      onTaken = resolve;
    });
  const failOver = (): void => {
    server = 'another';
  };
  return { work, nextLease, released, failOver };
}

test('claims nothing under a lease after a release under it was lost, which may still take effect', async () => {
  const { work } = leasedWork();
  await work.start();
  work.failed('1', new ServiceError('busy', 'the connection was lost'));
  expect(await work.claim(async (lease) => [lease])).toEqual({ lease: '', items: [] });
  await work.stop({ drainMs: 0 });
});

test('claims under a new lease at once after a claim was lost', async () => {
  const { work, nextLease } = leasedWork();
  await work.start();
  const replaced = nextLease();
  await work.claim(() => Promise.reject(new ServiceError('busy', 'the connection was lost')));
  await replaced;
  expect(await work.claim(async (lease) => [lease])).toEqual({ lease: '2', items: ['2'] });
  await work.stop({ drainMs: 0 });
});

test('ends its lease and releases the claims under it after a failover, which may have lost their outcomes', async () => {
  const { work, nextLease, released, failOver } = leasedWork(5);
  await work.start();
  const replaced = nextLease();
  failOver();
  await replaced;
  expect(await work.claim(async (lease) => [lease])).toEqual({ lease: '2', items: ['2'] });
  expect(released).toContain('1');
  await work.stop({ drainMs: 0 });
});

describe('the engine', () => {
  waitByGlobalTimers();
  beforeEach(() =>
    vi.useFakeTimers({ now: 0, toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => vi.useRealTimers());

  /** Calls of the settings, in order, and work that claims under the leases 1, 2 and so on. */
  function recorded(settings: Partial<LeasedWorkSettings<string>> = {}): { work: LeasedWork; calls: string[] } {
    const calls: string[] = [];
    let taken = 0;
    const work = createLeasedWork<string>({
      leases: {
        take: async (node) => {
          taken += 1;
          calls.push(`take for ${node}`);
          return { id: String(taken), server: 'one' };
        },
        renew: async (leases) => ({ alive: new Set(leases), server: 'one' }),
        remove: async (lease) => void calls.push(`remove ${lease}`),
      },
      node: 'here',
      observe: () => undefined,
      times: { lastsMs: 600_000, renewEveryMs: 300_000 },
      failureLog: {
        failed: (error) => void calls.push(String(error)),
        recovered: () => void calls.push('recovered'),
      },
      release: async (lease, known) => void calls.push(`release ${lease} except ${known.join(' ')}`),
      sweep: async () => 0,
      known: () => ['a', 'b'],
      inUse: () => false,
      onWork: () => void calls.push('work'),
      onLost: (lease) => void calls.push(`lost ${lease}`),
      stopClaiming: async () => void calls.push('stop claiming'),
      idle: async () => undefined,
      finish: async () => void calls.push('finish'),
      lastWritesMs: 1_000,
      ...settings,
    });
    return { work, calls };
  }

  async function started(settings: Partial<LeasedWorkSettings<string>> = {}) {
    const { work, calls } = recorded(settings);
    await work.start();
    return { work, take: () => calls.splice(0) };
  }

  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const claimed = async (work: LeasedWork) => (await work.claim(async (lease) => [lease])).items;

  test('claims nothing before the start', async () => {
    expect(await recorded().work.claim(async (lease) => [lease])).toEqual({ lease: '', items: [] });
  });

  test('a claim without a lease sends no statement', async () => {
    const { work, calls } = recorded();
    await work.claim(() => Promise.reject(new Error('sent')));
    expect(calls).toEqual([]);
  });

  test('claims under its lease, and reports that claims succeed', async () => {
    const { work, take } = await started();
    expect([await claimed(work), take()]).toEqual([['1'], ['take for here', 'work', 'recovered']]);
  });

  test('work under its lease may start, and no other', async () => {
    const { work } = await started();
    expect([work.current(), work.mayStart('1'), work.mayStart('2')]).toEqual(['1', true, false]);
  });

  test('releases what it does not know under a suspect lease and the present one before the next claim', async () => {
    const { work, take } = await started();
    work.suspect('0');
    take();
    await claimed(work);
    expect(take()).toEqual(['release 0 except a b', 'release 1 except a b', 'recovered']);
  });

  test('a suspicion before the start concerns the given lease only', async () => {
    const { work, calls } = recorded();
    work.suspect('0');
    await work.start();
    calls.length = 0;
    await claimed(work);
    expect(calls).toEqual(['release 0 except a b', 'recovered']);
  });

  test('releases the claims of a suspect lease once', async () => {
    const { work, take } = await started();
    work.suspect('0');
    await claimed(work);
    take();
    await claimed(work);
    expect(take()).toEqual(['recovered']);
  });

  test('claims nothing while claims of a suspect lease cannot be released, and tries again', async () => {
    let failing = true;
    const released: string[] = [];
    const { work } = await started({
      release: async (lease) => {
        if (failing) throw postgresError();
        released.push(lease);
      },
    });
    work.suspect('0');
    const before = await claimed(work);
    failing = false;
    const after = await claimed(work);
    expect([before, after, released.toSorted()]).toEqual([[], ['1'], ['0', '1']]);
  });

  test('releases the unknown claims under a lease that others have taken over', async () => {
    let taken = 0;
    const { work, take } = await started({
      leases: {
        take: async () => {
          taken += 1;
          return { id: String(taken), server: 'one' };
        },
        renew: async () => ({ alive: new Set(), server: undefined }),
        remove: async () => undefined,
      },
    });
    await pass(300_000);
    take();
    await claimed(work);
    expect(take()).toEqual(['release 1 except a b', 'recovered']);
  });

  test('a lease that becomes suspect while its claims are released is released again', async () => {
    const releases: string[] = [];
    const { work } = await started({
      release: async (lease) => {
        releases.push(lease);
        if (releases.length === 1) work.suspect('1');
      },
    });
    work.suspect('1');
    await claimed(work);
    await claimed(work);
    expect(releases).toEqual(['1', '1']);
  });

  test('an error that PostgreSQL reports keeps the lease, and its unknown claims are released', async () => {
    const { work, take } = await started();
    work.failed('1', postgresError());
    take();
    await claimed(work);
    expect([work.current(), take()]).toEqual(['1', ['release 1 except a b', 'recovered']]);
  });

  test('reports a claim that fails, and claims nothing', async () => {
    const { work, take } = await started();
    const result = await work.claim(() => Promise.reject(postgresError()));
    expect([result, take().at(-1)]).toEqual([{ lease: '1', items: [] }, 'Error: canceled']);
  });

  test('reports a lease that was replaced, and releases the unknown claims under it before the next claim', async () => {
    const { work, take } = await started();
    work.failed('1', new ServiceError('busy', 'lost'));
    await pass(0);
    expect(take()).toContain('lost 1');
    await claimed(work);
    expect(take()).toContain('release 1 except a b');
  });

  test('writes an outcome until it is done, with pauses that double up to 2 seconds', async () => {
    const { work } = await started();
    const times: number[] = [];
    const written = work.untilWritten(async () => {
      times.push(performance.now());
      return times.length === 7 ? 'done' : 'later';
    });
    await pass(20_000);
    await written;
    expect(times).toEqual([0, 200, 600, 1_400, 3_000, 5_000, 7_000]);
  });

  test('writes an outcome again at once when requested, with the number of the attempt', async () => {
    const { work } = await started();
    const attempts: number[] = [];
    await work.untilWritten(async (attempt) => {
      attempts.push(attempt);
      return attempt === 3 ? 'done' : 'again';
    });
    expect(attempts).toEqual([1, 2, 3]);
  });

  test('a pause of writes lasts 2 seconds', async () => {
    const { work } = await started();
    const ended = work.pauseWrites().then(() => performance.now());
    await pass(5_000);
    expect(await ended).toBe(2_000);
  });

  test('stops claiming first, then ends running work, writes outcomes and removes its lease', async () => {
    const { work, take } = await started();
    take();
    await work.stop({ drainMs: 100 });
    expect(take()).toEqual(['stop claiming', 'finish', 'remove 1', 'release 1 except ']);
  });

  test('is stopping from the beginning of the stop', async () => {
    let atStop: boolean | undefined;
    const { work } = await started({
      stopClaiming: async () => {
        atStop = work.stopping();
      },
    });
    expect(work.stopping()).toBe(false);
    await work.stop({ drainMs: 0 });
    expect(atStop).toBe(true);
  });

  test('waits for running work for the time of the drain, then aborts it', async () => {
    const { work } = await started({ idle: () => new Promise(() => undefined) });
    const stopped = work.stop({ drainMs: 500 });
    await pass(499);
    expect(work.cutOff.aborted).toBe(false);
    await pass(1);
    expect(work.cutOff.aborted).toBe(true);
    await stopped;
  });

  test('does not wait for the end of the drain when no work runs', async () => {
    const { work } = await started();
    await work.stop({ drainMs: 500_000 });
    expect([performance.now(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('abandons outcomes that are not written in time after the drain, and ends pauses', async () => {
    let finish = (): void => undefined;
    const { work } = await started({
      finish: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    });
    let isPaused = true;
    const stopped = work.stop({ drainMs: 0 });
    void pause();
    async function pause(): Promise<void> {
      while (!work.abandoned()) await work.pauseWrites();
      isPaused = false;
    }
    await pass(999);
    expect([work.abandoned(), isPaused]).toEqual([false, true]);
    await pass(1);
    expect([work.abandoned(), isPaused]).toEqual([true, false]);
    finish();
    await stopped;
  });

  test('abandons no outcome when all are written', async () => {
    const { work } = await started();
    await work.stop({ drainMs: 0 });
    await pass(10_000);
    expect(work.abandoned()).toBe(false);
  });

  test('takes no lease when it is started after the stop', async () => {
    const { work, calls } = recorded();
    await work.stop({ drainMs: 0 });
    calls.length = 0;
    await work.start();
    expect(calls).toEqual([]);
  });

  function postgresError(): Error {
    return Object.assign(new Error('canceled'), { code: '57014', severity: 'ERROR' });
  }
});
