// The time from a change to its call at a steady rate of single changes, each a transaction of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cpuSeconds } from '../measure/process.mjs';
import { startSink, withServers } from '../servers.mjs';
import { quantile, request, statements } from '../sink.mjs';
import { joinery } from './contestants.mjs';

/** Connections that insert. */
const WRITERS = 10;

/** Resolves with quantiles in milliseconds from the response to the commit, and from the sent insert, to the arrival of the call. */
export async function latency(postgres, { rate, sustained }) {
  process.stdout.write(`\nlatency: ${rate} changes/s for ${sustained} s\n`);
  return withServers({ stop: async () => undefined }, async (start) => {
    const sink = await start(startSink());
    const service = await joinery(postgres, sink, 'latency');
    await start(service.server);
    const pool = new pg.Pool({ connectionString: service.url, max: WRITERS });
    // Warm-up: the first seconds run code that is not compiled yet.
    await feed(pool, sink, { rate, seconds: Math.min(5, sustained) });
    const { url, pid } = service.server;
    const before = { statements: await statements(url), cpu: await cpuSeconds(pid) };
    const { sent, committed, came, calls } = await feed(pool, sink, { rate, seconds: sustained });
    const events = rate * sustained;
    const after = { statements: await statements(url), cpu: await cpuSeconds(pid) };
    await pool.end();
    const figures = {
      fromCommit: summary(came, committed),
      fromInsert: summary(came, sent),
      lost: events - came.size,
      twice: calls - came.size,
      statementsPerEvent: Number(((after.statements - before.statements) / events).toFixed(3)),
      cpuUsPerEvent: before.cpu && Math.round(((after.cpu - before.cpu) * 1e6) / events),
    };
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(`  ${name.padEnd(20)} ${typeof value === 'object' ? JSON.stringify(value) : value}\n`);
    return figures;
  });
}

const now = () => performance.timeOrigin + performance.now();

/** Inserts single rows. Resolves with times by the number of the row. */
async function feed(pool, sink, { rate, seconds }) {
  const count = rate * seconds;
  await request(sink, `reset/${count}`);
  const sent = new Map();
  const committed = new Map();
  const inserting = [];
  const began = performance.now();
  for (let n = 1; n <= count; n += 1) {
    const wait = began + (n * 1000) / rate - performance.now();
    if (wait > 1) await sleep(wait);
    sent.set(n, now());
    const query = { name: 'insert', text: 'insert into item values ($1::int, $1::int)', values: [n] };
    inserting.push(pool.query(query).then(() => committed.set(n, now())));
  }
  await Promise.all(inserting);
  const patience = performance.now() + 30_000;
  while ((await request(sink, 'counts')).different < count && performance.now() < patience) await sleep(100);
  const { calls, times } = await request(sink, 'times');
  return { sent, committed, calls, came: new Map(times) };
}

/** A call may arrive before the response to the commit; its time counts as 0. */
function summary(came, from) {
  const ms = [...came].map(([n, moment]) => Math.max(moment - from.get(n), 0)).sort((one, other) => one - other);
  const at = (share) => Number((quantile(ms, share) ?? 0).toFixed(2));
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
