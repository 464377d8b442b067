/** Two nodes of one service, each behind a proxy that can cut its connections to the database; the second is a process that can be killed. */
import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../../src/base/json-value.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';
import { type Document, type Entry, exported, type Upstreams } from './documents.ts';
import type { Command } from './edit.ts';
import { elementsOf, type Replacement } from './model.ts';
import { type Cut, type Node, startNode, startNodeProcess } from './node.ts';
import { type Server, startRemoteServers, typeOf } from './remote-servers.ts';

const tables = `
  create table author (id int primary key, name text);
  create table article (id int primary key, title text, author_id int references author);
  create table tag (id int primary key, label text);
`;

/** What a node responded to a command. */
export interface Response {
  /** Undefined if the command succeeded. `unreachable`: no response. */
  readonly code: string | undefined;
  readonly body: unknown;
}

export interface Stored {
  readonly version: number;
  readonly metadata: unknown;
}

/** For conditions that a node fulfills in seconds: a failure is reduced before the test ends. */
const limit = { seconds: 40 };

/** The node that is a process of its own. */
export const PROCESS = 1;

export interface Nodes {
  readonly database: TestDatabase;
  /** The source of exports without its tables. */
  readonly source: Entry;
  send(node: number, command: Command, resourceVersion?: number): Promise<Response>;
  /** As `send`, while the connections of the node are cut where a statement matches. */
  sendThrough(node: number, command: Command, cut: Cut): Promise<Response>;
  /** As `send` to the process, which is killed where a statement matches, or after its response, and started again. */
  sendAndKill(command: Command, cut: Cut): Promise<Response>;
  /** Serves another schema at a GraphQL server. */
  serve(server: Server, extent: Upstreams[Server]): void;
  /** Waits until the node has read the schema of the server, as far as these remote schemas refer to it. */
  untilRead(node: number, remotes: readonly string[], server: Server, extent: Upstreams[Server]): Promise<void>;
  /** Cuts all connections of a node to the database. */
  cut(node: number): void;
  /** Waits until no statement on the metadata runs, also on a connection that was cut. */
  untilIdle(): Promise<void>;
  stored(): Promise<Stored>;
  /** Waits until the node has the stored metadata; resolves to its export as text. */
  exportOf(node: number): Promise<string>;
  /** Returns the export of a node that starts now. */
  freshExport(): Promise<unknown>;
  /** Returns the table and the operation of each trigger that captures changes, sorted. */
  captures(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts the nodes and their database. */
export async function startNodes(): Promise<Nodes> {
  const database = await testDatabase({ sql: tables });
  const remotes = await startRemoteServers();
  const environment = { ...remotes.environment, JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' };
  const nodes: readonly Node[] = [
    await startNode(database, environment),
    await startNodeProcess(database, environment),
  ];

  const nodeAt = (index: number): Node => {
    const node = nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  };
  const post = async (node: number, body: unknown): Promise<Response> => {
    try {
      const response = await fetch(`${nodeAt(node).url}/v1/metadata`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-role': 'admin' },
        body: JSON.stringify(body),
      });
      const result = parseJson(await response.text());
      return { code: response.status === 200 ? undefined : (result as { readonly code?: string }).code, body: result };
    } catch (error) {
      return { code: 'unreachable', body: String(error) };
    }
  };
  const version2 = async (node: number): Promise<{ readonly text: string; readonly version: unknown } | undefined> => {
    const { body, code } = await post(node, { type: 'export_metadata', version: 2, args: {} });
    // Its connections were cut.
    if (code === 'busy') return undefined;
    if (code !== undefined) throw new Error(`the export failed: ${JSON.stringify(body)}`);
    const { metadata, resource_version } = body as { readonly metadata: unknown; readonly resource_version: unknown };
    return { text: JSON.stringify(metadata), version: resource_version };
  };
  const stored = async (): Promise<Stored> => {
    const text = 'select resource_version::int as version, metadata::text as metadata from joinery.metadata';
    const [row] = (await database.database.query({ text, values: [] })).rows as readonly (readonly string[])[];
    return { version: Number(row?.[0]), metadata: parseJson(row?.[1] ?? 'null') };
  };
  const first = await stored();
  const { sources } = first.metadata as { readonly sources: readonly Entry[] };
  const { tables: _none, ...source } = sources[0] ?? {};
  const send = (node: number, command: Command, resourceVersion?: number): Promise<Response> =>
    post(node, {
      ...written(command, source),
      ...(resourceVersion !== undefined && { resource_version: resourceVersion }),
    });

  return {
    database,
    source,
    send,
    sendThrough: (node, command, cut) => nodeAt(node).whileCut(cut, () => send(node, command)),
    sendAndKill: (command, cut) => nodeAt(PROCESS).whileKilled(cut, () => send(PROCESS, command)),
    serve: remotes.replace,
    untilRead: async (node, names, server, extent) => {
      const isRead = async (name: string): Promise<boolean> => {
        const { body } = await post(node, { type: 'introspect_remote_schema', args: { name } });
        const text = JSON.stringify(body);
        return text.includes(`"${typeOf(server)}"`) && text.includes('"authorId"') === (extent === 'full');
      };
      await until(
        `node ${node} has read the ${extent} schema of ${server} for ${names.join()}`,
        async () => {
          const read = await Promise.all(names.map(isRead));
          return read.every((one) => one);
        },
        limit,
      );
    },
    cut: (node) => nodeAt(node).cut(),
    untilIdle: async () => {
      const text = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and state <> 'idle' and (query like '%joinery.metadata%' or xact_start < state_change)`;
      await until(
        'no statement on the metadata runs',
        async () => (await database.database.query({ text, values: [] })).rows.length === 0,
        limit,
      );
    },
    stored,
    exportOf: (node) =>
      until(
        `node ${node} has the stored metadata`,
        async () => {
          const [found, { version: wanted }] = await Promise.all([version2(node), stored()]);
          return found !== undefined && Number(found.version) === wanted && found.text;
        },
        limit,
      ),
    freshExport: async () => {
      const node = await startServiceCore(database, { sync: 'none' });
      try {
        return JSON.parse(JSON.stringify(await node.run('export_metadata')));
      } finally {
        await node.stop();
      }
    },
    captures: async () => {
      const text = `select c.relname, t.tgtype::int from pg_trigger t join pg_class c on c.oid = t.tgrelid
        join pg_namespace n on n.oid = c.relnamespace where not t.tgisinternal and n.nspname = 'public'`;
      const { rows } = await database.database.query({ text, values: [] });
      return (rows as readonly (readonly string[])[])
        .map(([table, type]) => `${table} ${operationOf(Number(type))}`)
        .sort();
    },
    stop: async () => {
      for (const node of nodes) await node.stop();
      await remotes.stop();
      await database.drop();
    },
  };
}

/** Returns a command in the form of a request. */
function written({ type, args }: Command, source: Entry): Entry {
  if (type.startsWith('bulk')) return { type, args: elementsOf(args).map((element) => written(element, source)) };
  if (type !== 'replace_metadata') return { type, args };
  const { document, allow_inconsistent_metadata } = args as Replacement;
  const metadata = exported(document, source);
  return {
    type,
    args: allow_inconsistent_metadata === undefined ? metadata : { metadata, allow_inconsistent_metadata },
  };
}

/** Returns the operation in the type of a trigger of the catalog. */
function operationOf(type: number): string {
  if ((type & 4) !== 0) return 'insert';
  return (type & 8) !== 0 ? 'delete' : 'update';
}

/** Returns the triggers that the document needs, as `captures` does. */
export function capturesOf({ tables: tracked }: Document): readonly string[] {
  return tracked
    .flatMap(({ table, event_triggers = [] }) =>
      event_triggers.flatMap(({ definition }) =>
        ['insert', 'update', 'delete'].flatMap((operation) =>
          operation in (definition as Entry) ? [`${table.name} ${operation}`] : [],
        ),
      ),
    )
    .sort();
}

/** Returns why both differ, or undefined. */
export function difference(found: unknown, expected: unknown): string | undefined {
  if (isDeepStrictEqual(found, expected)) return undefined;
  return `is\n  ${JSON.stringify(found)}\nin place of\n  ${JSON.stringify(expected)}`;
}
