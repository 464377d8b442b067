/** What the stages of `resolve` read and fill, one after the other. */
import type { Metadata } from '@joinery/metadata/metadata';
import type { ActionName, RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import type { Environment } from '../../base/environment.ts';
import type { ServiceError } from '../../base/errors.ts';
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';
import type { Action } from './action.ts';
import type { Inconsistency } from './inconsistency.ts';
import type { NamingConvention, SourceNames } from './naming.ts';
import type {
  ComputedField,
  DeleteAccess,
  InsertAccess,
  Relationship,
  RemoteSchema,
  SelectAccess,
  Source,
  Table,
  TableFunction,
  TableJoin,
  UpdateAccess,
} from './table.ts';

/** All that `resolve` needs; every I/O has happened. */
export interface ResolveInput {
  /** `resource_version` of the metadata. */
  readonly version: number;
  readonly metadata: Metadata;
  /** For each source its catalog, or why it could not be read. */
  readonly catalogs: ReadonlyMap<SourceName, Catalog | ServiceError>;
  /** For each remote schema what introspection brought, or why it brought nothing. */
  readonly upstreams: ReadonlyMap<RemoteSchemaName, GraphQLSchema | ServiceError>;
  /** Asked only whether a variable is set; values are expanded when they are used. */
  readonly environment: Environment;
  /** Lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
  /** May roles call query functions whose tables they may select? True unless given. */
  readonly inferFunctionPermissions?: boolean;
  /** Do roles need a permission to see a remote schema? False unless given. */
  readonly remoteSchemaPermissions?: boolean;
  /** Of sources that name none; as in the reference unless given. */
  readonly namingConvention?: NamingConvention | undefined;
}

/** A table whose relationships, joins and permissions later stages add to. Outside of `resolve` it is a `Table`. */
export interface DraftTable extends Table {
  readonly relationships: Map<string, Relationship>;
  readonly joins: Map<string, TableJoin>;
  readonly computedFields: Map<string, ComputedField>;
  readonly selectAccess: Map<RoleName, SelectAccess>;
  readonly insertAccess: Map<RoleName, InsertAccess>;
  readonly updateAccess: Map<RoleName, UpdateAccess>;
  readonly deleteAccess: Map<RoleName, DeleteAccess>;
}

export interface DraftSource extends Source {
  /** How its names are made; as they are without it. */
  readonly names?: SourceNames;
  readonly tables: Map<string, DraftTable>;
  readonly functions: Map<string, TableFunction>;
}

export interface Draft {
  readonly input: ResolveInput;
  readonly sources: Map<SourceName, DraftSource>;
  readonly remoteSchemas: Map<RemoteSchemaName, RemoteSchema>;
  readonly actions: Map<ActionName, Action>;
  /** Drops nothing by itself: the caller leaves the object out and reports it here. */
  report(inconsistency: Inconsistency): void;
}
