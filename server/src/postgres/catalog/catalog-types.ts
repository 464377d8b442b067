/** The catalog of a database: relations, functions and types, indexed by name or oid. Types only, except for `relationKey`. */

export type RelationKind = 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table';

/** The kind of a type as in pg_type.typtype, with arrays as a separate kind. */
export type TypeKind = 'base' | 'enum' | 'domain' | 'composite' | 'range' | 'multirange' | 'array' | 'pseudo';

export interface CatalogType {
  readonly oid: number;
  readonly schema: string;
  /** pg_type.typname, such as `int4`, `order_status`, `_text`. */
  readonly name: string;
  readonly kind: TypeKind;
  /** pg_type.typcategory, one letter. */
  readonly category: string;
  /**
   * The name to write in a cast: typname, quoted unless it is a plain built-in, schema-qualified outside pg_catalog,
   * never with a length (`bpchar`, not `character`, so that a cast truncates nothing).
   */
  readonly sqlName: string;
  /** Labels of an enum, in order. */
  readonly labels: readonly string[];
  /** Oid of the base type of a domain. */
  readonly baseType: number | undefined;
  /** Oid of the element type of an array. */
  readonly elementType: number | undefined;
  /** Name of the extension that created the type, such as `postgis`, `citext`, `ltree`. */
  readonly extension: string | undefined;
}

export interface CatalogColumn {
  readonly name: string;
  /** Position from 1, as in pg_attribute.attnum. */
  readonly position: number;
  /** Oid into `Catalog.types`. */
  readonly type: number;
  /** False if the column has a not-null constraint or a not-null domain. Columns of views are nullable. */
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** `generated always as (...) stored` or virtual. */
  readonly generated: boolean;
  readonly identity: 'always' | 'by default' | undefined;
  readonly comment: string | undefined;
}

export interface CatalogKey {
  /** Name of the constraint. */
  readonly name: string;
  /** Column names in the order of the key. */
  readonly columns: readonly string[];
  /** Of a unique key that is checked when the transaction ends, which PostgreSQL does not accept in ON CONFLICT. */
  readonly deferrable?: true;
}

export interface CatalogForeignKey extends CatalogKey {
  readonly foreignSchema: string;
  readonly foreignTable: string;
  /** In the order of `columns`. */
  readonly foreignColumns: readonly string[];
}

export interface CatalogRelation {
  readonly schema: string;
  readonly name: string;
  readonly kind: RelationKind;
  readonly comment: string | undefined;
  /** In order of position, without dropped columns. */
  readonly columns: readonly CatalogColumn[];
  readonly primaryKey: CatalogKey | undefined;
  readonly uniqueKeys: readonly CatalogKey[];
  readonly foreignKeys: readonly CatalogForeignKey[];
  /** The writes that PostgreSQL accepts (pg_relation_is_updatable). */
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  /** Set for a view whose SQL calls a volatile function, directly or through other views. */
  readonly isVolatile?: true;
  /** Whether other tables may inherit from it. Their rows are its rows too, and may have equal primary keys. */
  readonly hasChildren?: true;
}

export interface CatalogArgument {
  /** Empty if the function does not name it. */
  readonly name: string;
  readonly type: number;
  readonly hasDefault: boolean;
}

export interface CatalogFunction {
  readonly schema: string;
  readonly name: string;
  readonly oid: number;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  /** Input arguments in order. */
  readonly arguments: readonly CatalogArgument[];
  readonly variadic: boolean;
  readonly returnsSet: boolean;
  readonly returnType: number;
  /** The relation whose row type is returned; undefined for other types. */
  readonly returnsRelation: { readonly schema: string; readonly name: string } | undefined;
  readonly comment: string | undefined;
}

export interface Catalog {
  /** server_version_num, such as 180004. */
  readonly version: number;
  /** By oid: every type that a column or function uses, including element and base types. */
  readonly types: ReadonlyMap<number, CatalogType>;
  /** By `relationKey(schema, name)`. Without system schemas and the schema `joinery`. */
  readonly relations: ReadonlyMap<string, CatalogRelation>;
  /** By `relationKey(schema, name)`, with overloads together. Without functions of extensions. */
  readonly functions: ReadonlyMap<string, readonly CatalogFunction[]>;
  /** The schemas of installed extensions, by name of the extension. */
  readonly extensions: ReadonlyMap<string, { readonly schema: string }>;
  /** Whether functions, defaults or policies may read the session variables of mutations; see `withSessionSettings`. */
  readonly readsSession?: boolean;
  /** By `relationKey(schema, name)`, the rows of the requested enum tables, by value. */
  readonly enumValues?: ReadonlyMap<string, readonly CatalogEnumValue[]>;
  /** By text: the columns of the requested queries. */
  readonly queries?: ReadonlyMap<string, QueryShape>;
}

/** The columns that a query returns, or the error of PostgreSQL. */
export type QueryShape =
  /** The query was not sent to the database. */
  | { readonly kind: 'unchecked' }
  | {
      readonly kind: 'columns';
      /** `type`: pg_type.typname, of a domain that of its base type. */
      readonly columns: readonly { readonly name: string; readonly type: string }[];
    }
  | {
      readonly kind: 'error';
      readonly message: string;
      /** The character of the text, from 1. */
      readonly position: number | undefined;
    };

export interface CatalogEnumValue {
  readonly value: string;
  readonly comment: string | undefined;
}

/** Returns a unique key of a relation. Names may contain dots, so both are quoted as JSON. */
export function relationKey(schema: string, name: string): string {
  // Resolving metadata creates a hundred keys for each table.
  return isPlain.test(schema) && isPlain.test(name) ? `["${schema}","${name}"]` : JSON.stringify([schema, name]);
}

/** Names that JSON writes without escapes. */
const isPlain = /^\w*$/;
