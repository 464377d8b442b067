/** Events of a key are called in commit order, for random transactions, outcomes, deaths of nodes and pauses. */
import { afterEach, expect, test } from 'vitest';
import { type ClaimedRow, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

const keys = 4;
const writers = 3;
const transactions = 30;
const nodes = 3;

let s: TriggerScene;
afterEach(() => s.drop());

/** Returns numbers from 0 to 1 that depend on the seed only. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

interface Written {
  readonly id: number;
  readonly key: number;
  /** Places on one scale of all steps of the test. */
  sentAt: number;
  committedAt: number;
  firstCall: number;
  endedAt: number;
}

test.each([[1], [7], [42]])(
  'with the random numbers of seed %i no event overtakes another of its key',
  async (seed) => {
    const random = randomOf(seed);
    s = await triggerScene('create table t (id int primary key, k int)');
    const number = await s.capture({ table: 't', orderingKey: ['k'] });
    const written = new Map<number, Written>();
    let step = 0;
    const next = (): number => {
      step += 1;
      return step;
    };
    let writing = writers;

    async function write(writer: number): Promise<void> {
      const connection = s.connect();
      for (let n = 0; n < transactions; n += 1) {
        const made: Written[] = [];
        await connection.transaction(async (query) => {
          for (let row = 0; row <= Math.floor(random() * 3); row += 1) {
            const id = writer * 1_000 + n * 10 + row;
            const key = Math.floor(random() * keys);
            const none = Number.POSITIVE_INFINITY;
            made.push({ id, key, sentAt: 0, committedAt: none, firstCall: none, endedAt: none });
            await query({ text: 'insert into t values ($1, $2)', values: [id, key] });
            if (random() < 0.3) await query({ text: 'select pg_sleep(0.004)', values: [] });
          }
          for (const one of made) {
            one.sentAt = next();
            written.set(one.id, one);
          }
        });
        for (const one of made) one.committedAt = next();
      }
      writing -= 1;
    }

    const idOf = ({ new: row }: ClaimedRow): number => JSON.parse(row ?? '').id;
    /** The events of each key that are claimed under a valid lease. */
    const running = new Map<number, number>();
    const overlapping: number[] = [];

    async function deliver(): Promise<void> {
      const { query } = s.connect();
      let lease = await s.lease();
      for (;;) {
        const done = writing === 0;
        const events = await s.claim({ most: 1 + Math.floor(random() * 8), query, lease });
        for (const event of events) {
          const one = written.get(idOf(event));
          if (one === undefined) throw new Error('an event of a transaction that has not committed');
          const other = running.get(one.key);
          if (other !== undefined) overlapping.push(one.id);
          running.set(one.key, one.id);
          if (one.firstCall === Number.POSITIVE_INFINITY) one.firstCall = next();
        }
        const release = (): void => {
          for (const event of events) running.delete(written.get(idOf(event))?.key ?? -1);
        };
        const luck = random();
        if (luck < 0.15) {
          // The node dies.
          release();
          await s.run(`update joinery.source_leases set expires_at = now() - interval '1 s' where id = ${lease};
          select joinery.sweep_trigger_events()`);
          lease = await s.lease();
        } else if (luck < 0.3) {
          release();
          await s.settle(events, { status: null, retry_ms: Date.now() - 1_000 });
        } else {
          release();
          for (const event of events) {
            const one = written.get(idOf(event));
            if (one !== undefined) one.endedAt = next();
          }
          const status = luck < 0.4 ? 'error' : luck < 0.5 ? 'dead' : 'delivered';
          if (events.length > 0) expect(await s.settle(events, { status })).toEqual([]);
        }
        if (luck > 0.9) await s.run(`update joinery.triggers set paused = not paused where number = ${number}`);
        if (!done) continue;
        await s.run('update joinery.triggers set paused = false');
        const [left] = await s.column('select count(*) from joinery.trigger_work');
        if (left === '0' && events.length === 0 && (await s.claim({ query, lease, most: 0 })).length === 0) {
          const open = [...written.values()].some(({ endedAt }) => endedAt === Number.POSITIVE_INFINITY);
          if (!open) return;
        }
      }
    }

    await Promise.all([
      ...Array.from({ length: writers }, (_, writer) => write(writer)),
      ...Array.from({ length: nodes }, () => deliver()),
    ]);
    expect(overlapping).toEqual([]);
    const all = [...written.values()];
    expect(all.every(({ endedAt }) => endedAt < Number.POSITIVE_INFINITY)).toBe(true);
    // Of two transactions of which one began its commit after the response to the other, the order is known.
    const overtaking = all.filter((one) =>
      all.some((other) => other.key === one.key && other.committedAt < one.sentAt && one.firstCall < other.endedAt),
    );
    expect(overtaking).toEqual([]);
    // Rows of a transaction are in the order of their statements.
    const reversed = all.filter((one) => {
      const later = written.get(one.id + 1);
      return later !== undefined && later.key === one.key && later.firstCall < one.endedAt;
    });
    expect(reversed).toEqual([]);
  },
);
