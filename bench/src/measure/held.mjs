// Deliveries while a transaction stays open, which prevents the removal of old row versions by vacuum, against the same without.
import pg from 'pg';
import { median } from './load.mjs';

/**
 * Calls `round` with a number of events, which it delivers. Delivers `held` events under an open transaction before the rounds
 * that count. Resolves with the ratio of the medians.
 */
export async function whileHeld(url, { rounds, backlog: count, held: volume }, round) {
  process.stdout.write(`\ntransaction held open: ${volume} events delivered, then ${rounds} rounds of ${count}\n`);
  const measure = async () => {
    const runs = [];
    for (let n = 0; n < rounds; n += 1) runs.push((await round(count)).perSecond);
    return runs;
  };
  await round(count);
  const free = await measure();
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  // A snapshot and an id, as of a transaction that has written.
  await holder.query('begin isolation level repeatable read; select pg_current_xact_id()');
  for (let left = volume; left > 0; left -= count) await round(Math.min(left, count));
  const during = await measure();
  await holder.query('rollback');
  await holder.end();
  const figures = {
    free: Math.round(median(free)),
    held: Math.round(median(during)),
    ratio: Number((median(during) / median(free)).toFixed(3)),
  };
  process.stdout.write(`  ${JSON.stringify(figures)}\n`);
  return figures;
}
