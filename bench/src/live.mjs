// Live queries: the cost of a poll with 1,000 subscribers, the time until a change is received, and 10,000 live queries.
import { setTimeout as sleep } from 'node:timers/promises';
import { command, trackMusic, trackTable } from './commands.mjs';
import { run, startDatabase } from './database.mjs';
import { median } from './measure/load.mjs';
import { cpuSeconds, memory } from './measure/process.mjs';
import { Delays, Subscribers } from './measure/subscribers.mjs';
import { startHandwrittenLive, startJoinery, withServers } from './servers.mjs';

const SUBSCRIBERS = 1000;
const MANY = 10_000;
const query = 'subscription Track($id: Int!) { track_by_pk(track_id: $id) { track_id name milliseconds } }';
const priceQuery = 'subscription Price($id: Int!) { price_by_pk(id: $id) { id amount } }';
const prices = `
  create table price (id int primary key, amount int not null default 0);
  insert into price select n from generate_series(1, ${MANY}) n; analyze price`;

/** The services of `many`: changes by plain SQL with the default interval and a shorter one, and changes by mutations. */
const ways = [
  { name: 'plain SQL, interval 1,000 ms' },
  { name: 'mutations, interval 1,000 ms', byMutation: true },
  { name: 'plain SQL, interval 500 ms', environment: { JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '500' } },
];

export async function live({ rounds, seconds, short = false }) {
  const polls = await comparePolls({ rounds, seconds });
  const many = [];
  for (const way of short ? ways.slice(0, 2) : ways) many.push(await measureMany(way, seconds));
  return { polls, many, bars: barsOf(polls, many) };
}

async function comparePolls({ rounds, seconds }) {
  process.stdout.write(`\nlive query: ${SUBSCRIBERS} subscribers, each with another row; one poll a second\n`);
  const database = await startDatabase();
  return withServers(database, async (start) => {
    const handwritten = await start(startHandwrittenLive(database.url));
    // Messages that keep sockets open are not part of a poll.
    const joinery = await start(startJoinery(database.url, { JOINERY_WEBSOCKET_KEEPALIVE: '3600' }));
    await trackMusic(joinery.url);
    const report = [
      await measurePolls(handwritten, '/', { rounds, seconds, database }),
      await measurePolls(joinery, '/v1/graphql', { rounds, seconds, database, isJoinery: true }),
    ];
    const names = Object.keys(report[1]).filter((name) => name !== 'name');
    process.stdout.write(`  ${''.padEnd(66)}${report.map(({ name }) => name.padStart(14)).join('')}\n`);
    for (const name of names) {
      process.stdout.write(
        `  ${name.padEnd(66)}${report.map((row) => String(row[name] ?? '-').padStart(14)).join('')}\n`,
      );
    }
    return report;
  });
}

const UNCHANGED = 'CPU ms a second, nothing written';
const OTHERS = 'CPU ms a second, another table written';
const OWN = 'ms from a mutation of one row to its message, p50';

async function measurePolls(server, path, { rounds, seconds, database, isJoinery = false }) {
  const statements = isJoinery ? () => readGauge(server.url, 'joinery_live_statements_total') : async () => undefined;
  const during = async (work) => {
    const before = { cpu: await cpuSeconds(server.pid), statements: await statements() };
    const [took] = await Promise.all([work()]);
    const after = { cpu: await cpuSeconds(server.pid), statements: await statements() };
    const per = (name, factor = 1) => {
      return before[name] === undefined
        ? undefined
        : Number((((after[name] - before[name]) * factor) / took).toFixed(1));
    };
    return { cpu: per('cpu', 1000), statements: per('statements') };
  };
  // Garbage collection, and the websocket pings of each half minute, are in few of the rounds.
  const repeatedly = async (work) => {
    const all = [];
    for (let round = 0; round < rounds; round += 1) all.push(await during(work));
    const middle = (name) => (all[0][name] === undefined ? undefined : median(all.map((one) => one[name])));
    return { cpu: middle('cpu'), statements: middle('statements') };
  };
  const idle = async () => {
    await sleep(seconds * 1000);
    return seconds;
  };
  const besideWrites = async () => {
    for (let count = 0; count < seconds * 5; count += 1) {
      await Promise.all([sleep(200), run(database.url, "insert into remark (track_id, words) values (1, 'x')")]);
    }
    return seconds;
  };
  await sleep(3000);
  const empty = await repeatedly(idle);
  const subscribers = new Subscribers(server.url.replace('http', 'ws') + path, query, SUBSCRIBERS);
  await subscribers.connect();
  await sleep(3000);
  const unchanged = await repeatedly(idle);
  const others = await repeatedly(besideWrites);
  const changes = [];
  for (let round = 0; round < rounds; round += 1) {
    // A time between two polls that varies.
    await sleep(300 + 137 * (round % 7));
    const received = subscribers.nextResults();
    const began = performance.now();
    await run(database.url, `update track set milliseconds = milliseconds + 1 where track_id <= ${SUBSCRIBERS}`);
    changes.push((await received) - began);
  }
  const own = isJoinery ? await ownMutations(server, subscribers, rounds * 10) : undefined;
  const { now } = await memory(server.pid);
  subscribers.leave();
  return {
    name: server.name,
    'CPU ms a second without subscribers': empty.cpu,
    [UNCHANGED]: unchanged.cpu,
    'statements a second, nothing written': unchanged.statements,
    [OTHERS]: others.cpu,
    'statements a second, another table written': others.statements,
    'ms from a change of all rows to the last message, median': Math.round(median(changes)),
    'ms from a change of all rows to the last message, maximum': Math.round(Math.max(...changes)),
    [OWN]: own?.p50,
    'ms from a mutation of one row to its message, p99': own?.p99,
    'MB resident': now,
  };
}

/** Changes one row at a time by mutations of the service, and waits for the message of its subscriber. */
async function ownMutations(server, subscribers, count) {
  const delays = new Delays();
  subscribers.received = (id) => delays.received(id);
  for (let number = 0; number < count; number += 1) {
    const id = 1 + ((number * 37) % SUBSCRIBERS);
    await sleep(100 + (number % 5) * 60);
    const mutation = `mutation { update_track_by_pk(pk_columns: {track_id: ${id}}, _inc: {milliseconds: 1}) { track_id } }`;
    // From the time at which the mutation is sent: its message may arrive before its response.
    delays.changed(id);
    await mutate(server.url, mutation);
  }
  await untilReceived(delays);
  subscribers.received = () => undefined;
  return delays.summary();
}

/** 10,000 live queries while 1 % of their rows change a second, in 10 changes a second. */
async function measureMany({ name, byMutation = false, environment = {} }, seconds) {
  const database = await startDatabase();
  return withServers(database, async (start) => {
    await run(database.url, prices);
    const joinery = await start(startJoinery(database.url, environment));
    await command(joinery.url, 'bulk', [trackTable('price')]);
    const subscribers = new Subscribers(`${joinery.url.replace('http', 'ws')}/v1/graphql`, priceQuery, MANY);
    await subscribers.connect();
    await sleep(3000);
    const delays = new Delays();
    subscribers.received = (id) => delays.received(id);
    const cpu = await cpuSeconds(joinery.pid);
    for (let step = 0; step < seconds * 10; step += 1) {
      const rows = Array.from({ length: MANY / 1000 }, (_, index) => 1 + ((step * 7919 + index * 1009) % MANY));
      await Promise.all([sleep(100), changeRows(rows)]);
    }
    const used = cpu && Math.round((((await cpuSeconds(joinery.pid)) - cpu) / seconds) * 1000);
    await untilReceived(delays);
    const { most } = await memory(joinery.pid);
    subscribers.leave();
    const report = { name, ...delays.summary(), 'CPU ms a second': used, 'MB resident at most': most };
    const shown = Object.entries(report).map(([key, value]) => (key === 'name' ? value : `${key} ${value}`));
    process.stdout.write(`  ${MANY} live queries, 1 % of rows a second by ${shown.join(', ')}\n`);
    return report;

    async function changeRows(rows) {
      if (byMutation) {
        const now = performance.now();
        for (const id of rows) delays.changed(id, now);
        const where = `{id: {_in: [${rows.join(', ')}]}}`;
        await mutate(joinery.url, `mutation { update_price(where: ${where}, _inc: {amount: 1}) { affected_rows } }`);
        return;
      }
      const now = performance.now();
      for (const id of rows) delays.changed(id, now);
      await run(database.url, `update price set amount = amount + 1 where id in (${rows.join(', ')})`);
    }
  });
}

async function untilReceived(delays) {
  const deadline = performance.now() + 20_000;
  while (delays.missing > 0) {
    if (performance.now() > deadline) throw new Error(`${delays.missing} changes were not received within 20 s`);
    await sleep(50);
  }
}

async function mutate(url, mutation) {
  const response = await fetch(`${url}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-Service-Role': 'admin' },
    body: JSON.stringify({ query: mutation }),
  });
  const text = await response.text();
  if (text.includes('"errors"')) throw new Error(`a mutation failed: ${text.slice(0, 500)}`);
}

function barsOf(polls, many) {
  const joinery = polls.find(({ name }) => name === 'joinery');
  const cost = (name) => Number((joinery[name] - joinery['CPU ms a second without subscribers']).toFixed(1));
  const poll = (what, name, most) => {
    const base = joinery['CPU ms a second without subscribers'];
    return {
      what,
      bar: `≤ ${most} ms`,
      measured: `${cost(name)} ms (${joinery[name]} to ${base})`,
      met: cost(name) <= most,
    };
  };
  return [
    poll('idle poll, 1,000 subscribers, nothing written: CPU', UNCHANGED, 1),
    poll('the same, another table written', OTHERS, 10),
    {
      what: 'own mutation to subscriber, p50',
      bar: '≤ 20 ms',
      measured: `${joinery[OWN]} ms`,
      met: joinery[OWN] <= 20,
    },
    ...many.map(({ name, p99, 'MB resident at most': most }) => ({
      what: `10,000 live queries, 1 % of rows a second by ${name}: p99 of a change, memory`,
      bar: '≤ 1,000 ms, ≤ 600 MB',
      measured: `${p99} ms, ${most} MB`,
      met: p99 <= 1000 && most <= 600,
    })),
  ];
}

async function readGauge(url, name) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = new RegExp(`^${name} (\\d+)`, 'm').exec(text);
  if (found === null) throw new Error(`the service has no gauge ${name}`);
  return Number(found[1]);
}
