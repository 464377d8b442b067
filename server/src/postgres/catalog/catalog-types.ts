/** What the database says about itself, indexed. Read by `catalog.ts` in one round trip; data only. */

export type RelationKind = 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table';

/** `enum`, `domain`, ... as in pg_type.typtype, with arrays as a kind of their own. */
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
   * never with a length (`bpchar`, not `character`, so that a cast cuts nothing).
   */
  readonly sqlName: string;
  /** Labels of an enum, in order. */
  readonly labels: readonly string[];
  /** Oid of what a domain is made of. */
  readonly baseType: number | undefined;
  /** Oid of the elements of an array. */
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
  /** False when a not-null constraint, or a not-null domain, holds. Columns of views are nullable. */
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
  /** In order of position, dropped ones left out. */
  readonly columns: readonly CatalogColumn[];
  readonly primaryKey: CatalogKey | undefined;
  readonly uniqueKeys: readonly CatalogKey[];
  readonly foreignKeys: readonly CatalogForeignKey[];
  /** What PostgreSQL itself would accept on it (pg_relation_is_updatable). */
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
}

export interface CatalogArgument {
  /** Empty when the function does not name it. */
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
  /** The relation whose row type is returned, when it is one. */
  readonly returnsRelation: { readonly schema: string; readonly name: string } | undefined;
  readonly comment: string | undefined;
}

export interface Catalog {
  /** server_version_num, such as 180004. */
  readonly version: number;
  /** By oid; every type that a column or function here uses, elements and bases among them. */
  readonly types: ReadonlyMap<number, CatalogType>;
  /** By `relationKey(schema, name)`. System schemas and the schema `joinery` are left out. */
  readonly relations: ReadonlyMap<string, CatalogRelation>;
  /** By `relationKey(schema, name)`; overloads together. Functions of extensions are left out. */
  readonly functions: ReadonlyMap<string, readonly CatalogFunction[]>;
  /** Installed extensions by name, with the schema they live in. */
  readonly extensions: ReadonlyMap<string, { readonly schema: string }>;
  /** By `relationKey(schema, name)`, of the requested tables: their rows, by value. */
  readonly enumValues?: ReadonlyMap<string, readonly CatalogEnumValue[]>;
}

export interface CatalogEnumValue {
  readonly value: string;
  readonly comment: string | undefined;
}

/** A key no two relations share: names may contain dots, so both are quoted JSON. */
export function relationKey(schema: string, name: string): string {
  return JSON.stringify([schema, name]);
}
