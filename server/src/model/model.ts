/** The live model: metadata x catalog x remote schemas, resolved. Types only; nothing in it is "maybe valid". */
import type { Header } from '@joinery/metadata/headers';
import type { ActionName, FieldName, RemoteSchemaName, RoleName, SourceName, TypeName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import type { ErrorCode } from '../base/errors.ts';
import type { CatalogKey } from '../postgres/catalog-types.ts';
import type { Predicate } from './predicate-types.ts';

export interface Model {
  /** `resource_version` of the metadata it was made from. */
  readonly version: number;
  readonly sources: ReadonlyMap<SourceName, Source>;
  readonly actions: ReadonlyMap<ActionName, Action>;
  readonly remoteSchemas: ReadonlyMap<RemoteSchemaName, RemoteSchema>;
  /** Every role that some permission names, without `admin`. */
  readonly roles: ReadonlySet<RoleName>;
  /** What was dropped, in order of discovery. */
  readonly inconsistencies: readonly Inconsistency[];
}

/** A written object that could not be used. It alone was dropped. */
export interface Inconsistency {
  /** `source`, `table`, `object_relation`, `array_relation`, `select_permission`, `remote_relationship`, `action`, ... */
  readonly type: string;
  /** Human-readable and unique, such as `table orders in source default`. */
  readonly name: string;
  /** JSON path into the metadata, such as `$.sources[0].tables[3].select_permissions[1]`. */
  readonly path: string;
  readonly code: ErrorCode;
  /** What is wrong and what to do. When a dropped object is the cause, it is named. */
  readonly reason: string;
  /** The object as written. */
  readonly definition: unknown;
}

export interface Source {
  readonly name: SourceName;
  /** By `relationKey(schema, name)`. */
  readonly tables: ReadonlyMap<string, Table>;
}

/** The families that decide which operators a column has. */
export type TypeFamily =
  | 'boolean'
  | 'number'
  | 'text'
  | 'citext'
  | 'time'
  | 'interval'
  | 'uuid'
  | 'bytes'
  | 'json'
  | 'jsonb'
  | 'enum'
  | 'array'
  | 'range'
  | 'network'
  | 'ltree'
  | 'lquery'
  | 'ltxtquery'
  | 'geometry'
  | 'geography'
  | 'raster'
  | 'composite'
  | 'other';

/** The type of a column. A domain is resolved to what it is made of, for casts as well. */
export interface ColumnType {
  /** pg_type.typname of the resolved type. */
  readonly name: string;
  /** For casts; see CatalogType.sqlName. */
  readonly sqlName: string;
  readonly family: TypeFamily;
  /** GraphQL scalar, such as `Int`, `String`, `numeric`, `order_status`; of an array, that of its elements. */
  readonly scalar: string;
  /** Of an array; undefined otherwise. */
  readonly element: ColumnType | undefined;
  /** Labels of a Postgres enum. */
  readonly labels: readonly string[];
  /** pg_type.typcategory, one letter. */
  readonly category: string;
}

export interface Column {
  readonly name: string;
  /** Its name in GraphQL. */
  readonly field: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly comment: string | undefined;
}

export type AggregateFunction =
  | 'count'
  | 'sum'
  | 'avg'
  | 'stddev'
  | 'stddev_pop'
  | 'stddev_samp'
  | 'variance'
  | 'var_pop'
  | 'var_samp'
  | 'max'
  | 'min';

export type RootKind = 'select' | 'select_by_pk' | 'select_aggregate';

export interface Table {
  readonly source: SourceName;
  readonly schema: string;
  readonly name: string;
  /** Base of its type names: `author`, `shop_author`, or the custom name. */
  readonly graphqlName: string;
  readonly roots: Readonly<Record<RootKind, string>>;
  readonly comment: string | undefined;
  /** By GraphQL field name, in order of position. */
  readonly columns: ReadonlyMap<string, Column>;
  /** By SQL name. */
  readonly columnsByName: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly Column[] | undefined;
  readonly uniqueKeys: readonly CatalogKey[];
  /** By name. Names are unique over columns, relationships and remote relationships. */
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly joins: ReadonlyMap<string, TableJoin>;
  /** Without `admin`; use `selectAccess(table, role)`. */
  readonly selectAccess: ReadonlyMap<RoleName, SelectAccess>;
}

/** Within one source; printed into the same statement. */
export interface Relationship {
  readonly kind: 'object' | 'array';
  readonly name: FieldName;
  readonly target: Table;
  readonly mapping: readonly { readonly from: Column; readonly to: Column }[];
  /** True when an object relationship may find no row. */
  readonly nullable: boolean;
  readonly comment: string | undefined;
}

/** From a table to elsewhere: fetched after its rows are there. */
export interface TableJoin {
  readonly name: FieldName;
  /** Columns whose values make the key. */
  readonly keys: readonly Column[];
  readonly target:
    | {
        readonly kind: 'table';
        readonly shape: 'object' | 'array';
        readonly table: Table;
        /** In the order of `keys`. */
        readonly match: readonly Column[];
      }
    | { readonly kind: 'remote'; readonly remote: RemoteSchema; readonly path: readonly RemoteStep[] };
}

/** One field on the way into a remote schema. */
export interface RemoteStep {
  readonly field: string;
  readonly arguments: Readonly<Record<string, RemoteTemplate>>;
}

/** What an argument is made of. `key` points into `TableJoin.keys`. */
export type RemoteTemplate =
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  | { readonly kind: 'key'; readonly index: number }
  | { readonly kind: 'list'; readonly items: readonly RemoteTemplate[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, RemoteTemplate>> };

export interface SelectAccess {
  readonly columns: ReadonlySet<Column>;
  readonly filter: Predicate;
  /** Most rows of one list. */
  readonly limit: number | undefined;
  readonly aggregations: boolean;
  readonly queryRoots: ReadonlySet<RootKind>;
}

export interface RemoteSchema {
  readonly name: RemoteSchemaName;
  /** May contain `{{NAME}}` templates or come from the environment; expanded when a call is made. */
  readonly url: { readonly template: string } | { readonly fromEnv: string };
  readonly headers: readonly Header[];
  readonly forwardClientHeaders: boolean;
  readonly timeoutMs: number;
  /** As introspected. */
  readonly upstream: GraphQLSchema;
}

/** A type with its list and non-null wrappers. */
export type TypeRef<Named> =
  | { readonly kind: 'named'; readonly type: Named }
  | { readonly kind: 'list'; readonly of: TypeRef<Named> }
  | { readonly kind: 'nonNull'; readonly of: TypeRef<Named> };

export interface ScalarRef {
  readonly kind: 'scalar';
  /** `Int`, `String`, ..., a custom scalar or a Postgres one. */
  readonly name: string;
  readonly origin: 'graphql' | 'custom' | 'postgres';
  readonly description: string | undefined;
}

export interface EnumRef {
  readonly kind: 'enum';
  readonly name: TypeName;
  readonly description: string | undefined;
  readonly values: readonly {
    readonly value: string;
    readonly description: string | undefined;
    readonly deprecated: boolean;
  }[];
}

export interface OutputObject {
  readonly kind: 'object';
  readonly name: TypeName;
  readonly description: string | undefined;
  /** By name. Types may refer to each other in circles. */
  readonly fields: ReadonlyMap<string, OutputField>;
  readonly relationships: ReadonlyMap<string, ActionRelationship>;
}

export interface OutputField {
  readonly name: FieldName;
  readonly type: TypeRef<OutputNamed>;
  readonly description: string | undefined;
}

export type OutputNamed = ScalarRef | EnumRef | OutputObject;

export interface InputObject {
  readonly kind: 'input';
  readonly name: TypeName;
  readonly description: string | undefined;
  readonly fields: ReadonlyMap<string, InputField>;
}

export interface InputField {
  readonly name: FieldName;
  readonly type: TypeRef<InputNamed>;
  readonly description: string | undefined;
}

export type InputNamed = ScalarRef | EnumRef | InputObject;

/** From an action's output object to a table. */
export interface ActionRelationship {
  readonly name: FieldName;
  readonly kind: 'object' | 'array';
  readonly table: Table;
  readonly mapping: readonly { readonly from: OutputField; readonly to: Column }[];
}

export interface Action {
  readonly name: ActionName;
  readonly type: 'query' | 'mutation';
  readonly arguments: readonly InputField[];
  readonly output: TypeRef<OutputNamed>;
  /** With `{{NAME}}` templates unexpanded. */
  readonly handler: string;
  readonly headers: readonly Header[];
  readonly forwardClientHeaders: boolean;
  /** Lower case; undefined means the usual list. */
  readonly ignoredClientHeaders: readonly string[] | undefined;
  readonly timeoutMs: number;
  /** Without `admin`, who may always. */
  readonly roles: ReadonlySet<RoleName>;
  readonly comment: string | undefined;
}
