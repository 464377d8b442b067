/** Failovers and network failures under load: nothing acknowledged is lost, and errors end soon after the recovery. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Findings } from './findings.ts';
import { endAll } from './processes.ts';
import { type InjectFailure, type Rig, startRig } from './rig.ts';

let rig: Rig;

beforeAll(async () => {
  rig = await startRig();
}, 120_000);

let hasFailed = false;

afterEach(({ task }) => {
  hasFailed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  try {
    await rig?.stop({ keepLogs: hasFailed });
  } finally {
    endAll();
  }
}, 60_000);

const CUT_MS = 12_000;
const PAUSE_MS = 20_000;

const switchover: InjectFailure = async ({ cluster }) => {
  await cluster.switchover();
  return { recovers: 'new-primary' };
};

const kill: InjectFailure = async ({ cluster }, primary) => {
  await cluster.kill(primary);
  return { recovers: 'new-primary', repair: () => cluster.restart(primary) };
};

const cutNetwork: InjectFailure = async ({ network }) => {
  network.stall('silent');
  await sleep(CUT_MS);
  network.restore();
  return { recovers: 'now' };
};

const pause: InjectFailure = async ({ cluster }, primary) => {
  cluster.pause(primary);
  const resumed = sleep(PAUSE_MS).then(() => cluster.resume(primary));
  return { recovers: 'new-primary', repair: () => resumed };
};

/** Error codes during an outage, after which the client can repeat the request or check its outcome. */
const RETRYABLE = ['busy', 'unknown-outcome', 'timeout', 'time-limit-exceeded', 'concurrent-update', 'client-timeout'];

describe.each<[string, InjectFailure, (() => Promise<void>)?]>([
  ['a planned switchover', switchover],
  ['a killed primary', kill],
  ['a network outage of 12 s', cutNetwork],
  ['a primary that is paused for 20 s', pause],
  ['a killed primary, with several hosts in the URL', kill, () => rig.useSeveralHosts()],
])('%s', (name, injectFailure, prepare) => {
  let findings: Findings;

  beforeAll(async () => {
    await prepare?.();
    findings = await rig.run(name, injectFailure);
  }, 180_000);

  test('loses no acknowledged mutation', () => {
    expect(findings.acknowledged.mutations).toBeGreaterThan(100);
    expect(findings.lostRows).toBe(0);
  });

  test('stores no row of a mutation that was reported as failed', () => {
    expect(findings.rowsOfFailed).toBe(0);
  });

  test('delivers all acknowledged events', () => {
    expect(findings.acknowledged.events).toBeGreaterThan(1_000);
    expect(findings.undelivered).toEqual({});
  });

  test('completes all acknowledged actions', () => {
    expect(findings.acknowledged.actions).toBeGreaterThan(50);
    expect(findings.uncompleted).toEqual({});
  });

  test('calls the event triggers of each committed change, in commit order, and of no other change', () => {
    for (const compared of Object.values(findings.changes)) {
      expect(compared).toMatchObject({ missing: [], uncommitted: [], rolledBack: 0 });
    }
    expect(findings.changes.ordered?.outOfOrder).toBe(0);
  });

  test('makes no call early', () => {
    expect(findings.early).toEqual([]);
  });

  test('repeats only calls that were in flight', () => {
    expect(findings.repeatedEvents.unexplained).toEqual([]);
    expect(findings.repeatedActions.unexplained).toEqual([]);
  });

  test('returns only errors after which a client can repeat the request', () => {
    const codes = Object.keys(findings.errors).map((error) => error.split(' ')[1]);
    expect(codes.filter((code) => !RETRYABLE.includes(code ?? ''))).toEqual([]);
  });

  test('returns no errors later than 15 s after a primary accepts writes', () => {
    expect(findings.lastError).toBeLessThan(15);
  });
});
