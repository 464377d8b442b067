import { expect, test } from 'vitest';
import { ServiceError } from '../../base/errors.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import { createLeasedWork, type LeasedWork } from './leased-work.ts';

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
