// Starts the contestants, each as a process of its own on loopback.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Returns the path of Node 24, from the npm package `node`, for peers that need it. */
export function newerNode() {
  return join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
}

/** Returns the path of the installed Node. npm puts that of the package `node` first on PATH, so that it runs this process. */
export function installedNode() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path)) ?? process.execPath;
}

/** Returns the version that an executable of Node reports, such as `v24.1.0`. */
export const versionOf = (node) => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();

/** Starts `command`, waits until it prints a URL, and resolves with the server. */
export async function startServer(name, command, args, environment) {
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const url = await new Promise((resolve, reject) => {
    const listen = (text) => {
      // Only the end of a long log is stored.
      output = (output + text).slice(-10_000);
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found !== null) resolve(found[0]);
    };
    child.stdout.setEncoding('utf8').on('data', listen);
    child.stderr.setEncoding('utf8').on('data', listen);
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}:\n${output}`)));
  });
  return {
    name,
    url,
    pid: child.pid,
    output: () => output.slice(-2000),
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/**
 * Runs `work` with a function that starts servers, `await start(startJoinery(url))`. Stops the servers and the database when
 * `work` ends or fails.
 */
export async function withServers(database, work) {
  const servers = [];
  const start = async (starting) => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  try {
    return await work(start);
  } finally {
    for (const server of servers.reverse()) await server.stop();
    await database.stop();
  }
}

const ownRoot = here('../..');

/** Starts the service with its defaults, on this version of Node unless another is given. */
export function startJoinery(databaseUrl, environment = {}, node = process.execPath) {
  return startCheckout('joinery', ownRoot, databaseUrl, environment, node);
}

function startCheckout(name, root, databaseUrl, environment = {}, node = process.execPath) {
  return startServer(name, node, [join(root, 'cli/bin/joinery.mjs'), 'serve', '--port', '0', '--log-format', 'json'], {
    JOINERY_DATABASE_URL: databaseUrl,
    ...environment,
  });
}

/**
 * Starts the service, and that of the checkout `compare`, if given, on a copy of the database. `define` creates the metadata of
 * a service by its URL. Resolves with the services.
 */
export async function startServices(start, database, { compare }, define) {
  const services = [await start(startJoinery(database.url))];
  if (compare !== undefined) {
    services.push(await start(startCheckout('compared', compare, await database.copy())));
  }
  for (const { url } of services) await define(url);
  return services;
}

export function startHandwritten(databaseUrl) {
  return startServer('hand-written', process.execPath, [here('../peers/handwritten.mjs')], {
    DATABASE_URL: databaseUrl,
  });
}

/** Starts the hand-written server with a driver that pipelines. Four connections were the fastest of 1, 2, 4 and 10. */
export function startPipelining(databaseUrl) {
  return startServer('pipelining', process.execPath, [here('../peers/pipelining.mjs')], {
    DATABASE_URL: databaseUrl,
    CONNECTIONS: '4',
  });
}

export function startHandwrittenLive(databaseUrl) {
  return startServer('hand-written', process.execPath, [here('../peers/live.mjs')], { DATABASE_URL: databaseUrl });
}

/** Starts the REST endpoints that actions call. */
export function startEndpoint() {
  return startServer('endpoint', process.execPath, [here('../peers/endpoint.mjs')], {});
}

export function startHandwrittenJoins(databaseUrl, endpoint) {
  return startServer('hand-written', process.execPath, [here('../peers/joins.mjs')], {
    DATABASE_URL: databaseUrl,
    ENDPOINT: endpoint,
  });
}

export function startYoga(databaseUrl, endpoint) {
  return startServer('graphql-yoga', process.execPath, [here('../peers/yoga.mjs')], {
    DATABASE_URL: databaseUrl,
    ENDPOINT: endpoint,
    NODE_ENV: 'production',
  });
}

export function startPostGraphile(databaseUrl) {
  return startServer('postgraphile', newerNode(), [here('../peers/postgraphile.mjs')], {
    DATABASE_URL: databaseUrl,
    NODE_ENV: 'production',
    GRAPHILE_ENV: 'production',
  });
}

/** Starts the webhook that events and jobs call. */
export function startSink() {
  return startServer('sink', process.execPath, [here('../peers/sink.mjs')], {});
}

/** Starts a worker of `peers/` on Node 24, with `concurrency` calls of `sink` at a time. */
export function startWorker(name, databaseUrl, sink, concurrency) {
  return startServer(name, newerNode(), [here(`../peers/${name}.mjs`)], {
    DATABASE_URL: databaseUrl,
    SINK: sink,
    CONCURRENCY: String(concurrency),
    NODE_ENV: 'production',
  });
}
