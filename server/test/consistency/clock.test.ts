/**
 * Histories of two nodes, one of which has a wrong clock that jumps, and events that are scheduled meanwhile. Needs Debian's package
 * faketime.
 */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type BuiltService, startBuiltService } from '../support/service/built-service.ts';
import { until } from '../support/until.ts';
import { type History, listsSql, recordHistory } from './history.ts';
import { testHistory } from './history-rules.ts';

const OPERATIONS = 25;
const EVENTS = 20;
/** Hours between the clock of the node and the right one; the first is that of its start. */
const OFFSETS = [5, -5, 0, 720] as const;

const library = findLibrary();
if (library === undefined) process.stderr.write('Wrong clocks are not tested: install faketime from Debian\n');

function findLibrary(): string | undefined {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  return folders.map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1')).find((path) => existsSync(path));
}

interface Call {
  readonly id: string;
  readonly scheduledAt: number;
  readonly at: number;
}

describe.skipIf(library === undefined)('a node with a wrong clock that jumps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-clock-'));
  const calls: Call[] = [];
  const sink = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { id, scheduled_time } = JSON.parse(text) as { readonly id: string; readonly scheduled_time: string };
      calls.push({ id, scheduledAt: Date.parse(scheduled_time), at: Date.now() });
      response.end('{}');
    });
  });
  const nodes: BuiltService[] = [];
  const due: string[] = [];
  let database: TestDatabase | undefined;
  let history: History;
  let pendingId: string;

  function setClock(hours: number): void {
    const file = join(folder, 'clock');
    writeFileSync(`${file}.new`, `${hours < 0 ? '' : '+'}${hours}h\n`);
    // Replaced at once, so that no part of it is read.
    renameSync(`${file}.new`, file);
  }

  /** Creates an event that is due this many milliseconds from now by the clock of the database, and returns its id. */
  async function schedule(node: BuiltService, inMs: number): Promise<string> {
    const { port } = sink.address() as AddressInfo;
    const text = `select to_char(clock_timestamp() at time zone 'utc' + ${inMs} * interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
    const at = (await database?.database.query({ text, values: [] }))?.rows[0]?.[0];
    const args = { webhook: `http://127.0.0.1:${port}/`, schedule_at: at, payload: {} };
    const { event_id } = (await node.command('create_scheduled_event', args)) as { readonly event_id: string };
    return event_id;
  }

  async function offsetHours(node: BuiltService): Promise<number> {
    const response = await fetch(`${node.url}/healthz`);
    return Math.round((Date.parse(response.headers.get('date') ?? '') - Date.now()) / 3_600_000);
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    database = await testDatabase({ migrated: true, sql: listsSql });
    setClock(OFFSETS[0]);
    const environment = { JOINERY_DATABASE_URL: database.url };
    const wrongClock = {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: join(folder, 'clock'),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    const started = await Promise.all([
      startBuiltService({ ...environment, ...wrongClock }),
      startBuiltService(environment),
    ]);
    nodes.push(...started);
    const [wrong] = started;
    history = await recordHistory({
      database: database.database,
      nodes,
      disturb: async ({ operations }) => {
        pendingId = await schedule(wrong, 3_600_000);
        for (const offset of OFFSETS) {
          setClock(offset);
          await until(`the clock is wrong by ${offset} h`, async () => (await offsetHours(wrong)) === offset);
          for (let event = 0; event < EVENTS; event++) {
            due.push(await schedule(started[event % started.length] ?? wrong, event * 100));
          }
          await operations(OPERATIONS);
          await until('all due events are called', () => due.every((id) => calls.some((call) => call.id === id)));
        }
      },
      stop: () => Promise.all(nodes.map((node) => node.stop())),
    });
  }, 300_000);
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    sink.close();
    sink.closeAllConnections();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  testHistory(() => history);

  test('each event is called once, and not before its time by the clock of the database', () => {
    expect(calls.map(({ id }) => id).sort()).toEqual([...due].sort());
    expect(calls.filter(({ at, scheduledAt }) => at < Math.floor(scheduledAt))).toEqual([]);
  });

  test('an event that is due by the clock of the node only is not called', () => {
    expect(calls.map(({ id }) => id)).not.toContain(pendingId);
  });
});
