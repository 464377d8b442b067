// Throughput while a transaction stays open, which prevents the removal of old row versions by vacuum, against the same without.
import pg from 'pg';
import { median } from '../measure/load.mjs';
import { startSink, withServers } from '../servers.mjs';
import { joinery } from './contestants.mjs';
import { once } from './throughput.mjs';

/** Delivers `held` events under an open transaction before the rounds that count. Resolves with the ratio of the medians. */
export async function held(postgres, { rounds, backlog: count, held: volume }) {
  process.stdout.write(`\ntransaction held open: ${volume} events delivered, then ${rounds} rounds of ${count}\n`);
  return withServers({ stop: async () => undefined }, async (start) => {
    const sink = await start(startSink());
    const worker = await joinery(postgres, sink, 'held');
    await start(worker.server);
    const measure = async () => {
      const runs = [];
      for (let round = 0; round < rounds; round += 1) runs.push((await once(worker, sink, count)).perSecond);
      return runs;
    };
    await once(worker, sink, count);
    const free = await measure();
    const holder = new pg.Client({ connectionString: worker.url });
    await holder.connect();
    // A snapshot and an id, as of a transaction that has written.
    await holder.query('begin isolation level repeatable read; select pg_current_xact_id()');
    for (let left = volume; left > 0; left -= count) await once(worker, sink, Math.min(left, count));
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
  });
}
