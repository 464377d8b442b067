import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

it('delivers 20,000 events by three nodes that are killed one after the other, over a restart of the database', async () => {
  const report = await runChaos({ nodes: 3, events: 20_000, seconds: 10, kills: 3, restarts: 1, answerMs: 20 });
  expect(report).toMatchObject({
    missing: 0,
    early: 0,
    unexplained: 0,
    pending: 0,
    ended: { delivered: 20_000 },
    logged: 20_000,
  });
  // A node calls a hundred at a time, and at most twice as many have ended and are being written down.
  expect(report.mostAfterKill).toBeLessThanOrEqual(300);
}, 300_000);
