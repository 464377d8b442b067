import { expect, test } from 'vitest';
import { ServiceError } from '../../base/errors.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import { createLeasedWork, type LeasedWork } from './leased-work.ts';

/** Returns work under leases that are numbered from 1, and a promise of the next lease. */
function leasedWork(): { readonly work: LeasedWork; readonly nextLease: () => Promise<void> } {
  let taken = 0;
  let onTaken = (): void => undefined;
  const work = createLeasedWork<string>({
    leases: {
      async take() {
        taken += 1;
        return String(taken);
      },
      renew: async (leases) => new Set(leases),
      remove: async () => undefined,
    },
    node: 'test',
    observe: () => undefined,
    // Longer than the test: leases are replaced because they are suspected.
    times: { lastsMs: 600_000, renewEveryMs: 300_000 },
    failureLog: createFailureLog(() => undefined, 'claiming'),
    release: async () => undefined,
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
  return { work, nextLease };
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
