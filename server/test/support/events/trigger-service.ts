/** The whole service with a webhook, for tests of event triggers from the change to the call. */

import { startService, type TestService } from '../service/test-service.ts';
import { until } from '../until.ts';
import { type Call, type Respond, type Sink, startSink } from './delivery-node.ts';

export interface TriggerService {
  readonly service: TestService;
  readonly sink: Sink;
  /** Runs statements as another client of the database. */
  sql(text: string): Promise<void>;
  /** Returns the first column of the rows. */
  column(text: string): Promise<(string | null)[]>;
  /** Creates a trigger whose webhook has its name as path. */
  create(name: string, members: object): Promise<unknown>;
  /** Calls a metadata command. */
  run(type: string, args: unknown): Promise<unknown>;
  /** Calls a metadata command and returns status and body. */
  post(type: string, args: unknown, path?: string): Promise<{ readonly status: number; readonly body: Failure }>;
  /** Returns the calls whose path begins with the name of the trigger. */
  callsOf(name: string): readonly Call[];
  /** Waits until a trigger was called that often, and returns the calls. */
  called(name: string, count?: number): Promise<readonly Call[]>;
  stop(): Promise<void>;
}

interface Failure {
  readonly code?: string;
  readonly path?: string;
  readonly error?: string;
}

export interface TriggerServiceOptions {
  /** Statements that run before the service starts. */
  readonly sql?: string;
  /** Tables of the schema `public` that are tracked. */
  readonly tables?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly respond?: Respond;
}

/** Starts a service with the header prefix of Hasura v2. */
export async function startTriggerService(options: TriggerServiceOptions = {}): Promise<TriggerService> {
  const sink = await startSink(options.respond);
  const environment = { JOINERY_HEADER_PREFIX: 'x-hasura-', HOOKS: sink.origin, ...options.environment };
  const service = await startService(environment, options.sql === undefined ? {} : { sql: options.sql });
  const { database } = service.database;
  for (const table of options.tables ?? []) await service.command('pg_track_table', { table });

  const callsOf = (name: string): readonly Call[] =>
    sink.calls.filter(
      ({ path }) => path === `/${name}` || path.startsWith(`/${name}?`) || path.startsWith(`/${name}/`),
    );

  return {
    service,
    sink,
    sql: async (text) => {
      await database.query({ text, values: [] });
    },
    column: async (text) => (await database.query({ text, values: [] })).rows.map(([cell]) => cell ?? null),
    create: (name, members) =>
      service.command('pg_create_event_trigger', { name, webhook: `{{HOOKS}}/${name}`, ...members }),
    run: (type, args) => service.command(type, args),
    post: async (type, args, path = '/v1/metadata') => {
      const { status, body } = await service.post(path, { type, args });
      return { status, body: body as Failure };
    },
    callsOf,
    called: (name, count = 1) =>
      until(
        () => `${name} is called ${count} times; it was called ${callsOf(name).length} times`,
        () => {
          const calls = callsOf(name);
          return calls.length >= count ? calls : undefined;
        },
      ),
    stop: async () => {
      await service.stop();
      await sink.close();
    },
  };
}
