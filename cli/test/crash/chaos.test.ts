import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

it('three nodes that are killed one after the other deliver 20,000 events over a restart of the database', async () => {
  const report = await runChaos({ nodes: 3, events: 20_000, seconds: 10, kills: 3, restarts: 1, responseMs: 20 });
  expect(report).toMatchObject({
    missing: 0,
    early: 0,
    unexplained: 0,
    pending: 0,
    ended: { delivered: 20_000 },
    logged: 20_000,
  });
  // A node makes 100 calls at a time, and stores the outcomes of at most 200 more.
  expect(report.mostAfterKill).toBeLessThanOrEqual(300);
}, 300_000);
