// Rows that are inserted, captured and delivered: from the first insert until the last outcome is stored, by one process.
import pg from 'pg';
import { run } from '../database.mjs';
import { median } from '../measure/load.mjs';
import { cpuSeconds } from '../measure/process.mjs';
import { startSink, withServers } from '../servers.mjs';
import { request } from '../sink.mjs';
import { CONCURRENCY, contestants } from './contestants.mjs';

/** Rows of one transaction. */
const ROWS = 100;

/** Runs all contestants in turn. The ratios are to the first. */
export async function throughput(postgres, { rounds, backlog: count }) {
  process.stdout.write(
    `\nthroughput: ${count} rows inserted in transactions of ${ROWS}, ${CONCURRENCY} calls at a time, median of ${rounds} rounds\n`,
  );
  return withServers({ stop: async () => undefined }, async (start) => {
    const sink = await start(startSink());
    const workers = [];
    for (const { name, start: open } of contestants) {
      const worker = await open(postgres, sink);
      await start(worker.server);
      workers.push({ name, ...worker, runs: [] });
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const worker of round % 2 === 0 ? workers : [...workers].reverse()) {
        const result = await once(worker, sink, count);
        if (round > 0) worker.runs.push(result);
      }
    }
    return workers.map(({ name, runs }) => {
      const ratios = runs.map(({ perSecond }, n) => Number((perSecond / workers[0].runs[n].perSecond).toFixed(3)));
      const result = {
        name,
        perSecond: Math.round(median(runs.map((one) => one.perSecond))),
        cpu: runs[0].cpu && Math.round(median(runs.map((one) => one.cpu))),
        ratio: Number(median(ratios).toFixed(3)),
        ratios,
      };
      process.stdout.write(`  ${JSON.stringify(result)}\n`);
      return result;
    });
  });
}

/** Resolves with the events of a second and the microseconds of processor time of the service for each. */
export async function once({ server, url, left, clear }, sink, count) {
  await run(url, clear);
  await request(sink, `reset/${count}`);
  const cpu = await cpuSeconds(server.pid);
  const began = performance.now();
  await insert(url, count);
  const patience = performance.now() + 120_000;
  for (let seen = await request(sink, 'counts'); seen.first === null; seen = await request(sink, 'counts')) {
    if (performance.now() > patience) {
      throw new Error(`${server.name} made ${seen.different} of ${count} calls:\n${server.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await untilNone(url, left);
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: count / seconds, cpu: cpu && (((await cpuSeconds(server.pid)) - cpu) * 1e6) / count };
}

async function insert(url, count) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let from = 1; from <= count; from += ROWS) {
    await client.query({
      name: 'insert',
      text: 'insert into item select n, n from generate_series($1::int, $2::int) n',
      values: [from, Math.min(from + ROWS - 1, count)],
    });
  }
  await client.end();
}

async function untilNone(url, left) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  while ((await client.query(left)).rows[0].pending) await new Promise((resolve) => setTimeout(resolve, 10));
  await client.end();
}
