// The cost of authentication and observability: the lookup by primary key with and without each of them.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { command, trackMusic } from './commands.mjs';
import { startDatabase } from './database.mjs';
import { compare } from './measure/load.mjs';
import { ids } from './measure/race.mjs';
import { startJoinery, withServers } from './servers.mjs';

const query = 'query Track($id: Int!) { track_by_pk(track_id: $id) { track_id name milliseconds unit_price } }';
const secret = 'the admin secret of this measurement';
const shared = 'a key that is shared with the token issuer';
/** The number of tokens, more than the service caches: a token that is used again is no longer cached. */
const MANY = 12_000;

const base64 = (value) => Buffer.from(value).toString('base64url');

/** Returns a token of the role `user`, valid for a day. Each `subject` has another token. */
function tokenOf(algorithm, subject, signed) {
  const claims = { 'x-service-allowed-roles': ['user'], 'x-service-default-role': 'user', 'x-service-user-id': '7' };
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const head = base64(JSON.stringify({ alg: algorithm, typ: 'JWT' }));
  const body = base64(JSON.stringify({ sub: subject, exp, 'https://hasura.io/jwt/claims': claims }));
  return `${head}.${body}.${signed(`${head}.${body}`)}`;
}

/** Returns the requests of one client. */
function requestsWith(tokens) {
  const bodies = ids(3500).map((id) => JSON.stringify({ query, variables: { id } }));
  return Array.from({ length: Math.max(bodies.length, tokens.length) }, (_, index) => ({
    method: 'POST',
    body: bodies[index % bodies.length],
    headers: {
      'content-type': 'application/json',
      ...(tokens.length > 0 && { authorization: `Bearer ${tokens[index % tokens.length]}` }),
    },
  }));
}

/** Starts a collector that reads traces and discards them. */
async function startCollector() {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end('{}'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, bytes: () => bytes, stop: () => server.close() };
}

/** Runs `work` while the metrics are read each second. */
async function scraped(url, work) {
  const timer = setInterval(() => fetch(`${url}/metrics`).then((result) => result.text()), 1000);
  return work().finally(() => clearInterval(timer));
}

export async function operations(settings) {
  const database = await startDatabase();
  const collector = await startCollector();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const makers = {
    HS256: (text) => createHmac('sha256', shared).update(text).digest('base64url'),
    RS256: (text) => sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url'),
  };
  const keys = { HS256: shared, RS256: publicKey.export({ type: 'spki', format: 'pem' }) };
  try {
    return await withServers(database, async (start) => {
      const own = { JOINERY_ADMIN_SECRET: secret, JOINERY_UNAUTHORIZED_ROLE: 'user' };
      const joinery = (name, environment = {}) =>
        start(startJoinery(database.url, { ...own, ...environment })).then((server) => ({ ...server, name }));
      const plain = await joinery('nothing');
      await trackMusic(plain.url, secret);
      const permission = { columns: '*', filter: {} };
      await command(plain.url, 'create_select_permission', { table: 'track', role: 'user', permission }, secret);

      const jwt = (algorithm) => ({ JOINERY_JWT_SECRET: JSON.stringify({ type: algorithm, key: keys[algorithm] }) });
      const otlp = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
      const contestants = [];
      const enter = (server, name, tokens = [], around = (work) => work()) =>
        contestants.push({
          name,
          pid: server.pid,
          url: `${server.url}/v1/graphql`,
          requestsOf: (client, clients) =>
            requestsWith(tokens.length > 1 ? tokens.slice(...share(client, clients, tokens.length)) : tokens),
          around,
        });
      enter(plain, 'nothing');
      if (!settings.short) enter(await joinery('again'), 'none, a second process');
      for (const algorithm of settings.short ? [] : ['HS256', 'RS256']) {
        const server = await joinery(algorithm, jwt(algorithm));
        const of = (subject) => tokenOf(algorithm, String(subject), makers[algorithm]);
        enter(server, `${algorithm}, one token`, [of('one')]);
        enter(
          server,
          `${algorithm}, a new token each`,
          Array.from({ length: MANY }, (_, index) => of(index)),
        );
      }
      if (!settings.short) enter(plain, 'metrics read each second', [], (work) => scraped(plain.url, work));
      enter(await joinery('traces', otlp), 'traces, all of them');
      const some = { ...otlp, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' };
      enter(await joinery('sampled', some), 'traces, one in twenty');
      if (!settings.short) enter(await joinery('log', { JOINERY_QUERY_LOG: 'true' }), 'query log');
      for (const contestant of contestants) await sample(contestant);
      const rows = await compare(contestants, settings);
      print(rows, settings);
      return { data: database.data, lookup: rows, tracesBytes: collector.bytes() };
    });
  } finally {
    collector.stop();
  }
}

function share(client, clients, length) {
  const each = Math.floor(length / clients);
  return [client * each, (client + 1) * each];
}

/** Waits for a response without errors, so that errors are not measured. The other nodes load the metadata within seconds. */
async function sample({ name, url, requestsOf }) {
  const [{ headers, body }] = requestsOf(0, 20);
  for (let attempt = 0; ; attempt += 1) {
    const result = await fetch(url, { method: 'POST', headers, body });
    const text = await result.text();
    if (text.startsWith('{"data":{"track_by_pk":{"track_id":')) return;
    if (attempt > 50) throw new Error(`${name}: ${text.slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function print(rows, { clients, rounds, seconds }) {
  const title = `lookup by primary key: ${clients} clients, median of ${rounds} alternating runs of ${seconds} s`;
  const heads = ['requests/s', 'p50 ms', 'p99 ms', 'CPU us', 'min us'].map((head) => head.padStart(10)).join('');
  process.stdout.write(`\n${title}\n  ${''.padEnd(26)}${heads}   CPU to none           requests to none\n`);
  const spread = (median, all) => `${median} (${Math.min(...all)} to ${Math.max(...all)})`;
  for (const { name, perSecond, p50, p99, cpu, cpuLeast, ratio, ratios, cpuRatio, cpuRatios } of rows) {
    const columns = [perSecond, p50, p99, cpu ?? '-', cpuLeast ?? '-']
      .map((value) => String(value).padStart(10))
      .join('');
    const ratiosOfCpu = cpuRatio === undefined ? '-' : spread(cpuRatio, cpuRatios);
    process.stdout.write(`  ${name.padEnd(26)}${columns}   ${ratiosOfCpu.padEnd(22)}${spread(ratio, ratios)}\n`);
  }
}
