/** A service with two databases that have the same random tables, each tracked in one of them, a remote schema and actions. */
import { expect } from 'vitest';
import { pooled } from '../../support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startGraphQLServer } from '../../support/http/graphql-server.ts';
import { startHandlerServer } from '../../support/http/handler-server.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';
import type { Random } from '../random.ts';
import { schemaSql } from './tables/database.ts';
import { joinsMetadata, noteOf, thingOf, thingsSdl } from './tables/joins.ts';
import { sourceMetadata } from './tables/metadata.ts';
import type { Role, Schema } from './tables/schema.ts';
import type { Source } from './tables/sources.ts';

export interface FuzzedService {
  readonly service: TestService;
  /** The database whose tables the source has. */
  databaseOf(source: Source): TestDatabase;
  /** The database that has copies of these tables. */
  copyOf(source: Source): TestDatabase;
  /** Creates the tables in both databases, and replaces the metadata. */
  apply(schema: Schema, random: Random): Promise<void>;
  stop(): Promise<void>;
}

interface Numbered {
  readonly n: number | null;
}

interface Inconsistencies {
  readonly inconsistent_objects: readonly { readonly name: string; readonly reason: string }[];
}

/** With `always`, each read may be one statement with others. */
export async function startFuzzedService(mergeReads: 'auto' | 'always'): Promise<FuzzedService> {
  const other = await testDatabase();
  const remote = await startGraphQLServer(thingsSdl, { thing: ({ n }: { readonly n: number }) => thingOf(n) });
  const handler = await startHandlerServer({
    '/note': ({ body }) => {
      const { input, inputs } = body as Readonly<{ input: Numbered; inputs: readonly Numbered[] | undefined }>;
      return inputs === undefined ? noteOf(input.n) : inputs.map(({ n }) => noteOf(n));
    },
    '/notes': ({ body }) => (body.input as { readonly ns: readonly number[] }).ns.map(noteOf),
  });
  const service = await startService({
    JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    JOINERY_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    JOINERY_MERGE_READS: mergeReads,
    OTHER_URL: pooled(other.url),
  });
  const exported = (await service.command('export_metadata', {})) as {
    readonly sources: readonly [Readonly<Record<string, unknown>>];
  };
  const configurations = {
    default: exported.sources[0].configuration,
    other: { connection_info: { database_url: { from_env: 'OTHER_URL' } } },
  };
  const replace = async (schema: Schema, more: (source: Source) => object, joins: object): Promise<void> => {
    const sources = schema.sources.map((source) => ({
      ...{ name: source.name, kind: 'postgres', configuration: configurations[source.name], tables: [] },
      ...more(source),
    }));
    const inherited_roles = [{ role_name: 'both', role_set: ['one', 'two'] }];
    const metadata = { ...exported, sources, inherited_roles, ...joins };
    await service.command('replace_metadata', { allow_inconsistent_metadata: true, metadata });
  };
  return {
    service,
    databaseOf: ({ name }) => (name === 'default' ? service.database : other),
    copyOf: ({ name }) => (name === 'default' ? other : service.database),
    apply: async (schema, random) => {
      await replace(schema, () => ({}), {});
      const sql = schemaSql(schema, random);
      for (const { name } of schema.sources) await service.command('run_sql', { source: name, sql });
      const joins = joinsMetadata(schema, remote.url, handler.url);
      await replace(schema, (source) => sourceMetadata(schema, source), joins);
      const { inconsistent_objects } = (await service.command('get_inconsistent_metadata', {})) as Inconsistencies;
      // Permissions to write are inherited only if they are equal.
      const unexpected = inconsistent_objects.filter(
        ({ name }) => !/^both: (insert|update|delete) permission/.test(name),
      );
      expect(unexpected).toEqual([]);
    },
    stop: async () => {
      await service.stop();
      await Promise.all([remote.close(), handler.close(), other.drop()]);
    },
  };
}

export function sessionOf(role: Role, user: number): Readonly<Record<string, string>> {
  return { 'x-service-role': role, 'x-service-user-id': String(user) };
}
