/** Retention of the history of triggers: segments are replaced and dropped, whatever the number of their events. */
import { afterEach, describe, expect, test } from 'vitest';
import { historyRules, maintainHistory } from '../../../src/events/triggers/retention.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

const scenes: TriggerScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.drop();
});

async function scene(): Promise<{ s: TriggerScene; number: number }> {
  const s = await triggerScene('create table t (id int, k text)');
  scenes.push(s);
  return { s, number: await s.capture({ table: 't' }) };
}

const daily = { schedule: '0 0 * * *', olderThanHours: 48, includesInvocations: true, isPaused: false };
const HOUR = 3_600;

describe('the rules of a history', () => {
  test.each([
    ['of a trigger without a clean-up are those of the service', undefined, 30, [720, 720, 24]],
    ['have no limit where the service has none', undefined, 0, [Infinity, Infinity, 24]],
    ['are those of the clean-up', daily, 30, [48, 48, 4.8]],
    ['keep the log as the service does', { ...daily, includesInvocations: false }, 30, [48, 720, 4.8]],
    ['have no limit while the clean-up is paused', { ...daily, isPaused: true }, 30, [Infinity, Infinity, 4.8]],
    ['of 0 hours replace segments after 5 minutes', { ...daily, olderThanHours: 0 }, 30, [0, 0, 1 / 12]],
  ])('%s', (_rule, cleanup, days, hours) => {
    const { eventSeconds, logSeconds, segmentSeconds } = historyRules(cleanup, days);
    expect([eventSeconds / HOUR, logSeconds / HOUR, segmentSeconds / HOUR]).toEqual(hours);
  });
});

describe('maintenance', () => {
  const pass = (s: TriggerScene, cleanup = daily, query: Query = s.database.query): Promise<void> =>
    maintainHistory(query, '', new Map([['trigger 1', historyRules(cleanup, 30)]]), 0);
  const segments = (s: TriggerScene): Promise<(string | null)[]> =>
    s.column('select segment from joinery.trigger_segments order by segment');
  const age = (s: TriggerScene, hours: number): Promise<void> =>
    s.run(`update joinery.trigger_segments set opened_at = opened_at - interval '${hours} hours',
      closed_at = closed_at - interval '${hours} hours'`);

  /** Captures and finishes events, and repeats the maintenance until the segment is drained. */
  async function fill(s: TriggerScene, count: number): Promise<void> {
    await s.run(`insert into t select n, 'k' from generate_series(1, ${count}) n`);
    await s.settle(await s.claimAll());
    await age(s, 5);
    await expect
      .poll(async () => {
        await s.claim();
        await pass(s, { ...daily, isPaused: true });
        return (await s.column('select count(*) from joinery.trigger_segments where drained_at is not null'))[0];
      })
      .not.toBe('0');
  }

  test('replaces a segment after its time, not an empty one, and drops it at the next time of the schedule', async () => {
    const { s } = await scene();
    await age(s, 100);
    await pass(s);
    expect(await segments(s)).toEqual(['1']);
    await fill(s, 10);
    expect(await segments(s)).toEqual(['1', '2']);
    await age(s, 40);
    await s.run(`update joinery.triggers set cleaned_at = now() - interval '2 days'`);
    await pass(s);
    expect(await segments(s)).toEqual(['1', '2']);
    await age(s, 40);
    // The clean-up of today has run.
    await pass(s);
    expect(await segments(s)).toEqual(['1', '2']);
    await s.run(`update joinery.triggers set cleaned_at = now() - interval '2 days'`);
    await pass(s, { ...daily, isPaused: true });
    expect(await segments(s)).toEqual(['1', '2']);
    await pass(s);
    expect(await segments(s)).toEqual(['2']);
  });

  test('does not drop a segment with an event that waits for a retry', async () => {
    const { s } = await scene();
    await fill(s, 3);
    await s.run(
      `insert into joinery.trigger_work (number, seq, segment, xid) select number, 1, 1, '1' from joinery.triggers`,
    );
    await age(s, 100);
    await s.run(`update joinery.triggers set cleaned_at = now() - interval '2 days'`);
    await pass(s);
    expect(await segments(s)).toEqual(['1', '2']);
  });

  test('runs the same statements for 10 and for 10,000 events, and deletes none', async () => {
    const statements: string[][] = [];
    for (const count of [10, 10_000]) {
      const { s } = await scene();
      await fill(s, count);
      await age(s, 100);
      await s.run(`update joinery.triggers set cleaned_at = now() - interval '2 days'`);
      const texts: string[] = [];
      await pass(s, daily, (run, options) => {
        texts.push(run.text);
        return s.database.query(run, options);
      });
      statements.push(texts);
      expect(await segments(s)).toEqual(['2']);
    }
    expect(statements[0]).toEqual(statements[1]);
    expect(statements.flat().join(' ')).not.toMatch(/delete/i);
  });

  test('is done by one of several nodes', async () => {
    const { s } = await scene();
    await fill(s, 10);
    await age(s, 5);
    await s.run(`insert into t values (1, 'a')`);
    const rules = new Map([['trigger 1', historyRules(daily, 30)]]);
    await s.run('update joinery.triggers set maintained_at = null');
    await Promise.all([1, 2, 3].map(() => maintainHistory(s.database.query, '', rules, 60)));
    expect(await segments(s)).toEqual(['1', '2', '3']);
  });

  test('waits neither for writers nor for readers', async () => {
    const { s } = await scene();
    await fill(s, 10);
    await age(s, 100);
    await s.run(`update joinery.triggers set cleaned_at = now() - interval '2 days'`);
    await s.connect().transaction(async (query) => {
      await query({ text: 'select count(*) from joinery.trigger_1_s1', values: [] });
      await pass(s);
      expect(await segments(s)).toEqual(['1', '2']);
      await s.run(`insert into t values (1, 'a')`);
    });
    // The next maintenance drops what was locked.
    await pass(s);
    expect(await segments(s)).not.toContain('1');
  });
});
