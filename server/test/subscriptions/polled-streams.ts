/** Operation streams that count the statements of their live queries. */
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { createHttpClient } from '../../src/base/http-client/http-client.ts';
import { createHandlerState } from '../../src/execute/action/handler/handler-state.ts';
import { type Changes, createChanges } from '../../src/execute/live/changes.ts';
import type { Database } from '../../src/postgres/client/pool.ts';
import {
  createOperationStreams,
  type OperationStreamOptions,
  type ResultStream,
} from '../../src/service/graphql/result-streams.ts';
import { operationSettings, type TestServiceCore } from '../support/service/service-core.ts';

export interface PolledStreams {
  /** Number of statements that polled tables. */
  readonly polls: number;
  /** Number of positions that were read. */
  readonly positions: number;
  readonly subscribers: number;
  /** Number of polled statements. */
  readonly cohorts: number;
  readonly changes: Changes;
  /** `user`: the session of the role `user`; undefined: that of an admin. `flowing`: whether results reach the client. */
  open(query: string, variables?: Record<string, unknown>, user?: number, flowing?: () => boolean): ResultStream;
  close(): void;
}

interface PolledStreamsSettings extends Pick<OperationStreamOptions, 'peers'> {
  readonly intervalMs: number;
  readonly skipUnchanged: boolean;
  readonly model?: TestServiceCore['model'];
}

export function createPolledStreams(
  service: TestServiceCore,
  source: Database,
  { intervalMs, skipUnchanged, peers, model = service.model }: PolledStreamsSettings,
): PolledStreams {
  const httpClient = createHttpClient({ connections: 1 });
  const changes = createChanges();
  let positions = 0;
  const database: Database = {
    ...source,
    query: (run, options) => {
      if (run.text.includes('pg_current_snapshot')) positions += 1;
      return source.query(run, options);
    },
  };
  const settings = { intervalMs, batchSize: 100 };
  const streams = createOperationStreams({
    model,
    peers,
    database: () => database,
    httpClient,
    handlers: createHandlerState(),
    environment: {},
    observe: () => undefined,
    ...operationSettings,
    live: settings,
    streams: settings,
    concurrency: 2,
    skipUnchanged,
    changes,
  });
  return {
    get polls() {
      return streams.stats().statements;
    },
    get positions() {
      return positions;
    },
    get subscribers() {
      return streams.stats().subscribers;
    },
    get cohorts() {
      return streams.stats().cohorts;
    },
    changes,
    open: (query, variables = {}, user = undefined, flowing = () => true) =>
      streams.open(
        { query, variables, operationName: undefined },
        {
          session: {
            role: user === undefined ? ADMIN_ROLE : RoleName.parse('user'),
            variables: new Map(user === undefined ? [] : [['x-service-user-id', String(user)]]),
          },
          headers: {},
          requestId: 'test',
          showInternal: false,
          address: undefined,
          queriesOnly: false,
          flowing,
        },
      ),
    close: () => {
      streams.close();
      void httpClient.close();
    },
  };
}
