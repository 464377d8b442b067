/**
 * Histories of two nodes that are paused for longer than their leases, or killed and started again, and whose backends in PostgreSQL are
 * paused.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { leaseDefaults } from '../../src/events/leases/leases.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import { connect } from '../support/database/test-database.ts';
import { type BuiltService, startBuiltService } from '../support/service/built-service.ts';
import { until } from '../support/until.ts';
import { type History, listsSql, type Running, recordHistory, scale } from './history.ts';
import { testHistory } from './history-rules.ts';

const OPERATIONS = 25;
/** Less than a pause lasts, so that what a client has given up takes effect later. */
const TIMEOUT_MS = 3_000;

// A server of its own: a paused backend delays commands of other databases, such as the dropping of one.
const directory = mkdtempSync(join(tmpdir(), 'joinery-processes-'));
let postgres: EmbeddedPostgres | undefined;
const nodes: BuiltService[] = [];
let history: History;

beforeAll(async () => {
  postgres = await startEmbedded({ directory, settings: { fsync: 'off' } });
  const database = connect(postgres.url);
  await migrate(database);
  const column = async (text: string): Promise<readonly string[]> =>
    (await database.query({ text, values: [] })).rows.map(([value]) => value ?? '');
  await column(listsSql);
  const environment = { JOINERY_DATABASE_URL: postgres.url };
  nodes.push(...(await Promise.all([startBuiltService(environment), startBuiltService(environment)])));

  async function pauseNode(node: BuiltService, { operations }: Running): Promise<void> {
    node.signal('SIGSTOP');
    const [end = ''] = await column(`select clock_timestamp() + ${leaseDefaults.lastsMs} * interval '1 ms'`);
    await until(
      'the lease of the node has ended',
      async () => (await column(`select clock_timestamp() > '${end}'`))[0] === 't',
    );
    await operations(OPERATIONS);
    node.signal('SIGCONT');
  }

  async function killNode(node: BuiltService, { operations }: Running): Promise<void> {
    await node.kill();
    await operations(OPERATIONS);
    await node.start();
  }

  /** Pauses a backend that executes a statement. */
  async function pauseBackend({ operations }: Running): Promise<void> {
    const text = `select pid from pg_stat_activity where backend_type = 'client backend' and state <> 'idle'
      and pid <> pg_backend_pid() limit 1`;
    const [pid] = await until('a backend executes a statement', async () => {
      const found = await column(text);
      return found.length > 0 && found;
    });
    process.kill(Number(pid), 'SIGSTOP');
    await operations(OPERATIONS);
    process.kill(Number(pid), 'SIGCONT');
  }

  history = await recordHistory({
    database,
    nodes,
    timeoutMs: TIMEOUT_MS,
    disturb: async (running) => {
      for (let done = 0; done < scale; done++) {
        const chosen = running.random(nodes.length);
        const [one, other] = [nodes[chosen], nodes[1 - chosen]] as [BuiltService, BuiltService];
        await killNode(one, running);
        await pauseNode(other, running);
        await pauseBackend(running);
        await killNode(other, running);
        await running.served();
      }
    },
    stop: () => Promise.all(nodes.map((node) => node.stop())),
  });
  await database.close();
}, 600_000);
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
});

testHistory(() => history);
