// One parameterized live query with 1,000 subscribers: the cost of a poll, and the time until all receive a change.
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { trackMusic } from './commands.mjs';
import { run, startDatabase } from './database.mjs';
import { median } from './measure/load.mjs';
import { cpuSeconds, memory } from './measure/process.mjs';
import { startHandwrittenLive, startJoinery, withServers } from './servers.mjs';

const SUBSCRIBERS = 1000;
const query = 'subscription Track($id: Int!) { track_by_pk(track_id: $id) { track_id name milliseconds } }';

export async function live({ rounds, seconds }) {
  process.stdout.write(`\nlive query: ${SUBSCRIBERS} subscribers, each with another row; one poll a second\n`);
  const database = await startDatabase();
  return withServers(database, async (start) => {
    const handwritten = await start(startHandwrittenLive(database.url));
    const joinery = await start(startJoinery(database.url));
    await trackMusic(joinery.url);
    const report = [
      await measure(handwritten, '/', { rounds, seconds, database }),
      await measure(joinery, '/v1/graphql', { rounds, seconds, database, counted: true }),
    ];
    const names = Object.keys(report[1]).filter((name) => name !== 'name');
    process.stdout.write(`  ${''.padEnd(52)}${report.map(({ name }) => name.padStart(14)).join('')}\n`);
    for (const name of names) {
      process.stdout.write(
        `  ${name.padEnd(52)}${report.map((row) => String(row[name] ?? '-').padStart(14)).join('')}\n`,
      );
    }
    return report;
  });
}

async function measure(server, path, { rounds, seconds, database, counted = false }) {
  const subscribers = new Subscribers(server.url.replace('http', 'ws') + path);
  await subscribers.connect();
  const statements = counted ? () => readGauge(server.url, 'joinery_live_statements_total') : async () => undefined;
  const before = { cpu: await cpuSeconds(server.pid), statements: await statements() };
  await sleep(seconds * 1000);
  const after = { cpu: await cpuSeconds(server.pid), statements: await statements() };
  const changes = [];
  for (let round = 0; round < rounds; round += 1) {
    // A time between two polls that varies.
    await sleep(300 + 137 * (round % 7));
    const received = subscribers.nextResults();
    const began = performance.now();
    await run(database.url, `update track set milliseconds = milliseconds + 1 where track_id <= ${SUBSCRIBERS}`);
    changes.push({ last: (await received) - began });
  }
  const { now } = await memory(server.pid);
  subscribers.leave();
  const polled = after.statements === undefined ? undefined : (after.statements - before.statements) / seconds;
  return {
    name: server.name,
    'statements a poll': polled === undefined ? 1 : Math.round(polled),
    'CPU ms a poll without changes': before.cpu && Math.round(((after.cpu - before.cpu) / seconds) * 1000),
    'ms from a change of all rows to the last message, median': Math.round(median(changes.map(({ last }) => last))),
    'ms from a change of all rows to the last message, maximum': Math.round(
      Math.max(...changes.map(({ last }) => last)),
    ),
    'MB resident': now,
  };
}

/** The subscribers, with one socket each, and those that have not received the next result. */
class Subscribers {
  #url;
  #sockets = [];
  #waiting = new Set();
  #allReceived = () => undefined;

  constructor(url) {
    this.#url = url;
  }

  /** Connects all. Resolves when each has its first result. */
  async connect() {
    const received = this.nextResults();
    for (let id = 1; id <= SUBSCRIBERS; id += 1) {
      const socket = new WebSocket(this.#url, 'graphql-transport-ws');
      this.#sockets.push(socket);
      socket.on('open', () => socket.send('{"type":"connection_init"}'));
      socket.on('message', (message) => this.#receive(socket, id, String(message)));
      // 50 at a time: the backlog of a listening socket is short.
      if (id % 50 === 0) await sleep(20);
    }
    await received;
  }

  /** Resolves with the time of `performance.now()` when every subscriber has received one more result. */
  nextResults() {
    this.#waiting = new Set(Array.from({ length: SUBSCRIBERS }, (_, n) => n + 1));
    return new Promise((resolve) => {
      this.#allReceived = () => resolve(performance.now());
    });
  }

  leave() {
    for (const socket of this.#sockets) socket.terminate();
  }

  #receive(socket, id, text) {
    if (text.includes('"connection_ack"')) {
      socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query, variables: { id } } }));
    }
    if (text.includes('"error')) throw new Error(`a subscriber received ${text.slice(0, 500)}`);
    if (!text.includes('"next"') || !this.#waiting.delete(id)) return;
    if (this.#waiting.size === 0) this.#allReceived();
  }
}

async function readGauge(url, name) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = new RegExp(`^${name} (\\d+)`, 'm').exec(text);
  if (found === null) throw new Error(`the service has no gauge ${name}`);
  return Number(found[1]);
}
