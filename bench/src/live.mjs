// One parameterised live query with 1,000 subscribers: what a poll costs, and how soon a change is everywhere.
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { trackMusic } from './commands.mjs';
import { run, startDatabase } from './database.mjs';
import { median } from './load.mjs';
import { cpuSeconds, memory } from './process.mjs';
import { startHandwrittenLive, startJoinery, withServers } from './servers.mjs';

const SUBSCRIBERS = 1000;
const query = 'subscription Track($id: Int!) { track_by_pk(track_id: $id) { track_id name milliseconds } }';

export async function live({ rounds, seconds }) {
  process.stdout.write(`\nlive query: ${SUBSCRIBERS} subscribers, each of another row; a poll a second\n`);
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
  const audience = new Audience(server.url.replace('http', 'ws') + path);
  await audience.gather();
  const statements = counted ? () => readGauge(server.url, 'joinery_live_statements_total') : async () => undefined;
  const before = { cpu: await cpuSeconds(server.pid), statements: await statements() };
  await sleep(seconds * 1000);
  const after = { cpu: await cpuSeconds(server.pid), statements: await statements() };
  const changes = [];
  for (let round = 0; round < rounds; round += 1) {
    // Somewhere between two polls, not always at the same place.
    await sleep(300 + 137 * (round % 7));
    const heard = audience.heard();
    const began = performance.now();
    await run(database.url, `update track set milliseconds = milliseconds + 1 where track_id <= ${SUBSCRIBERS}`);
    changes.push({ last: (await heard) - began });
  }
  const { now } = await memory(server.pid);
  audience.leave();
  const polled = after.statements === undefined ? undefined : (after.statements - before.statements) / seconds;
  return {
    name: server.name,
    'statements a poll': polled === undefined ? 1 : Math.round(polled),
    'CPU ms a poll when nothing changes': before.cpu && Math.round(((after.cpu - before.cpu) / seconds) * 1000),
    'ms from a change of all to the last message, median': Math.round(median(changes.map(({ last }) => last))),
    'ms from a change of all to the last message, most': Math.round(Math.max(...changes.map(({ last }) => last))),
    'MB resident': now,
  };
}

/** The subscribers: one socket each, and the count of those that have heard of what they wait for. */
class Audience {
  #url;
  #sockets = [];
  #waiting = new Set();
  #allReceived = () => undefined;

  constructor(url) {
    this.#url = url;
  }

  /** Resolves when each has its first result. */
  async gather() {
    const heard = this.heard();
    for (let id = 1; id <= SUBSCRIBERS; id += 1) {
      const socket = new WebSocket(this.#url, 'graphql-transport-ws');
      this.#sockets.push(socket);
      socket.on('open', () => socket.send('{"type":"connection_init"}'));
      socket.on('message', (message) => this.#take(socket, id, String(message)));
      // A handful at a time: the queue of a listening socket is short.
      if (id % 50 === 0) await sleep(20);
    }
    await heard;
  }

  /** Resolves with the time of `performance.now()` when every subscriber has received one more result. */
  heard() {
    this.#waiting = new Set(Array.from({ length: SUBSCRIBERS }, (_, n) => n + 1));
    return new Promise((resolve) => {
      this.#allReceived = () => resolve(performance.now());
    });
  }

  leave() {
    for (const socket of this.#sockets) socket.terminate();
  }

  #take(socket, id, text) {
    if (text.includes('"connection_ack"')) {
      socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query, variables: { id } } }));
    }
    if (text.includes('"error')) throw new Error(`a subscriber was answered ${text.slice(0, 500)}`);
    if (!text.includes('"next"') || !this.#waiting.delete(id)) return;
    if (this.#waiting.size === 0) this.#allReceived();
  }
}

async function readGauge(url, name) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = new RegExp(`^${name} (\\d+)`, 'm').exec(text);
  if (found === null) throw new Error(`there is no gauge ${name}`);
  return Number(found[1]);
}
