/** Resolved tables, relationships, permissions and remote schemas. Types only, which refer to each other. */

import type { FieldName, RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import type { Header } from '@joinery/metadata/schema/headers';
import type { GraphQLSchema } from 'graphql';
import type { CatalogKey } from '../../postgres/catalog/catalog-types.ts';
import type { Action } from './action.ts';
import type { ColumnType, InputCheck, Routine } from './column-type.ts';
import type { NamingConvention } from './naming.ts';
import type { Operator } from './operator.ts';

export interface Column {
  readonly name: string;
  /** Its name in GraphQL. */
  readonly field: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly comment: string | undefined;
  /** PostgreSQL sets it if an insert omits it: a default, an identity or a generated column. */
  readonly hasDefault: boolean;
  /** `no`: generated, or an identity that is generated always; no statement may write it. */
  readonly writable: 'yes' | 'no';
  /** The function that computes the value for the row. Such a column is in no table's `columns`. */
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

/** Root fields of subscriptions. Live queries have the names of the query root fields. */
export type SubscriptionRootKind = RootKind | 'select_stream';

export interface Table {
  readonly source: SourceName;
  readonly schema: string;
  readonly name: string;
  /** The base of its type names: `author`, `shop_author`, or the custom name. */
  readonly graphqlName: string;
  /** The suffix of the names of all its types; see `typeName(table, '_bool_exp')`. */
  readonly typeSuffix?: string;
  /** The names of types that are not built from `graphqlName`, by what `typeName` appends: `_bool_exp`. */
  readonly typeNames?: Readonly<Record<string, string>>;
  /** The SQL that returns the rows; undefined: they are those of a table of the database. */
  readonly native?: NativeSql;
  /** The naming convention of its source, which the names here follow already. */
  readonly convention?: NamingConvention;
  /** Whether `graphqlName` is a custom name, which no naming convention changes. */
  readonly customNamed?: true;
  /** Comments of root fields, which replace their descriptions; an empty one removes it. */
  readonly rootComments?: Readonly<Partial<Record<SubscriptionRootKind | MutationKind, string>>>;
  /** Tracked, but without a valid GraphQL name or column: row rules may refer to it, no role sees it. */
  readonly hidden?: true;
  readonly roots: Readonly<Record<RootKind, string>>;
  /** The name of the subscription root field that streams rows. */
  readonly streamRoot: string;
  /** The name of the root field of the Relay schema with its rows in pages. */
  readonly connectionRoot: string;
  readonly comment: string | undefined;
  /** By GraphQL field name, in order of position. */
  readonly columns: ReadonlyMap<string, Column>;
  /** By SQL name. */
  readonly columnsByName: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly Column[] | undefined;
  readonly uniqueKeys: readonly CatalogKey[];
  /** The name of the constraint of `primaryKey`. */
  readonly primaryKeyName?: string | undefined;
  readonly primaryKeyDeferrable?: true;
  /** Whether other tables may inherit from it, so that several rows may have one key. */
  readonly hasChildren?: true;
  /** By name. Names are unique over columns, relationships and remote relationships. */
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly joins: ReadonlyMap<string, TableJoin>;
  /** By name; names are unique over columns and relationships as well. */
  readonly computedFields?: ReadonlyMap<string, ComputedField>;
  /** Whether its rows are entities of Apollo Federation. */
  readonly isEntity?: true;
  /** Without `admin`; use `selectAccess(table, role)`. */
  readonly selectAccess: ReadonlyMap<RoleName, SelectAccess>;
  /** Without `admin`; use `insertAccess(table, role)`, `updateAccess` and `deleteAccess`. */
  readonly insertAccess: ReadonlyMap<RoleName, InsertAccess>;
  readonly updateAccess: ReadonlyMap<RoleName, UpdateAccess>;
  readonly deleteAccess: ReadonlyMap<RoleName, DeleteAccess>;
  /** Whether PostgreSQL permits inserts. Views may not be writable. */
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  /** Whether its rows are those of other tables: a view that is not materialized. */
  readonly isView?: true;
  /** Whether each read may have other rows: a view whose SQL calls a volatile function. */
  readonly isVolatile?: true;
  /** The names of the mutation root fields. */
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

/** Column presets: constants or session variables that every write of the role sets. */
export type Presets = ReadonlyMap<Column, Operand>;

export interface InsertAccess {
  /** The columns that the caller may set, without presets. */
  readonly columns: ReadonlySet<Column>;
  /** The condition on every inserted row, and on every row that an upsert updates. */
  readonly check: Predicate;
  readonly presets: Presets;
  /** Shown only to callers that authenticate as a backend. */
  readonly backendOnly: boolean;
  readonly inputCheck?: InputCheck;
}

export interface UpdateAccess {
  readonly columns: ReadonlySet<Column>;
  /** The rows that the role may update. */
  readonly filter: Predicate;
  /** The condition on every updated row; undefined: none. */
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
        /** The value without arguments of the caller, in `where`, `order_by` and row rules. */
        readonly column: Column;
      }
    | { readonly kind: 'rows'; readonly table: Table };
}

/** A tracked function that returns rows of a table. */
export interface TableFunction {
  readonly source: SourceName;
  readonly routine: Routine;
  readonly table: Table;
  readonly roots: { readonly function: string; readonly function_aggregate: string };
  /** The root field of the Relay schema. */
  readonly connectionRoot: string;
  /** False: it returns one row or null. */
  readonly returnsSet: boolean;
  readonly exposedAs: 'query' | 'mutation';
  readonly comment: string | undefined;
  /** The roles with a permission on the function. They need a select permission on the table as well. */
  readonly roles: ReadonlySet<RoleName>;
  /** Whether every role with a select permission on the table may call it. */
  readonly inferred: boolean;
}

/** The SQL of a native query. */
export interface NativeSql {
  /** Text, and arguments whose values are parameters. */
  readonly parts: readonly (string | NativeArgument)[];
  readonly arguments: readonly NativeArgument[];
  /** The name of the input type of the arguments. */
  readonly argumentsType: string;
  readonly description: string | undefined;
}

export interface NativeArgument {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly description: string | undefined;
}

/** A relationship within one source, which is part of the same statement. */
export interface Relationship {
  readonly kind: 'object' | 'array';
  readonly name: FieldName;
  readonly target: Table;
  readonly mapping: readonly { readonly from: Column; readonly to: Column }[];
  /** Whether an object relationship may have no row. */
  readonly nullable: boolean;
  readonly comment: string | undefined;
  /** Of an object relationship: the foreign key is on the target, so that a nested insert inserts this row first. */
  readonly insertAfter?: true;
}

/** A part of the key of a join: a column, or a field of an action's output or of a remote type. */
export interface JoinKey {
  readonly name: string;
  /** Of a list: the array type of its items. */
  readonly type: ColumnType;
  /** Whether its value is a list of keys. An array column is one key. */
  readonly list?: true;
}

/** A relationship that is fetched separately, in one request for the keys of all objects. */
export interface Join<Key extends JoinKey = JoinKey> {
  readonly name: FieldName;
  /** The parts of the key. */
  readonly keys: readonly Key[];
  readonly target: JoinDestination;
}

export type TableJoin = Join<Column>;

export type JoinDestination =
  | {
      readonly kind: 'table';
      readonly shape: 'object' | 'array';
      readonly table: Table;
      /** The matched columns, in the order of `keys`. */
      readonly match: readonly Column[];
    }
  | {
      readonly kind: 'function';
      readonly shape: 'object' | 'array';
      readonly function: TableFunction;
      /** The names of arguments (`RoutineArgument.field`), in the order of `keys`. */
      readonly passed: readonly string[];
    }
  | { readonly kind: 'remote'; readonly remote: RemoteSchema; readonly path: readonly RemoteStep[] }
  | {
      readonly kind: 'action';
      /** Of type `query`. */
      readonly action: Action;
      /** The arguments that the join sets, by name. */
      readonly arguments: Readonly<Record<string, RemoteTemplate>>;
      /** The most inputs in one call; undefined: the handler takes one input. */
      readonly batch: number | undefined;
    };

/** A field of the path from the query root of a remote schema to the target. */
export interface RemoteStep {
  readonly field: string;
  readonly arguments: Readonly<Record<string, RemoteTemplate>>;
}

/** The template of an argument. `index` refers to `Join.keys`. */
export type RemoteTemplate =
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  | { readonly kind: 'key'; readonly index: number }
  | { readonly kind: 'list'; readonly items: readonly RemoteTemplate[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, RemoteTemplate>> };

/** Conditions under which a role sees the cells of a column; the others are null. */
export type Cells = ReadonlyMap<Column, Predicate>;

export interface SelectAccess {
  readonly columns: ReadonlySet<Column>;
  /** Scalar computed fields. Those that return rows depend on the permissions of the returned table. */
  readonly computedFields?: ReadonlySet<ComputedField>;
  readonly filter: Predicate;
  /** Set for roles that inherit from several roles. */
  readonly cells?: Cells | undefined;
  /** Of a role that inherits from several roles: the columns that only some of them grant, whose types are nullable. */
  readonly partlyGranted?: ReadonlySet<Column>;
  /** The most rows in one list. */
  readonly limit: number | undefined;
  readonly aggregations: boolean;
  readonly queryRoots: ReadonlySet<RootKind>;
  readonly subscriptionRoots: ReadonlySet<SubscriptionRootKind>;
}

export interface Comparison {
  readonly kind: 'compare';
  readonly left: Comparand;
  readonly operator: Operator;
  readonly right: Operand;
}

/** A boolean expression: the row rule of a permission, or a `where` argument. */
export type Predicate =
  /** Empty is true. */
  | { readonly kind: 'and'; readonly of: readonly Predicate[] }
  /** Empty is false. */
  | { readonly kind: 'or'; readonly of: readonly Predicate[] }
  | { readonly kind: 'not'; readonly of: Predicate }
  | Comparison
  /** Some row of the relationship matches `where`, which includes the row rule on the target, if any. */
  | { readonly kind: 'related'; readonly relationship: Relationship; readonly where: Predicate }
  /** Some row that the computed field returns matches `where`. */
  | { readonly kind: 'computed'; readonly routine: Routine; readonly where: Predicate }
  | {
      readonly kind: 'aggregated';
      readonly relationship: Relationship;
      /** The SQL function. */
      readonly aggregate: PredicateAggregate;
      readonly arguments: readonly Column[];
      /** Of the rows of the relationship. */
      readonly cells?: Cells | undefined;
      readonly distinct: boolean;
      readonly filter: Predicate;
      /** Comparisons with the value of the aggregate; all must be true. */
      readonly tests: readonly { readonly operator: Operator; readonly right: Operand }[];
      readonly resultType: ColumnType;
    }
  /** Some row of the table matches `where`, independent of the current row. */
  | { readonly kind: 'exists'; readonly table: Table; readonly where: Predicate }
  /** A whole row rule; `root` columns within it are columns of the current row. */
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
  /** The condition under which the caller sees the cell; otherwise it is null. */
  readonly seen?: Predicate | undefined;
}

/** The source of the right-hand side. */
export type Operand =
  /** A JSON value: a number, string, boolean, list or object, or null. */
  | { readonly kind: 'constant'; readonly value: unknown }
  /** Lower-case name. Its text is cast to the operator's argument type; lists are Postgres array text or JSON. */
  | { readonly kind: 'session'; readonly name: string }
  | { readonly kind: 'variable'; readonly name: string }
  /** Another column: of the current row, or of the row that the whole rule tests (`["$", "column"]`). */
  | {
      readonly kind: 'column';
      readonly of: 'row' | 'root';
      readonly path: readonly Relationship[];
      readonly column: Column;
    }
  /** A list with items that are known only when the plan runs: `array[...]`, items cast to `element`. */
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
  /** The introspected schema. */
  readonly upstream: GraphQLSchema;
  /** `upstream` under the names that clients use, or `upstream` itself if these are the same. See `remoteView`. */
  readonly offered?: GraphQLSchema | undefined;
  /** The object that contains its root fields, and its types. */
  readonly namespace?:
    | { readonly name: string; readonly types: { readonly query: string; readonly mutation: string } }
    | undefined;
  /** The names of its types that the service may have as well. `schema/remote/shared-types.ts` compares both. */
  readonly shared?: ReadonlySet<string>;
  /** The relationships of its types, by upstream name of the type, then by name. */
  readonly joins?: Map<string, ReadonlyMap<string, Join>>;
  /** The schema that each role sees; other roles see nothing. Undefined: every role sees all. */
  readonly permissions?: ReadonlyMap<RoleName, GraphQLSchema> | undefined;
}
