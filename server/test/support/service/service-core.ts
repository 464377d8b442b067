/** The service without HTTP, for tests of metadata commands and of the model. */
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import type { Session } from '../../../src/auth/session.ts';
import type { Environment } from '../../../src/base/environment.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { createHttpClient } from '../../../src/base/http-client/http-client.ts';
import type { Observation } from '../../../src/base/telemetry/observe.ts';
import type { Model } from '../../../src/model/model.ts';
import { defaultInputLimits } from '../../../src/plan/document/input-limits.ts';
import { listen } from '../../../src/postgres/client/listen.ts';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { createRateLimiter } from '../../../src/service/graphql/rate-limiter.ts';
import { createRequestLimits } from '../../../src/service/graphql/request-limits.ts';
import { createStore, metadataChannel } from '../../../src/service/metadata/store.ts';
import { type CommandApi, createService, type Service } from '../../../src/service/service.ts';
import { createSourceDatabases } from '../../../src/service/sources/pools.ts';
import { pooled } from '../database/pooler.ts';
import { connect, type TestDatabase } from '../database/test-database.ts';

export interface TestServiceCore {
  readonly service: Service;
  readonly observations: readonly Observation[];
  model(): Model;
  /** Runs a metadata command and returns its result. Rejects with a ServiceError. */
  run(type: string, args?: unknown, more?: CommandOptions): Promise<unknown>;
  /** Runs a command that must be rejected and returns its error. */
  rejection(type: string, args?: unknown, more?: CommandOptions): Promise<Rejection>;
  stop(): Promise<void>;
}

export interface CommandOptions {
  readonly api?: CommandApi;
  readonly role?: string;
  readonly version?: number;
  readonly resource_version?: number;
}

export type Rejection = Pick<ServiceError, 'code' | 'path' | 'message' | 'status' | 'internal'>;

export interface ServiceCoreOptions {
  readonly environment?: Environment;
  /** The database of the metadata if it is another than that of the data. */
  readonly metadataDatabase?: Database;
  readonly devMode?: boolean;
  /** Milliseconds between two comparisons of event triggers with their sources. */
  readonly reconcileMs?: number;
  /** How changes of other nodes are detected. By default, the service polls every 30 ms. */
  readonly sync?: 'notifications' | 'polling' | 'none';
}

/** How operations run in tests without HTTP. */
export const operationSettings = {
  settings: {
    stringifyNumerics: false,
    sessionPrefix: 'x-service-',
    configuredHeaderPrecedence: false,
    version: '0.0.0',
    maxActionResponseBytes: 1e6,
    maxRemoteResponseBytes: 1e6,
  },
  limits: createRequestLimits({
    depth: 100,
    nodes: 10_000,
    roots: 100,
    batch: 100,
    allowList: false,
    documentCharacters: 100_000,
    inputs: defaultInputLimits,
  }),
  rateLimiter: createRateLimiter(),
};

/** Starts a service core with its own connection pool. */
export async function startServiceCore(test: TestDatabase, options: ServiceCoreOptions = {}): Promise<TestServiceCore> {
  const database = connect(pooled(test.url));
  const httpClient = createHttpClient({ connections: 10 });
  const environment = options.environment ?? {};
  const observations: Observation[] = [];
  const service = createService({
    store: createStore(options.metadataDatabase ?? database),
    sources: createSourceDatabases({ standard: database, open: ({ url }) => connect(pooled(url)), environment }),
    httpClient,
    environment,
    sessionPrefix: 'x-service-',
    operations: operationSettings,
    ...(options.devMode !== undefined && { devMode: options.devMode }),
    observe: (observation) => observations.push(observation),
    ...(options.reconcileMs !== undefined && { reconcileMs: options.reconcileMs }),
    pollMs: (options.sync ?? 'polling') === 'polling' ? 30 : 600_000,
  });
  await service.start();
  const listener =
    options.sync === 'notifications'
      ? await listen({
          // A pooler does not forward NOTIFY, so the listener needs a direct address.
          url: test.url,
          channels: [metadataChannel],
          onNotify: (_channel, payload) => service.notified(payload),
          onReconnect: () => service.notificationsMissed(),
        })
      : undefined;

  function run(type: string, args: unknown = {}, more: CommandOptions = {}): Promise<unknown> {
    const { api = 'v1', role = ADMIN_ROLE, ...body } = more;
    return service.command({ type, args, ...body }, sessionOf(role), api);
  }

  return {
    service,
    observations,
    model: () => service.model(),
    run,
    rejection: async (type, args, more) => {
      const result = await run(type, args, more).catch((error: unknown) => error);
      if (!(result instanceof ServiceError))
        throw new Error(`not rejected: ${JSON.stringify(result)}`, { cause: result });
      const { code, path, message, status, internal } = result;
      return { code, path, message, status, internal };
    },
    stop: async () => {
      await listener?.close();
      await service.stop();
      await httpClient.close();
      await database.close();
    },
  };
}

function sessionOf(role: string): Session {
  return { role: RoleName.parse(role), variables: new Map([['x-service-role', role]]) };
}
