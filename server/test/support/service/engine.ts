/** Runs requests without service and HTTP: resolve, plan and execute. Records the statements. */

import { Metadata } from '@joinery/metadata/metadata';
import { RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import type { Cancellation } from '../../../src/base/cancellation.ts';
import type { Environment } from '../../../src/base/environment.ts';
import { graphqlError, ServiceError } from '../../../src/base/errors.ts';
import { createHttpClient } from '../../../src/base/http-client/http-client.ts';
import { silent } from '../../../src/base/telemetry/observe.ts';
import { createHandlerState } from '../../../src/execute/action/handler/handler-state.ts';
import { execute } from '../../../src/execute/execute.ts';
import type { Changes } from '../../../src/execute/live/changes.ts';
import { createMerging, type MergeMode } from '../../../src/execute/merge/merging.ts';
import { Failures } from '../../../src/execute/response/field-errors.ts';
import { withErrors } from '../../../src/execute/response/response.ts';
import { resolve } from '../../../src/model/resolve.ts';
import type { Inconsistency } from '../../../src/model/types/inconsistency.ts';
import { planOperation, prepare } from '../../../src/plan/operation.ts';
import { readCatalog } from '../../../src/postgres/catalog/catalog.ts';
import { withEnumValues } from '../../../src/postgres/catalog/enum-values.ts';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { roleSchema } from '../../../src/schema/role-schema.ts';

export interface EngineRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly role?: string | undefined;
  /** Session variables by lower-case name, such as `x-service-user-id`. */
  readonly session?: Readonly<Record<string, string>> | undefined;
  readonly stringifyNumerics?: boolean | undefined;
  readonly signal?: Cancellation | undefined;
  readonly maxResultBytes?: number | undefined;
  /** Whether backend-only permissions are used. */
  readonly backend?: boolean | undefined;
  /** Whether the schema is that for Relay. */
  readonly relay?: boolean | undefined;
}

/** A statement that was sent, with the values of its parameters. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Engine {
  readonly inconsistencies: readonly Inconsistency[];
  /** Returns the body of the response and the statements in the order in which they were sent. */
  execute(request: EngineRequest): Promise<{ readonly body: string; readonly statements: readonly SentStatement[] }>;
  close(): Promise<void>;
}

export interface EngineParts {
  /** Metadata without `version`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Databases by source. The caller closes them. */
  readonly databases: Readonly<Record<string, Database>>;
  /** Schemas by remote schema. */
  readonly upstreams?: Readonly<Record<string, GraphQLSchema>>;
  readonly environment?: Environment;
  /** Receives the changes of mutations. */
  readonly changes?: Changes;
  /** How reads are merged; `off` unless given. Statements are recorded without it only. */
  readonly merging?: MergeMode;
}

export async function startEngine(parts: EngineParts): Promise<Engine> {
  const databases = new Map(Object.entries(parts.databases).map(([name, one]) => [SourceName.parse(name), one]));
  const catalogs = new Map<SourceName, Awaited<ReturnType<typeof readCatalog>>>();
  const metadata = Metadata.parse({ version: 3, ...parts.metadata });
  for (const [name, database] of databases) {
    const tables = metadata.sources.find((source) => source.name === name)?.tables ?? [];
    const enums = tables.filter(({ is_enum }) => is_enum === true).map(({ table }) => table);
    catalogs.set(name, await withEnumValues(await readCatalog(database), enums, database));
  }
  const environment = parts.environment ?? {};
  const model = resolve({
    version: 1,
    metadata,
    catalogs,
    upstreams: new Map(Object.entries(parts.upstreams ?? {}).map(([name, one]) => [RemoteSchemaName.parse(name), one])),
    environment,
    sessionPrefix: 'x-service-',
  });
  const httpClient = createHttpClient({ connections: 8 });
  const handlers = createHandlerState();
  const merging = createMerging(parts.merging ?? 'off');

  const run = async (request: EngineRequest, statements: SentStatement[]): Promise<string> => {
    const role = RoleName.parse(request.role ?? 'admin');
    const prepared = prepare(
      roleSchema(model, role, request.backend, request.relay),
      request.query,
      request.operationName,
    );
    const { plan, variables } = planOperation(prepared, request.variables);
    const { body, errors } = await execute(plan, {
      session: { role, variables: new Map([['x-service-role', role], ...Object.entries(request.session ?? {})]) },
      headers: {},
      query: request.query,
      variables,
      database: (source) => {
        const database = databases.get(source);
        if (database === undefined) throw new Error(`no database ${source}`);
        // Reads are merged where they have the same database.
        return merging === undefined ? recording(database, statements) : database;
      },
      httpClient,
      handlers,
      merging,
      environment,
      settings: {
        stringifyNumerics: request.stringifyNumerics ?? false,
        sessionPrefix: 'x-service-',
        configuredHeaderPrecedence: false,
        version: '0.0.0',
        maxActionResponseBytes: 10_000_000,
        maxRemoteResponseBytes: 10_000_000,
        ...(request.maxResultBytes !== undefined && { maxResultBytes: request.maxResultBytes }),
      },
      observe: silent,
      changes: parts.changes,
      signal: request.signal,
      failures: new Failures(),
    });
    return withErrors(body, errors, (error) => graphqlError(error, false));
  };

  return {
    inconsistencies: model.inconsistencies,
    execute: async (request) => {
      const statements: SentStatement[] = [];
      try {
        return { body: await run(request, statements), statements };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return { body: JSON.stringify({ errors: [graphqlError(error, false)] }), statements };
      }
    },
    close: () => httpClient.close(),
  };
}

function recording(database: Database, statements: SentStatement[]): Database {
  return {
    ...database,
    query: (run, options) => {
      statements.push({ text: run.text, values: run.values });
      return database.query(run, options);
    },
    transaction: (work, options) =>
      database.transaction((query) => {
        const recorded: typeof query = (run, queryOptions) => {
          statements.push({ text: run.text, values: run.values });
          return query(run, queryOptions);
        };
        return work(recorded);
      }, options),
  };
}
