/** The start of a service whose database is unreachable: the reported target and cause, and the wait. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Observation } from '../../src/base/telemetry/observe.ts';
import { start } from '../../src/main.ts';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { freePort } from '../support/http/free-port.ts';

const password = 'not-the-Passw0rd';
let database: TestDatabase;
let limited: string;

beforeAll(async () => {
  database = await testDatabase();
  limited = `limited_${database.url.slice(-12)}`;
  await database.database.query({ text: `create role ${limited} login password '${password}'`, values: [] });
});

afterAll(async () => {
  await database.database.query({ text: `drop role ${limited}`, values: [] });
  await database.drop();
});

interface Changes {
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  readonly search?: string;
}

function urlWith(changes: Changes): string {
  const url = new URL(database.url);
  url.hostname = changes.host ?? url.hostname;
  url.port = String(changes.port ?? url.port);
  url.pathname = changes.database ?? url.pathname;
  url.username = changes.user ?? url.username;
  url.password = changes.password ?? url.password;
  url.search = changes.search ?? url.search;
  return url.href;
}

const at = (changes: Changes): string => {
  const url = new URL(urlWith(changes));
  return `database "${url.pathname.slice(1)}" at ${url.hostname}:${url.port} as user "${url.username}"`;
};

interface Attempt {
  readonly message: string;
  /** The messages of the log. */
  readonly notes: readonly string[];
  stop(): Promise<void>;
}

/** Starts a service. The message is empty if the start succeeds. */
async function attempt(
  url: string | undefined,
  wait: string,
  settings: Readonly<Record<string, string>> = {},
  onNote: (note: string) => void = () => undefined,
  readMetadata?: () => Promise<unknown>,
): Promise<Attempt> {
  const notes: string[] = [];
  const observe = (observation: Observation): void => {
    if (observation.kind !== 'note' || observation.where !== 'database') return;
    notes.push(observation.message);
    onNote(observation.message);
  };
  const environment = {
    ...(url !== undefined && { JOINERY_DATABASE_URL: url }),
    JOINERY_DATABASE_WAIT: wait,
    JOINERY_PORT: '0',
    JOINERY_LOG_LEVEL: 'silent',
    ...settings,
  };
  try {
    const running = await start({ environment, observe, ...(readMetadata !== undefined && { readMetadata }) });
    return { message: '', notes, stop: () => running.stop('the test is over') };
  } catch (error) {
    return { message: (error as Error).message, notes, stop: async () => undefined };
  }
}

describe('a failed start reports the target, the cause and a suggestion', () => {
  test.each<[string, () => Changes, RegExp]>([
    [
      'an unknown database',
      () => ({ database: 'no_such_database' }),
      /database "no_such_database" does not exist \(3D000\)\. Create it/,
    ],
    [
      'a wrong password',
      () => ({ user: limited, password: 'wrong' }),
      /password authentication failed for user ".*" \(28P01\)\. Correct/,
    ],
    [
      'missing rights',
      () => ({ user: limited, password }),
      /permission denied for database .* \(42501\)\. Grant the user/,
    ],
    ['an untrusted certificate', () => ({ search: '?sslmode=verify-full' }), /TLS failed: .*SSL.* Check sslmode/],
    [
      'a missing certificate file',
      () => ({ search: '?sslmode=verify-full&sslrootcert=/nowhere.crt' }),
      /nowhere\.crt.* Correct the path/,
    ],
  ])('for %s without waiting', async (_case, changes, cause) => {
    const { message, notes } = await attempt(urlWith(changes()), '600');
    expect(message).toContain(`${at(changes())} (JOINERY_DATABASE_URL): `);
    expect(message).toMatch(cause);
    expect(message).not.toContain(password);
    expect(notes.filter((note) => note.startsWith('Waiting'))).toEqual([]);
  });

  test.each<[string, () => Promise<Changes>, RegExp]>([
    [
      'a port without a server',
      async () => ({ port: await freePort() }),
      /connection refused: .*ECONNREFUSED.* Check that PostgreSQL runs/,
    ],
    [
      'a host that does not resolve',
      async () => ({ host: 'database.invalid' }),
      /(does not resolve|does not respond): .*database\.invalid.* check the/i,
    ],
  ])('for %s after the wait', async (_case, changesOf, cause) => {
    const changes = await changesOf();
    const { message, notes } = await attempt(urlWith(changes), '1');
    expect(message).toContain(`${at(changes)} (JOINERY_DATABASE_URL): `);
    expect(message).toMatch(cause);
    expect(message).toContain('Waited 1 s (JOINERY_DATABASE_WAIT).');
    expect(notes[0]).toMatch(/^Waiting for database .* left \(JOINERY_DATABASE_WAIT\)\.$/);
  });

  test('for a server that closes the connection', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    const { port } = await new Promise<AddressInfo>((resolve) =>
      server.once('listening', () => resolve(server.address() as AddressInfo)),
    );
    const { message } = await attempt(urlWith({ port, host: '127.0.0.1' }), '0');
    server.close();
    expect(message).toMatch(
      /the server closed the connection: .* Check that the address is that of a PostgreSQL server/,
    );
    expect(message).not.toContain('Waited');
  });

  test('for a separate metadata database with the name of its setting', async () => {
    const port = await freePort();
    const { message } = await attempt(database.url, '0', { JOINERY_METADATA_DATABASE_URL: urlWith({ port }) });
    expect(message).toContain(`${at({ port })} (JOINERY_METADATA_DATABASE_URL): connection refused`);
  });

  test('for each of several hosts', async () => {
    const [first, second] = [await freePort(), await freePort()];
    const { hostname, username, password: secret, port } = new URL(database.url);
    const hosts = [first, second].map((one) => `${hostname}:${one}`);
    const url = `postgres://${username}:${secret}@${hosts.join(',')}/shop?target_session_attrs=read-write`;
    const { message } = await attempt(url, '0');
    expect(message).toContain(`database "shop" at ${hosts.join(', ')} as user "${username}" (JOINERY_DATABASE_URL): `);
    for (const host of hosts) expect(message).toContain(`${host}: connection refused: connect ECONNREFUSED ${host}`);
    const standby = `postgres://${username}:${secret}@${hosts[0]},${hostname}:${port}/postgres?target_session_attrs=standby`;
    expect((await attempt(standby, '0')).message).toContain(`; ${hostname}:${port}: the server is not standby. `);
  });

  test('without the part of a password that was not percent-encoded', async () => {
    const port = await freePort();
    const { message } = await attempt(`postgres://127.0.0.1:${port}/half-a-secret@db.example/shop`, '0');
    expect(message).toContain('Cannot connect to database "?"');
    expect(message).not.toContain('half-a-secret');
  });
});

test('a failed start with an unknown user suggests to correct the user or the password', async () => {
  // A server that checks passwords does not report which of the two is wrong.
  const { message } = await attempt(urlWith({ user: 'no_such_user' }), '600');
  expect(message).toContain(
    'password authentication failed for user "no_such_user" (28P01). Correct the user or the password',
  );
});

describe('a search path that begins with the schema of the service', () => {
  const warning = /^Tables that are created without a schema .* Run: alter role ".*" set search_path = public$/;

  async function notesWith(searchPath: string): Promise<readonly string[]> {
    const own = await testDatabase();
    const name = new URL(own.url).pathname.slice(1);
    await own.database.query({ text: `alter database "${name}" set search_path = ${searchPath}`, values: [] });
    const { notes, stop } = await attempt(own.url, '0');
    await stop();
    await own.drop();
    return notes;
  }

  test('causes a warning with the correction', async () => {
    expect(await notesWith('joinery, public')).toContainEqual(expect.stringMatching(warning));
  });

  test('is the only one that causes the warning', async () => {
    expect(await notesWith('"$user", public, joinery')).not.toContainEqual(expect.stringMatching(warning));
  });
});

describe('every step of the start', () => {
  const metadata = { version: 3, sources: [], query_collections: [{ name: 'shop', definition: { queries: [] } }] };
  const directory = { JOINERY_METADATA_DIR: '/metadata' };

  /** Starts a service whose connections are cut when they send `statement`, on each occasion on which `cuts` returns true. */
  async function attemptThrough(statement: string, wait: string, cuts: (notes: readonly string[]) => boolean) {
    const own = await testDatabase();
    const notes: string[] = [];
    let count = 0;
    const proxy = await startProxy(own.url, {
      cuts: (data) => {
        const isCut = data.includes(statement) && cuts(notes);
        if (isCut) count += 1;
        return isCut;
      },
    });
    const { message, stop } = await attempt(
      proxy.url,
      wait,
      directory,
      (note) => notes.push(note),
      async () => metadata,
    );
    await stop();
    await proxy.close();
    await own.drop();
    const { pathname, port, username } = new URL(proxy.url);
    const target = `database "${pathname.slice(1)}" at 127.0.0.1:${port} as user "${username}"`;
    return { message, notes, count, target };
  }

  const steps: readonly (readonly [step: string, statement: string, task: string])[] = [
    ['the first statement', 'server_version', 'connect to'],
    ['the check of the schema', 'joinery.migrations', 'create or update the schema "joinery" in'],
    ['the load of the metadata', 'from joinery.metadata where', 'load the metadata from'],
    ['the connection for notifications', 'joinery listen', 'listen for notifications of'],
    ['LISTEN', 'listen "joinery_metadata"', 'listen for notifications of'],
    ['the test notification', "select pg_notify($1, '')", 'listen for notifications of'],
    ['the metadata directory', 'update joinery.metadata', 'store the metadata directory in'],
  ];

  it.each(steps)('is repeated when the connection is lost during %s', async (_step, statement) => {
    const { message, notes, count } = await attemptThrough(statement, '60', (logged) => {
      return !logged.some((note) => note.startsWith('Waiting'));
    });
    expect(message).toBe('');
    expect(notes.some((note) => /^Waiting for .*: the server closed the connection: /.test(note))).toBe(true);
    expect(count).toBeGreaterThan(0);
  });

  it.each(steps)('ends the start when the time is over and the connection is lost during %s', async (...step) => {
    const [, statement, task] = step;
    const { message, target } = await attemptThrough(statement, '1', () => true);
    expect(message).toContain(`Cannot ${task} ${target} (JOINERY_DATABASE_URL): the server closed the connection: `);
    expect(message).toContain('. Check that the address is that of a PostgreSQL server');
    expect(message).toContain('Waited 1 s (JOINERY_DATABASE_WAIT).');
  });

  it.each([
    ['the heartbeat', 'joinery.nodes'],
    ['the lease', 'joinery.event_leases'],
    ['the connection for events', 'joinery events'],
    ['the connection for actions', 'joinery actions'],
  ])('continues when the connection is lost once during %s, which repeats itself', async (_step, statement) => {
    let left = 1;
    const { message, count } = await attemptThrough(statement, '60', () => left-- > 0);
    expect(message).toBe('');
    expect(count).toBe(1);
  });
});

test('a service waits for a database that becomes available, and logs its target', async () => {
  const port = await freePort();
  const own = await testDatabase();
  const url = new URL(own.url);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  let opening: ReturnType<typeof startProxy> | undefined;
  const { message, notes, stop } = await attempt(url.href, '60', {}, () => {
    opening ??= startProxy(own.url, {}, port);
  });
  expect(message).toBe('');
  await stop();
  await (await opening)?.close();
  await own.drop();
  const target = `database "${url.pathname.slice(1)}" at 127.0.0.1:${port} as user "${url.username}"`;
  expect(notes[0]).toContain(`Waiting for ${target}: connection refused`);
  expect(notes.at(-1)).toMatch(new RegExp(`^Connected to ${target} \\(PostgreSQL \\d+.*\\)\\.$`));
});

test('a service whose source "default" is unreachable starts with the metadata database, and logs the cause', async () => {
  const own = await testDatabase();
  const port = await freePort();
  const { message, notes, stop } = await attempt(urlWith({ port }), '0', { JOINERY_METADATA_DATABASE_URL: own.url });
  expect(message).toBe('');
  await expect.poll(() => notes.join('\n')).toContain(`Cannot connect to ${at({ port })} (JOINERY_DATABASE_URL): `);
  await stop();
  await own.drop();
});

test('a service with a metadata database alone has the source "default" there, and starts no other', async () => {
  const own = await testDatabase();
  const { message, notes, stop } = await attempt(undefined, '0', { JOINERY_METADATA_DATABASE_URL: own.url });
  expect(message).toBe('');
  expect(notes.filter((note) => note.startsWith('Connected to'))).toHaveLength(1);
  await stop();
  await own.drop();
});

test('a start with JOINERY_METADATA_DIR logs the API limits that reject stored operations', async () => {
  const own = await testDatabase();
  const messages: string[] = [];
  const query = '{ a: ping b: ping }';
  const metadata = {
    version: 3,
    sources: [],
    query_collections: [{ name: 'app', definition: { queries: [{ name: 'large', query }] } }],
    actions: [
      {
        name: 'ping',
        definition: { handler: 'http://127.0.0.1:1', output_type: 'String', type: 'query' },
        permissions: [{ role: 'user' }],
      },
    ],
    api_limits: { node_limit: { global: 1 } },
  };
  const running = await start({
    environment: {
      JOINERY_DATABASE_URL: own.url,
      JOINERY_PORT: '0',
      JOINERY_LOG_LEVEL: 'silent',
      JOINERY_METADATA_DIR: '/metadata',
    },
    observe: (one: Observation) => {
      if (one.kind === 'note' && one.where === 'metadata') messages.push(one.message);
    },
    readMetadata: async () => metadata,
  });
  await running.stop('the test is over');
  await own.drop();
  expect(messages).toEqual([expect.stringMatching(/^node_limit 1 rejects query "large" of collection "app"/)]);
});
