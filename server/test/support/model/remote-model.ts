/** Models for tests of remote schemas: tables from short descriptions, remote schemas from SDL or from servers. */
import { Metadata } from '@joinery/metadata/metadata';
import { RoleName } from '@joinery/metadata/names';
import { buildSchema, type GraphQLSchema } from 'graphql';
import type { ServiceError } from '../../../src/base/errors.ts';
import { runAtOnce } from '../../../src/base/steps.ts';
import { resolveRemoteJoins } from '../../../src/model/joins/remote-joins.ts';
import { resolveTableJoins } from '../../../src/model/joins/table-joins.ts';
import type { Model } from '../../../src/model/model.ts';
import { resolveRemoteSchemas } from '../../../src/model/remote/remote-schemas.ts';
import type { Draft, DraftTable } from '../../../src/model/types/draft.ts';
import type { Inconsistency } from '../../../src/model/types/inconsistency.ts';
import type { SelectAccess } from '../../../src/model/types/table.ts';
import { type DraftParts, draftOf } from './draft.ts';
import { unlimited } from './model-defaults.ts';

export interface RemoteModelParts extends DraftParts {
  readonly remotes: Readonly<
    Record<
      string,
      {
        readonly schema: string | GraphQLSchema | ServiceError;
        readonly definition?: unknown;
        /** SDL by role. Without any, all roles see the whole schema. */
        readonly permissions?: Readonly<Record<string, string>>;
        /** Relationships of its types in metadata format by type. */
        readonly relationships?: Readonly<Record<string, readonly unknown[]>>;
      }
    >
  >;
  /** Remote relationships in metadata format by table of the default source. */
  readonly relationships?: Readonly<Record<string, readonly unknown[]>>;
  /** Selectable columns by role and table. Each permission covers all rows and aggregates. */
  readonly permissions?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface RemoteModel {
  readonly model: Model;
  readonly reports: readonly Inconsistency[];
  table(name: string): DraftTable;
}

export function remoteModel(parts: RemoteModelParts): RemoteModel {
  const { draft, reports } = draftOf(parts);
  const { sources, remote_schemas } = Metadata.parse({
    version: 3,
    sources: [
      {
        name: 'default',
        tables: Object.keys(parts.tables ?? {}).map((table) => ({
          table,
          remote_relationships: parts.relationships?.[table] ?? [],
        })),
      },
      { name: 'other', tables: Object.keys(parts.otherTables ?? {}).map((table) => ({ table })) },
    ],
    remote_schemas: Object.entries(parts.remotes).map(([name, { definition, permissions, relationships }]) => ({
      name,
      definition: definition ?? { url: 'http://127.0.0.1/graphql' },
      permissions: Object.entries(permissions ?? {}).map(([role, schema]) => ({ role, definition: { schema } })),
      remote_relationships: Object.entries(relationships ?? {}).map(([type_name, all]) => ({
        type_name,
        relationships: all,
      })),
    })),
  });
  const upstreams = new Map(
    (remote_schemas ?? []).flatMap(({ name }) => {
      const schema = parts.remotes[name]?.schema;
      if (schema === undefined) return [];
      return [[name, typeof schema === 'string' ? buildSchema(schema) : schema] as const];
    }),
  );
  const metadata: Metadata = { ...draft.input.metadata, sources, ...(remote_schemas && { remote_schemas }) };
  const remoteSchemaPermissions = Object.values(parts.remotes).some(({ permissions }) => permissions !== undefined);
  const joined: Draft = { ...draft, input: { ...draft.input, metadata, upstreams, remoteSchemaPermissions } };
  runAtOnce(resolveRemoteSchemas(joined));
  runAtOnce(resolveTableJoins(joined));
  runAtOnce(resolveRemoteJoins(joined));
  const tables = new Map(
    [...draft.sources.values()].flatMap((source) => [...source.tables.values()].map((one) => [one.name, one])),
  );
  const table = (name: string): DraftTable => {
    const found = tables.get(name);
    if (found === undefined) throw new Error(`the model has no table ${name}`);
    return found;
  };
  const roles = new Set(
    (remote_schemas ?? []).flatMap(({ permissions }) => permissions?.map(({ role }) => role) ?? []),
  );
  for (const [role, permitted] of Object.entries(parts.permissions ?? {})) {
    roles.add(RoleName.parse(role));
    for (const [name, columns] of Object.entries(permitted)) {
      table(name).selectAccess.set(RoleName.parse(role), accessTo(table(name), columns));
    }
  }
  const { remoteSchemas } = draft;
  const model: Model = {
    version: 1,
    sources: draft.sources,
    actions: new Map(),
    outputJoins: new Map(),
    remoteSchemas,
    roles,
    ...unlimited,
    inconsistencies: reports,
  };
  return { model, reports, table };
}

function accessTo(table: DraftTable, columns: readonly string[]): SelectAccess {
  return {
    columns: new Set([...table.columns.values()].filter((column) => columns.includes(column.name))),
    filter: { kind: 'and', of: [] },
    limit: undefined,
    aggregations: true,
    queryRoots: new Set(['select', 'select_aggregate']),
    subscriptionRoots: new Set(),
  };
}
