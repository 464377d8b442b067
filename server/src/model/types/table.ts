/** Sources, tables, their relationships and rules, and the remote schemas they lead to, resolved. Types only. */

import type { FieldName, RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import type { Header } from '@joinery/metadata/schema/headers';
import type { GraphQLSchema } from 'graphql';
import type { CatalogKey } from '../../postgres/catalog/catalog-types.ts';
import type { Action } from './action.ts';
import type { ColumnType, InputCheck, Routine } from './column-type.ts';
import type { NamingConvention } from './naming.ts';
import type { Operator } from './operator.ts';

export interface Source {
  readonly name: SourceName;
  /** How arguments, operators and the like are named; as in the reference without it. */
  readonly convention?: NamingConvention;
  /** Names the object that holds its root fields, with what its types begin and end with. */
  readonly namespace?: {
    readonly name: string;
    readonly types: { readonly query: string; readonly mutation: string; readonly subscription: string };
  };
  /** By `relationKey(schema, name)`. */
  readonly tables: ReadonlyMap<string, Table>;
  /** Tracked functions, by `relationKey(schema, name)`. */
  readonly functions?: ReadonlyMap<string, TableFunction>;
}

export interface Column {
  readonly name: string;
  /** Its name in GraphQL. */
  readonly field: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly comment: string | undefined;
  /** Filled by PostgreSQL when an insert leaves it out: a default, an identity, a generated column, or null. */
  readonly hasDefault: boolean;
  /** `no`: generated, or an identity that is always its own; no statement may write it. */
  readonly writable: 'yes' | 'no';
  /** Not stored: the value of this function for the row. Such a column is in no table's `columns`. */
  readonly computed?: Routine;
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

/** Roots of subscriptions; they have the names of the query's, and streams one of their own. */
export type SubscriptionRootKind = RootKind | 'select_stream';

export interface Table {
  readonly source: SourceName;
  readonly schema: string;
  readonly name: string;
  /** Base of its type names: `author`, `shop_author`, or the custom name. */
  readonly graphqlName: string;
  /** Behind the names of all its types; `typeName(table, '_bool_exp')` puts them together. */
  readonly typeSuffix?: string;
  /** Of its source; behind its names as they stand here. */
  readonly convention?: NamingConvention;
  /** Tracked, but with no name or no column that GraphQL takes: rules may name it, no role sees it. */
  readonly hidden?: true;
  readonly roots: Readonly<Record<RootKind, string>>;
  /** Name of the subscription root that streams rows. */
  readonly streamRoot: string;
  readonly comment: string | undefined;
  /** By GraphQL field name, in order of position. */
  readonly columns: ReadonlyMap<string, Column>;
  /** By SQL name. */
  readonly columnsByName: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly Column[] | undefined;
  readonly uniqueKeys: readonly CatalogKey[];
  /** Name of the constraint behind `primaryKey`. */
  readonly primaryKeyName?: string | undefined;
  /** By name. Names are unique over columns, relationships and remote relationships. */
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly joins: ReadonlyMap<string, TableJoin>;
  /** By name; names are unique over these as well. */
  readonly computedFields?: ReadonlyMap<string, ComputedField>;
  /** Without `admin`; use `selectAccess(table, role)`. */
  readonly selectAccess: ReadonlyMap<RoleName, SelectAccess>;
  /** Without `admin`; use `insertAccess(table, role)` and its like. */
  readonly insertAccess: ReadonlyMap<RoleName, InsertAccess>;
  readonly updateAccess: ReadonlyMap<RoleName, UpdateAccess>;
  readonly deleteAccess: ReadonlyMap<RoleName, DeleteAccess>;
  /** What PostgreSQL would accept; views that cannot be written have no such roots. */
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  /** Names of the roots that write. */
  readonly mutationRoots: Readonly<Record<MutationKind, string>>;
}

export type MutationKind =
  | 'insert'
  | 'insert_one'
  | 'update'
  | 'update_by_pk'
  | 'update_many'
  | 'delete'
  | 'delete_by_pk';

/** Values that the role's writes always have, by column; an operand is a constant or a session variable. */
export type Presets = ReadonlyMap<Column, Operand>;

export interface InsertAccess {
  /** Those the caller may give; presets are not among them. */
  readonly columns: ReadonlySet<Column>;
  /** What every inserted (or, by an upsert, changed) row must fulfil. */
  readonly check: Predicate;
  readonly presets: Presets;
  /** Shown only to callers that prove to be a backend. */
  readonly backendOnly: boolean;
  readonly inputCheck?: InputCheck;
}

export interface UpdateAccess {
  readonly columns: ReadonlySet<Column>;
  /** Which rows it may change. */
  readonly filter: Predicate;
  /** What every changed row must fulfil afterwards; undefined asks nothing more. */
  readonly check: Predicate | undefined;
  readonly presets: Presets;
  readonly backendOnly: boolean;
  readonly inputCheck?: InputCheck;
}

export interface DeleteAccess {
  readonly filter: Predicate;
  readonly backendOnly: boolean;
  readonly inputCheck?: InputCheck;
}

export interface ComputedField {
  readonly name: FieldName;
  readonly routine: Routine;
  readonly comment: string | undefined;
  readonly result:
    | {
        readonly kind: 'scalar';
        /** Stands for the value where the caller passes nothing: in `where`, in `order_by`, in row rules. */
        readonly column: Column;
      }
    | { readonly kind: 'rows'; readonly table: Table };
}

/** A function whose rows are those of a table, as a root field. */
export interface TableFunction {
  readonly source: SourceName;
  readonly routine: Routine;
  readonly table: Table;
  readonly roots: { readonly function: string; readonly function_aggregate: string };
  /** False: one row, or null. */
  readonly returnsSet: boolean;
  readonly exposedAs: 'query' | 'mutation';
  readonly comment: string | undefined;
  /** Roles that may call it because a permission says so; all of them must see the table as well. */
  readonly roles: ReadonlySet<RoleName>;
  /** May every role that sees the table call it? */
  readonly inferred: boolean;
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
  /** Of an object relationship: its row refers to this one, so that a nested insert makes this one first. */
  readonly insertAfter?: true;
}

/** What a join is keyed by: a column, or a field of a handler's answer. */
export interface JoinKey {
  readonly name: string;
  /** Of a list: the array of its items' type. */
  readonly type: ColumnType;
  /** Its value is a list of keys. An array column is one key. */
  readonly list?: true;
}

/** From an object that is there to what is fetched for its key, together with the keys of all other such objects. */
export interface Join<Key extends JoinKey = JoinKey> {
  readonly name: FieldName;
  /** Their values make the key. */
  readonly keys: readonly Key[];
  readonly target: JoinDestination;
}

export type TableJoin = Join<Column>;

export type JoinDestination =
  | {
      readonly kind: 'table';
      readonly shape: 'object' | 'array';
      readonly table: Table;
      /** In the order of `keys`. */
      readonly match: readonly Column[];
    }
  | {
      readonly kind: 'function';
      readonly shape: 'object' | 'array';
      readonly function: TableFunction;
      /** Names of arguments (`RoutineArgument.field`), in the order of `keys`. */
      readonly passed: readonly string[];
    }
  | { readonly kind: 'remote'; readonly remote: RemoteSchema; readonly path: readonly RemoteStep[] }
  | {
      readonly kind: 'action';
      /** A query. */
      readonly action: Action;
      /** What the join supplies, by name. */
      readonly arguments: Readonly<Record<string, RemoteTemplate>>;
      /** The handler takes lists of inputs, at most so many at once. */
      readonly batch: number | undefined;
    };

/** One field on the way into a remote schema. */
export interface RemoteStep {
  readonly field: string;
  readonly arguments: Readonly<Record<string, RemoteTemplate>>;
}

/** What an argument is made of. `key` points into `Join.keys`. */
export type RemoteTemplate =
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  | { readonly kind: 'key'; readonly index: number }
  | { readonly kind: 'list'; readonly items: readonly RemoteTemplate[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, RemoteTemplate>> };

/** Columns that a role does not see in every row that it sees: where it sees them. Elsewhere they are null. */
export type Cells = ReadonlyMap<Column, Predicate>;

export interface SelectAccess {
  readonly columns: ReadonlySet<Column>;
  /** Those with scalar results; those with rows are seen by whoever sees the rows. */
  readonly computedFields?: ReadonlySet<ComputedField>;
  readonly filter: Predicate;
  /** Of a role that inherits from several. */
  readonly cells?: Cells | undefined;
  /** Most rows of one list. */
  readonly limit: number | undefined;
  readonly aggregations: boolean;
  readonly queryRoots: ReadonlySet<RootKind>;
  readonly subscriptionRoots: ReadonlySet<SubscriptionRootKind>;
}

/** The one boolean expression: row rules of permissions and `where` arguments alike. */
export type Predicate =
  /** Empty is true. */
  | { readonly kind: 'and'; readonly of: readonly Predicate[] }
  /** Empty is false. */
  | { readonly kind: 'or'; readonly of: readonly Predicate[] }
  | { readonly kind: 'not'; readonly of: Predicate }
  | { readonly kind: 'compare'; readonly left: Comparand; readonly operator: Operator; readonly right: Operand }
  /** Some row behind the relationship fulfils `where` (which holds the target's row rule where one applies). */
  | { readonly kind: 'related'; readonly relationship: Relationship; readonly where: Predicate }
  /** Some row of those that a computed field comes to fulfils `where`. */
  | { readonly kind: 'computed'; readonly routine: Routine; readonly where: Predicate }
  | {
      readonly kind: 'aggregated';
      readonly relationship: Relationship;
      /** As in SQL. */
      readonly aggregate: PredicateAggregate;
      readonly arguments: readonly Column[];
      /** Of the rows behind the relationship. */
      readonly cells?: Cells | undefined;
      readonly distinct: boolean;
      readonly filter: Predicate;
      /** Each compared with the aggregate's value; all must hold. */
      readonly tests: readonly { readonly operator: Operator; readonly right: Operand }[];
      readonly resultType: ColumnType;
    }
  /** Some row of any table fulfils `where`, unrelated to the current row. */
  | { readonly kind: 'exists'; readonly table: Table; readonly where: Predicate }
  /** A row rule as a whole: `root` columns inside of it are those of the row at hand here. */
  | { readonly kind: 'rule'; readonly of: Predicate };

export type PredicateAggregate =
  | 'count'
  | 'bool_and'
  | 'bool_or'
  | 'sum'
  | 'avg'
  | 'min'
  | 'max'
  | 'stddev_samp'
  | 'var_samp'
  | 'corr'
  | 'covar_samp';

export interface Comparand {
  readonly column: Column;
  /** `_cast`: the column is compared after a cast to this type. */
  readonly cast: ColumnType | undefined;
  /** Where the caller sees the column; elsewhere it is null. */
  readonly seen?: Predicate | undefined;
}

/** Where the right-hand side comes from. */
export type Operand =
  /** A JSON value: a number, string, boolean, list or object, or null. */
  | { readonly kind: 'constant'; readonly value: unknown }
  /** Lower-case name. Its text is cast to the operator's argument type; lists are Postgres array text or JSON. */
  | { readonly kind: 'session'; readonly name: string }
  | { readonly kind: 'variable'; readonly name: string }
  /** Another column: of the row at hand, or of the row that the whole rule is about (`["$", "column"]`). */
  | {
      readonly kind: 'column';
      readonly of: 'row' | 'root';
      readonly path: readonly Relationship[];
      readonly column: Column;
    }
  /** A list of which some item is known only when the plan runs: `array[...]`, items cast to `element`. */
  | { readonly kind: 'list'; readonly items: readonly Operand[]; readonly element: ColumnType }
  /** The members of an operator's input object in its order, each cast to its type: `$1::geometry, $2::float8`. */
  | { readonly kind: 'members'; readonly of: readonly { readonly operand: Operand; readonly type: ColumnType }[] };

export interface RemoteSchema {
  readonly name: RemoteSchemaName;
  /** May contain `{{NAME}}` templates or come from the environment; expanded when a call is made. */
  readonly url: { readonly template: string } | { readonly fromEnv: string };
  readonly headers: readonly Header[];
  readonly forwardClientHeaders: boolean;
  readonly timeoutMs: number;
  /** As introspected. */
  readonly upstream: GraphQLSchema;
  /** All of it under the names that clients use; `upstream` itself where they are the same. See `remoteView`. */
  readonly offered?: GraphQLSchema | undefined;
  /** Its root fields stand in an object of this name. */
  readonly namespace?:
    | { readonly name: string; readonly types: { readonly query: string; readonly mutation: string } }
    | undefined;
  /** Relationships that start from its types: by its own name of the type, then by name. */
  readonly joins?: Map<string, ReadonlyMap<string, Join>>;
  /** What each role sees; roles that are not there see nothing. Undefined: every role sees all. */
  readonly permissions?: ReadonlyMap<RoleName, GraphQLSchema> | undefined;
}
