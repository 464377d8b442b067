/** The model while the stages of `resolve` build it. Types only. */
import type { Metadata } from '@joinery/metadata/metadata';
import type { ActionName, RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import type { Environment } from '../../base/environment.ts';
import type { ServiceError } from '../../base/errors.ts';
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';
import type { Action } from './action.ts';
import type { EventTrigger } from './event-trigger.ts';
import type { Inconsistency } from './inconsistency.ts';
import type { NamingConvention } from './naming.ts';
import type { Source } from './source.ts';
import type {
  ComputedField,
  DeleteAccess,
  InsertAccess,
  Relationship,
  RemoteSchema,
  SelectAccess,
  Table,
  TableFunction,
  TableJoin,
  UpdateAccess,
} from './table.ts';

/** The input of `resolve`, which performs no I/O. */
export interface ResolveInput {
  /** `resource_version` of the metadata. */
  readonly version: number;
  readonly metadata: Metadata;
  /** The catalog of each source, or the error of reading it. */
  readonly catalogs: ReadonlyMap<SourceName, Catalog | ServiceError>;
  /** The introspected schema of each remote schema, or the error of the introspection. */
  readonly upstreams: ReadonlyMap<RemoteSchemaName, GraphQLSchema | ServiceError>;
  /** Used only to check that variables are set; values are expanded when they are used. */
  readonly environment: Environment;
  /** Lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
  /** Whether roles may call query functions whose tables they may select. Default: true. */
  readonly inferFunctionPermissions?: boolean;
  /** Whether roles need a permission to see a remote schema. Default: false. */
  readonly remoteSchemaPermissions?: boolean;
  /** Whether relationships that may yield null are nullable where Hasura v2 declares them non-null. Default: false. */
  readonly strictNullability?: boolean;
  /** Whether the schema has the root fields of Apollo Federation. Default: false. */
  readonly apolloFederation?: boolean;
  /** The convention of sources that set none. Default: that of Hasura v2. */
  readonly namingConvention?: NamingConvention | undefined;
}

/** A table to which later stages add relationships, joins and permissions. Outside of `resolve` it is a `Table`. */
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
  readonly tables: Map<string, DraftTable>;
  readonly functions: Map<string, TableFunction>;
  /** By name. A model is a table without rows; `nested` are its fields that relationships replace. */
  readonly logicalModels: Map<string, { readonly table: DraftTable; readonly nested: readonly string[] }>;
  readonly nativeQueries: Map<string, DraftTable>;
  readonly eventTriggers: Map<string, EventTrigger>;
}

export interface Draft {
  readonly input: ResolveInput;
  readonly sources: Map<SourceName, DraftSource>;
  readonly remoteSchemas: Map<RemoteSchemaName, RemoteSchema>;
  readonly actions: Map<ActionName, Action>;
  /** Adds an inconsistency. The caller leaves the object out. */
  report(inconsistency: Inconsistency): void;
}
