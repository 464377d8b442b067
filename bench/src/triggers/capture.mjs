// The cost of capture for the writer: an update with an event trigger against the same without, in alternating rounds. The processor
// time of the server process depends less on other work of the machine than the elapsed time does.
import { addTrigger, captureStatements } from '../../../server/dist/events/capture/capture.js';
import { captureLevel, readCapturedTable } from '../../../server/dist/events/capture/captured-table.js';
import { createDatabase } from '../../../server/dist/postgres/client/pool.js';
import { migrateSource } from '../../../server/dist/postgres/migrations/sources.js';
import { queryRows, runStatement } from '../../../server/dist/postgres/sql/rows.js';
import { startPostgres } from '../database.mjs';
import { cpuSeconds } from '../measure/process.mjs';

const rowsOfTable = 100_000;

/** What is captured. */
const triggers = {
  'every column': { operations: { update: { payload: '*', listened: '*' } } },
  'two of six columns': {
    operations: { update: { payload: ['id', 'status'], listened: ['status'] } },
  },
  'every column, in order': {
    operations: { update: { payload: '*', listened: '*' } },
    orderingKey: ['customer'],
  },
};

/** Returns for each trigger the medians of the rounds and their ratios. */
export async function capture({ rounds, seconds = 2 }) {
  const postgres = await startPostgres();
  try {
    const results = {};
    for (const [name, trigger] of Object.entries(triggers)) {
      results[name] = await measure(await postgres.create(`capture_${Object.keys(results).length}`), trigger, {
        rounds,
        seconds,
      });
    }
    return results;
  } finally {
    await postgres.stop();
  }
}

async function measure(url, trigger, { rounds, seconds }) {
  const database = createDatabase({ url, poolSize: 1, statementTimeoutMs: 0, prepare: true, applicationName: 'bench' });
  const run = (text, values = [], name) => database.query({ text, values, name }, { unlimited: true });
  await migrateSource(database);
  for (const table of ['plain', 'captured']) {
    await run(`create table ${table} (id int primary key, customer int, status text, note text, price numeric, at timestamptz)
      with (fillfactor = 50)`);
    await run(
      `insert into ${table} select n, n % 5000, 'new', 'a note on order ' || n, n / 7.0, now() from generate_series(1, ${rowsOfTable}) n`,
    );
  }
  await install(database, trigger);
  await run('vacuum analyze');
  const {
    rows: [[pid]],
  } = await run('select pg_backend_pid()');
  const {
    rows: [[packed]],
  } = await run(`select to_regclass('joinery.trigger_1_s1_packed')`);
  const single = { plain: [], captured: [] };
  const bulk = { plain: [], captured: [] };
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates too.
    const order = round % 2 === 0 ? ['plain', 'captured'] : ['captured', 'plain'];
    for (const table of order) single[table].push(await timed(pid, () => updates(run, table, seconds)));
    for (const table of order)
      bulk[table].push(await timed(pid, () => run(`update ${table} set status = 'round ${round}'`)));
    await run('truncate joinery.trigger_1_s1, joinery.trigger_stamps');
    if (packed !== null) await run('truncate joinery.trigger_1_s1_packed');
    await run('vacuum');
  }
  await database.close();
  return { single: summary(single), bulk: summary(bulk) };
}

async function install(database, { operations, orderingKey }) {
  const table = { schema: 'public', name: 'captured' };
  await database.transaction(async (query) => {
    const [row] = await queryRows(query, addTrigger('bench', table, orderingKey !== undefined), ['number']);
    const found = await readCapturedTable(query, table);
    const level = captureLevel(found, false);
    const trigger = {
      number: Number(row.number),
      table,
      operations,
      columns: found.columns,
      layout: found.layout,
      orderingKey,
      level,
      replication: false,
    };
    for (const statement of captureStatements(trigger, 'bench')) await runStatement(query, statement);
  });
}

/** Updates rows in transactions of their own, one after the other, and returns their number. */
async function updates(run, table, seconds) {
  const until = performance.now() + seconds * 1000;
  let count = 0;
  while (performance.now() < until) {
    count += 1;
    await run(
      `update ${table} set status = $1 where id = $2`,
      [`s${count}`, 1 + ((count * 7919) % rowsOfTable)],
      `u_${table}`,
    );
  }
  return count;
}

/** Returns the elapsed and the processor microseconds of the work, for each of the units that it returns. */
async function timed(pid, work) {
  const cpu = await cpuSeconds(pid);
  const started = performance.now();
  const units = await work();
  const count = typeof units === 'number' ? units : 1;
  return {
    elapsed: ((performance.now() - started) * 1_000) / count,
    cpu: (((await cpuSeconds(pid)) - cpu) * 1e6) / count,
  };
}

function summary({ plain, captured }) {
  const of = (kind) => {
    const ratios = plain.map((time, round) => captured[round][kind] / time[kind]);
    const middle = (times) => median(times.map((time) => time[kind]));
    return { plain: middle(plain), captured: middle(captured), ratio: median(ratios) };
  };
  return { unit: 'us', elapsed: of('elapsed'), cpu: of('cpu') };
}

function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  return Number((sorted[sorted.length >> 1] ?? 0).toPrecision(3));
}
