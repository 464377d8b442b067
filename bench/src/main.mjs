// npm run bench [-- suite ...] [options]: runs the suites and writes bench/results/<suite>.json.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { actions } from './actions.mjs';
import { events } from './events/events.mjs';
import { hostile } from './hostile/hostile.mjs';
import { live } from './live.mjs';
import { barsTable } from './measure/bars.mjs';
import { conditions, objection } from './measure/conditions.mjs';
import { writePage } from './measure/page.mjs';
import { mutations } from './mutations.mjs';
import { neighbors } from './neighbors.mjs';
import { operations } from './operations.mjs';
import { processes } from './processes.mjs';
import { queries } from './queries.mjs';
import { schema } from './schema.mjs';
import { start } from './start.mjs';
import { triggers } from './triggers/triggers.mjs';

const help = `Usage: npm run bench -- [suite ...] [options]

Suites
  queries      nested query and primary-key lookup with 20 and 200 clients, against a hand-written server, one that pipelines,
               and PostGraphile 5
  mutations    insert of one row and update by primary key, against a hand-written server and PostGraphile 5
  neighbors    primary-key lookup while another role runs statements of 5 s, against the same without them
  live         one live query with 1,000 subscribers, against a hand-written poller; 10,000 live queries
  start        start to ready, a metadata change, idle memory: 100 tables, and 500 tables with 10 roles
  actions      actions joined to a table and to a batch endpoint, against a hand-written server and graphql-yoga
               with dataloader; memory for a response of 20 MB
  operations   primary-key lookup with tokens, metrics, traces and the query log, against the same without
  events       scheduled events: lateness, a backlog against graphile-worker and pg-boss, creation in batches, size
  triggers     event triggers: cost of capture, throughput against graphile-worker, latency, a transaction held open
  hostile      hostile requests of up to 10 MB, one at a time: the longest response time of /healthz meanwhile
  schema       a large project: metadata changes, tracking of 100 tables, introspection, migrations, memory
  processes    lookup and nested query with two processes against one, the database on the same cores

Options
  --all-short  every suite that has short runs, shortened: ten minutes; ends with a table of the bars
  --page       write docs/benchmarks.md and its charts, from the stored results or after the suites that are named
  --rounds N   alternating rounds; medians are quoted (default 5)
  --seconds N  length of one run (default 6)
  --clients N  connections of the load (default 20)
  --rate N     events, triggers: events a second of the lateness run (default 500), for --seconds (default 60)
  --future N,N events: pending events for next month during that run (default 1,1000000); 0 omits the run
  --backlog N  events: number of events of the backlog (default 10000); 0 omits the backlog. triggers: rows of a round
  --held N     events, triggers: events delivered while a transaction is open, before the measurement (default 100000); 0 omits it
  --compare DIR  queries, mutations, actions: also measure the service of another checkout, installed and built there
  --only TEXT  hostile: only requests whose name and caller match this regular expression

Environment
  DATABASE_URL a PostgreSQL to use; without it an embedded one is started
  CHINOOK_SQL  absolute path of the SQL script of the public Chinook sample; without it the rows are generated

Example
  npm run bench -- queries --rounds 7
  npm run bench -- queries actions --compare ../joinery-before
`;

const suites = {
  queries,
  mutations,
  neighbors,
  live,
  start,
  actions,
  operations,
  events,
  triggers,
  hostile,
  schema,
  processes,
};

/** The suites of `--all-short` with their settings. A suite omits what is slow and has no bar where `short` is set. */
const short = {
  queries: { rounds: 3, seconds: 2 },
  mutations: { rounds: 3, seconds: 2 },
  neighbors: { rounds: 3, seconds: 3 },
  operations: { rounds: 5, seconds: 2 },
  actions: { rounds: 3, seconds: 2 },
  live: { rounds: 3, seconds: 5 },
  start: { rounds: 1 },
  schema: { rounds: 1 },
  // Shorter runs of two single processes differed by up to 1.7 times on a busy machine.
  processes: { rounds: 3, seconds: 4 },
  events: { rounds: 2, sustained: 10, future: [1], held: 40_000 },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string' },
    clients: { type: 'string', default: '20' },
    rate: { type: 'string', default: '500' },
    future: { type: 'string', default: '1,1000000' },
    backlog: { type: 'string', default: '10000' },
    held: { type: 'string', default: '100000' },
    compare: { type: 'string' },
    only: { type: 'string' },
    'all-short': { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** An absolute path: npm runs this script in its own folder. */
const compare = values.compare && resolve(process.env.INIT_CWD ?? '.', values.compare);

/** Returns the first error in the arguments. */
function mistake() {
  const unknown = positionals.filter((name) => !(name in suites));
  if (unknown.length > 0) return `unknown suite: ${unknown.join(', ')}`;
  const bad = ['rounds', 'seconds', 'clients', 'rate'].find((name) => !/^[1-9]\d*$/.test(values[name] ?? '1'));
  if (bad !== undefined) return `--${bad} takes a whole number from 1, not "${values[bad]}"`;
  if (!/^\d+(,\d+)*$/.test(values.future)) return `--future takes whole numbers, not "${values.future}"`;
  if (compare !== undefined && !existsSync(join(compare, 'cli/dist/main.js'))) {
    return `--compare takes a checkout that is installed and built, not "${compare}"`;
  }
  const count = ['backlog', 'held'].find((name) => !/^\d+$/.test(values[name]));
  return count && `--${count} takes a whole number, not "${values[count]}"`;
}

async function runSuites() {
  const [rounds, clients, rate, backlog, held] = ['rounds', 'clients', 'rate', 'backlog', 'held'].map((name) =>
    Number(values[name]),
  );
  const seconds = Number(values.seconds ?? 6);
  // Lateness needs a longer run than the measurements in rounds.
  const sustained = Number(values.seconds ?? 60);
  const future = values.future
    .split(',')
    .map(Number)
    .filter((count) => count > 0);
  const settings = {
    rounds,
    seconds,
    clients,
    rate,
    sustained,
    future,
    backlog,
    held,
    compare,
    only: values.only,
  };
  await mkdir(results, { recursive: true });
  const names = positionals.length > 0 ? positionals : Object.keys(values['all-short'] ? short : suites);
  const reports = [];
  for (const name of names) {
    const own = values['all-short'] ? { ...settings, ...short[name], short: true } : settings;
    reports.push({ suite: name, ...(await runSuite(name, own)) });
  }
  const table = barsTable(reports);
  process.stdout.write(`\n${table}\n`);
  await writeFile(new URL('bars.md', results), `${table}\n`);
}

const results = new URL('../results/', import.meta.url);

/** Runs one suite and stores its report. With `--all-short` a suite that fails does not end the run. */
async function runSuite(name, settings) {
  const before = conditions();
  const warning = objection(before);
  if (warning !== undefined) process.stderr.write(`\nWarning: ${warning}\n`);
  const report = { conditions: before, settings };
  try {
    report.results = await suites[name](settings);
  } catch (error) {
    if (!values['all-short']) throw error;
    process.stderr.write(`\n${name} failed: ${error.stack}\n`);
    return { ...report, error: error.message.slice(0, 200) };
  }
  await writeFile(new URL(`${name}.json`, results), `${JSON.stringify(report, null, 2)}\n`);
  return report;
}

if (values.help) {
  process.stdout.write(help);
} else {
  const wrong = mistake();
  if (wrong === undefined) {
    // Without suites, the page shows the stored results.
    if (!values.page || values['all-short'] || positionals.length > 0) await runSuites();
    if (values.page) process.stdout.write(`docs/benchmarks.md has the results of ${await writePage()} suites\n`);
  } else {
    process.stderr.write(`${wrong}\n\n${help}`);
    process.exitCode = 2;
  }
}
