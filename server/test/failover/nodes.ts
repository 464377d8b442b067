/** Nodes of the built service, each in its own process. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../support/until.ts';
import { ended, isRunning, signalTrees, startProcess } from './processes.ts';

const program = fileURLToPath(new URL('../../../cli/bin/joinery.mjs', import.meta.url));

const json = { 'content-type': 'application/json' };

export interface ServiceNode {
  readonly url: string;
  /** The id of its process. */
  readonly pid: number;
  /** Runs a metadata command. Throws if it is rejected. */
  command(type: string, args: unknown): Promise<unknown>;
  isRunning(): boolean;
  /** Returns the number of log entries of level `error` by message. */
  errors(): ReadonlyMap<string, number>;
  /** Ends the process, by default without a graceful stop, and resolves when it has ended. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface NodeOptions {
  readonly folder: string;
  readonly name: string;
  readonly databaseUrl: string;
  readonly receiver: string;
  /** More environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startNode({ folder, name, databaseUrl, receiver, settings }: NodeOptions): Promise<ServiceNode> {
  const log = join(folder, `${name}.log`);
  closeSync(openSync(log, 'w'));
  const environment = {
    JOINERY_DATABASE_URL: databaseUrl,
    JOINERY_PORT: '0',
    JOINERY_LOG_FORMAT: 'json',
    RECEIVER: receiver,
    ...settings,
  };
  const child = startProcess(process.execPath, [program, 'serve'], { log, environment });
  const { pid = 0 } = child;
  let url = '';
  await until(`the node ${name} has started; its log is ${log}`, () => {
    const started = entriesOf(log).find(({ kind }) => kind === 'started');
    url = String(started?.url ?? '');
    if (!isRunning(pid)) throw new Error(`the node ${name} has exited: ${readFileSync(log, 'utf8').slice(-2000)}`);
    return started !== undefined;
  });
  return {
    url,
    pid,
    command: async (type, args) => {
      const response = await fetch(`${url}/v1/query`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ type, args }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${type}: ${text}`);
      return JSON.parse(text);
    },
    isRunning: () => isRunning(pid),
    errors: () => {
      const counts = new Map<string, number>();
      for (const entry of entriesOf(log).filter(({ level }) => level === 'error')) {
        const { message } = (entry.error ?? {}) as { readonly message?: string };
        const what = `${entry.where ?? entry.kind}: ${message ?? ''}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }
      return counts;
    },
    stop: async (signal = 'SIGKILL') => {
      signalTrees([pid], signal);
      await ended([pid]);
    },
  };
}

function entriesOf(log: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Record<string, unknown>];
      } catch {
        return [];
      }
    });
}

/** Creates the table and the action of the load. Resolves when all nodes serve the table. */
export async function setUpProject(nodes: readonly ServiceNode[]): Promise<void> {
  const [first] = nodes;
  if (first === undefined) throw new Error('no node');
  const sql = 'create table entry (id uuid primary key, n int not null); create index on entry (n);';
  await first.command('bulk', [
    { type: 'run_sql', args: { sql } },
    { type: 'pg_track_table', args: { source: 'default', table: 'entry' } },
    {
      type: 'set_custom_types',
      args: { objects: [{ name: 'RunOutput', fields: [{ name: 'n', type: 'Int!' }] }] },
    },
    {
      type: 'create_action',
      args: {
        name: 'run',
        definition: {
          kind: 'asynchronous',
          arguments: [{ name: 'n', type: 'Int!' }],
          output_type: 'RunOutput',
          handler: '{{RECEIVER}}/run',
        },
      },
    },
  ]);
  await until(
    'all nodes serve the table',
    async () => {
      const served = nodes.map(async ({ url }) => {
        const body = JSON.stringify({ query: '{ entry(limit: 1) { id } }' });
        const response = await fetch(`${url}/v1/graphql`, { method: 'POST', headers: json, body });
        return (await response.text()).startsWith('{"data":');
      });
      return (await Promise.all(served)).every(Boolean);
    },
    { seconds: 60 },
  );
}
