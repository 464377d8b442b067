// Hostile requests, one at a time: the response time of /healthz meanwhile, and the longest block of the event loop.
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { command } from '../commands.mjs';
import { run, startDatabase } from '../database.mjs';
import { startJoinery, withServers } from '../servers.mjs';
import { hostileRequests } from './requests.mjs';
import { metadata, tables } from './schema.mjs';

/** The limit of the response time of /healthz during a request, in milliseconds. */
const LIMIT_MS = 250;
const secret = 'the admin secret of the hostile requests';
const key = 'a key of at least 32 characters for hostile requests';

export async function hostile({ only }) {
  const database = await startDatabase();
  const handler = await startHandler();
  const directory = await mkdtemp(join(tmpdir(), 'joinery-hostile-'));
  const blocks = join(directory, 'blocks');
  try {
    return await withServers(database, async (start) => {
      await run(database.url, tables);
      const server = await start(
        startJoinery(database.url, {
          JOINERY_ADMIN_SECRET: secret,
          JOINERY_UNAUTHORIZED_ROLE: 'anonymous',
          JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key }),
          NODE_OPTIONS: `--import ${new URL('probe.mjs', import.meta.url).href}`,
          HOSTILE_BLOCKS: blocks,
        }),
      );
      await command(server.url, 'bulk', metadata(handler.url), secret);
      const health = healthOf(`${server.url}/healthz`);
      const rows = await sendAll({ server, health, blocks, callers: callers(), only });
      await health.stop();
      report(rows);
      return rows;
    });
  } finally {
    handler.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function sendAll({ server, health, blocks, callers: headersOf, only }) {
  const wanted = only === undefined ? undefined : new RegExp(only);
  const rows = [];
  process.stdout.write(
    `\n  ${'request'.padEnd(58)}${'caller'.padEnd(11)}${'result'.padEnd(30)}${'ms'.padStart(7)}${'/healthz'.padStart(10)}${'blocked'.padStart(9)}\n`,
  );
  for (const { name, callers: names = ['user'], send } of hostileRequests) {
    for (const caller of names) {
      if (wanted !== undefined && !wanted.test(`${name} ${caller}`)) continue;
      await health.longest();
      await writeFile(blocks, '');
      const began = performance.now();
      const result = await send(server.url, headersOf[caller]).catch((error) => `failed: ${error.message}`);
      const ms = performance.now() - began;
      const { longest } = await health.longest();
      const blocked = await longestBlock(blocks);
      rows.push({ name, caller, result, ms, longest, blocked });
      const late = Math.min(longest, blocked) > LIMIT_MS ? '  over' : '';
      const numbers = `${fixed(ms, 7)}${fixed(longest, 10)}${fixed(blocked, 9)}`;
      process.stdout.write(
        `  ${name.padEnd(58)}${caller.padEnd(11)}${String(result).slice(0, 28).padEnd(30)}${numbers}${late}\n`,
      );
    }
  }
  return rows;
}

function report(rows) {
  const late = rows.filter(({ longest, blocked }) => Math.min(longest, blocked) > LIMIT_MS);
  const most = Math.max(...rows.map(({ longest }) => longest));
  const block = Math.max(...rows.map(({ blocked }) => blocked));
  process.stdout.write(
    `\n  ${rows.length} requests; longest /healthz ${fixed(most)} ms, longest block ${fixed(block)} ms without waits for a processor; ${late.length} over ${LIMIT_MS} ms\n`,
  );
}

const fixed = (number, width = 0) => number.toFixed(0).padStart(width);

/** Returns the headers of each caller. */
function callers() {
  const claims = { 'x-service-allowed-roles': ['user'], 'x-service-default-role': 'user', 'x-service-user-id': '7' };
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const base64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${base64({ alg: 'HS256' })}.${base64({ exp, 'https://hasura.io/jwt/claims': claims })}`;
  const signature = createHmac('sha256', key).update(unsigned).digest('base64url');
  return {
    admin: { 'X-Service-Admin-Secret': secret },
    user: { authorization: `Bearer ${unsigned}.${signature}` },
    anonymous: {},
    impostor: { 'X-Service-Admin-Secret': 'wrong' },
  };
}

function healthOf(url) {
  const worker = new Worker(new URL('health.mjs', import.meta.url), { workerData: { url } });
  return {
    /** Resolves with the longest response time since the last call, in milliseconds. */
    longest: () =>
      new Promise((resolve) => {
        worker.once('message', resolve);
        worker.postMessage('longest');
      }),
    stop: () => worker.terminate(),
  };
}

/** Returns the longest block in milliseconds, without the time that the thread waited for a processor. */
async function longestBlock(file) {
  const text = await readFile(file, 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return Math.max(0, ...lines.map((line) => JSON.parse(line).own));
}

/** The handler of the action. */
async function startHandler() {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{"ok":true}'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}
