// A backlog of due events, delivered by one process, compared with job queues that make the same HTTP call.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { command } from '../commands.mjs';
import { run } from '../database.mjs';
import { median } from '../measure/load.mjs';
import { cpuSeconds } from '../measure/process.mjs';
import { installedNode, newerNode, startJoinery, startSink, startWorker, versionOf, withServers } from '../servers.mjs';
import { request } from '../sink.mjs';

const CONCURRENCY = 100;
const steps = [10, 25, 50, 100];

const contestants = [
  { name: 'graphile-worker', start: graphileWorker },
  { name: 'pg-boss', start: pgBoss },
  ...Array.from(new Map([installedNode(), newerNode()].map((node) => [versionOf(node), node])), ([version, node]) => ({
    name: `joinery ${version}`,
    start: (...given) => joinery(...given, version, node),
  })),
];

/** Runs all contestants in turn. The ratios are to the first. */
export async function backlog(postgres, { rounds, backlog: count }) {
  process.stdout.write(`\nbacklog: ${count} due at once, ${CONCURRENCY} calls at a time, median of ${rounds} rounds\n`);
  const rows = await race(postgres, { rounds, count, concurrency: CONCURRENCY });
  process.stdout.write('  worker               calls/s    CPU us   transactions a call   ratio\n');
  for (const { name, perSecond, cpu, transactions, ratio, ratios } of rows) {
    const range = `${Math.min(...ratios)} to ${Math.max(...ratios)}`;
    process.stdout.write(
      `  ${name.padEnd(18)}${String(perSecond).padStart(10)}${String(cpu ?? '-').padStart(10)}${String(transactions).padStart(22)}   ${ratio} (${range})\n`,
    );
  }
  return rows;
}

/** Runs one round for each concurrency, after a warm-up round. */
export async function byConcurrency(postgres, { backlog: count }) {
  process.stdout.write('\nbacklog by concurrency: calls/s\n');
  const report = [];
  for (const concurrency of steps) {
    const rows = await race(postgres, { rounds: 1, count, concurrency });
    report.push(...rows.map(({ name, perSecond }) => ({ name, concurrency, perSecond })));
    const columns = rows.map(({ name, perSecond }) => `${name} ${perSecond}`);
    process.stdout.write(`  ${String(concurrency).padStart(4)}: ${columns.join(', ')}\n`);
  }
  return report;
}

async function race(postgres, { rounds, count, concurrency }) {
  return withServers({ stop: async () => undefined }, async (start) => {
    const sink = await start(startSink());
    const workers = [];
    for (const { name, start: open } of contestants) {
      const worker = await open(postgres, sink, concurrency);
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
      const middle = (of) => median(runs.map((one) => one[of]));
      return {
        name,
        perSecond: Math.round(middle('perSecond')),
        cpu: runs[0].cpu && Math.round(middle('cpu')),
        transactions: Number(middle('transactions').toFixed(3)),
        ratio: Number(median(ratios).toFixed(3)),
        ratios,
      };
    });
  });
}

/** Measures from the first call until the last outcome is stored, on empty tables. */
export async function once({ server, url, fill, left, clear }, sink, count) {
  await run(url, clear);
  // Connections report their statistics of transactions when they are idle.
  await sleep(1500);
  await request(sink, `reset/${count}`);
  const before = { transactions: await transactions(url), cpu: await cpuSeconds(server.pid) };
  await fill(count);
  let seen = await request(sink, 'counts');
  const patience = performance.now() + 60_000;
  for (; seen.first === null; seen = await request(sink, 'counts')) {
    if (performance.now() > patience)
      throw new Error(`${server.name} made ${seen.different} of ${count} calls:\n${server.output()}`);
    await sleep(20);
  }
  const polls = await untilNone(url, left);
  const took = performance.timeOrigin + performance.now() - seen.first;
  const cpu = await cpuSeconds(server.pid);
  await sleep(1500);
  // The polls of this function do not count as transactions of the contestant.
  const made = (await transactions(url)) - before.transactions - polls;
  return {
    perSecond: count / (took / 1000),
    cpu: before.cpu && ((cpu - before.cpu) * 1e6) / count,
    transactions: made / count,
  };
}

/** Inserts jobs with the library of the contestant. */
async function through(server, count) {
  const response = await fetch(`${server.url}/${count}`, { method: 'POST' });
  if (!response.ok) throw new Error(`${server.name} did not accept the jobs`);
}

/** Waits until no job is left. Resolves with the number of polls. */
async function untilNone(url, left) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let polls = 1; ; polls += 1) if (!(await client.query(left)).rows[0].pending) return polls;
  } finally {
    await client.end();
  }
}

async function transactions(url) {
  const { rows } = await run(
    url,
    'select xact_commit::float8 as n from pg_stat_database where datname = current_database()',
  );
  return rows[0].n;
}

const databases = new Map();

/** Starts one process for each contestant, used in all rounds. */
async function databaseOf(postgres, name) {
  if (!databases.has(name)) databases.set(name, await postgres.create(name));
  return databases.get(name);
}

/** Starts the service on `node` with a database of its own, which `version` names. */
export async function joinery(postgres, sink, concurrency, version, node) {
  const url = await databaseOf(postgres, `joinery_${version.replace(/\W/g, '_')}`);
  const server = await startJoinery(url, {}, node);
  await command(server.url, 'set_event_destination', { destination: sink.url, concurrency });
  return {
    server,
    url,
    fill: (count) =>
      run(
        url,
        `insert into joinery.scheduled_events (webhook, schedule_at, payload)
         select '${sink.url}/', now(), ('{"n":' || n || '}')::json from generate_series(1, ${count}) n`,
      ),
    left: 'select exists (select from joinery.scheduled_events) as pending',
    clear: 'truncate joinery.scheduled_events, joinery.processed_events, joinery.event_invocations',
  };
}

async function graphileWorker(postgres, sink, concurrency) {
  const url = await databaseOf(postgres, 'graphile_worker');
  const server = await startWorker('graphile-worker', url, sink.url, concurrency);
  return {
    server,
    url,
    fill: (count) => through(server, count),
    left: 'select exists (select from graphile_worker._private_jobs) as pending',
    clear: 'truncate graphile_worker._private_jobs',
  };
}

async function pgBoss(postgres, sink, concurrency) {
  const url = await databaseOf(postgres, 'pg_boss');
  const server = await startWorker('pg-boss', url, sink.url, concurrency);
  return {
    server,
    url,
    fill: (count) => through(server, count),
    left: "select exists (select from pgboss.job where state < 'completed' and name = 'call') as pending",
    clear: 'truncate pgboss.job',
  };
}
