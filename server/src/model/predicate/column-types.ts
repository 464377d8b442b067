/** Column types from the catalog, with domains resolved, families and GraphQL scalars. */
import type { CatalogType } from '../../postgres/catalog/catalog-types.ts';
import { quoteIdent } from '../../postgres/sql/sql.ts';
import type { ColumnType, TypeFamily } from '../types/column-type.ts';

/** GraphQL scalars of built-in types that have another name than the type. */
const scalarNames: Readonly<Record<string, string>> = {
  int2: 'smallint',
  int4: 'Int',
  int8: 'bigint',
  float4: 'Float',
  bool: 'Boolean',
  text: 'String',
  varchar: 'String',
  char: 'bpchar',
};

const graphqlScalars: ReadonlySet<string> = new Set(['Int', 'Float', 'String', 'Boolean', 'ID']);

const families: Readonly<Record<string, TypeFamily>> = {
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  float8: 'number',
  numeric: 'number',
  money: 'number',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  name: 'text',
  char: 'text',
  date: 'time',
  time: 'time',
  timetz: 'time',
  timestamp: 'time',
  timestamptz: 'time',
  interval: 'interval',
  uuid: 'uuid',
  bytea: 'bytes',
  json: 'json',
  jsonb: 'jsonb',
  inet: 'network',
  cidr: 'network',
  macaddr: 'network',
  macaddr8: 'network',
};

const extensionFamilies: Readonly<Record<string, TypeFamily>> = {
  citext: 'citext',
  ltree: 'ltree',
  lquery: 'lquery',
  ltxtquery: 'ltxtquery',
  hstore: 'hstore',
  geometry: 'geometry',
  geography: 'geography',
  raster: 'raster',
};

/** Resolves the types of one catalog by oid: the same object for the same oid, undefined for an unknown one. */
export function typeReader(types: ReadonlyMap<number, CatalogType>): (oid: number) => ColumnType | undefined {
  const known = new Map<number, ColumnType | undefined>();
  const read = (oid: number): ColumnType | undefined => {
    if (known.has(oid)) return known.get(oid);
    // Ends the recursion if a type refers to itself.
    known.set(oid, undefined);
    const type = types.get(oid);
    const resolved = type && resolve(type, read);
    known.set(oid, resolved);
    return resolved;
  };
  return read;
}

function resolve(type: CatalogType, read: (oid: number) => ColumnType | undefined): ColumnType | undefined {
  if (type.kind === 'domain') {
    const base = type.baseType === undefined ? undefined : read(type.baseType);
    if (base === undefined || base.element !== undefined) return base;
    return { ...base, scalar: domainScalar(type.name), ...(base.family === 'enum' && { enumOf: base.enumOf ?? base }) };
  }
  const { name, sqlName, category, labels } = type;
  if (type.kind === 'array') {
    const element = type.elementType === undefined ? undefined : read(type.elementType);
    return element && { name, sqlName, family: 'array', scalar: element.scalar, element, labels: [], category };
  }
  const extensionSchema = type.extension === undefined ? undefined : type.schema;
  const scalar = scalarName(type);
  return { name, sqlName, family: familyOf(type), scalar, element: undefined, labels, category, extensionSchema };
}

function familyOf({ kind, schema, name, extension }: CatalogType): TypeFamily {
  switch (kind) {
    case 'enum':
    case 'composite':
      return kind;
    case 'range':
    case 'multirange':
      return 'range';
    default: {
      const known = schema === 'pg_catalog' ? families : extension === undefined ? {} : extensionFamilies;
      return (Object.hasOwn(known, name) ? known[name] : undefined) ?? 'other';
    }
  }
}

/** A domain has a scalar of its own, as in Hasura v2, but the operators of its base type. */
function domainScalar(name: string): string {
  const safe = graphqlNameOf(name);
  return graphqlScalars.has(safe) || builtInTypes.has(safe) ? `${safe}_scalar` : safe;
}

/** A row type has the name of the object type of its table, and a user-defined type may be called `String`. */
function scalarName({ kind, schema, name }: CatalogType): string {
  if (schema === 'pg_catalog' && Object.hasOwn(scalarNames, name)) return scalarNames[name] ?? name;
  const safe = graphqlNameOf(name);
  return kind === 'composite' || graphqlScalars.has(safe) ? `${safe}_scalar` : safe;
}

function graphqlNameOf(type: string): string {
  return type
    .replaceAll(/[^_0-9A-Za-z]/g, '_')
    .replace(/^(?=\d)/, '_')
    .replace(/^__+/, '_');
}

/** The scalar of a function's argument: of an array the name of the array type, such as `_text`. */
export function argumentScalar({ name, scalar, element }: ColumnType): string {
  return element === undefined ? scalar : graphqlNameOf(name);
}

/** A type of `pg_catalog` with the SQL name `name`. `category`: pg_type.typcategory. */
export function builtIn(name: string, category: string): ColumnType {
  const scalar = scalarNames[name] ?? name;
  return { name, sqlName: name, family: families[name] ?? 'other', scalar, element: undefined, labels: [], category };
}

export const booleanType: ColumnType = builtIn('bool', 'B');
export const integerType: ColumnType = builtIn('int4', 'N');
export const doubleType: ColumnType = builtIn('float8', 'N');
export const textType: ColumnType = builtIn('text', 'S');
const jsonbType: ColumnType = builtIn('jsonb', 'U');

const categories: Readonly<Partial<Record<TypeFamily, string>>> = {
  boolean: 'B',
  number: 'N',
  text: 'S',
  time: 'D',
  interval: 'T',
  network: 'I',
};

/** The built-in types of `pg_catalog` that have a family, by GraphQL scalar: `Int`, `timestamptz`, `jsonb`, ... */
export const builtInTypes: ReadonlyMap<string, ColumnType> = new Map(
  Object.entries(families)
    .map(([name, family]) => builtIn(name, categories[family] ?? 'U'))
    // varchar and text share a scalar, as do "char" and bpchar: the more general type represents it.
    .sort((one, other) => Number(one.name === 'text') - Number(other.name === 'text'))
    .filter(({ name }) => name !== 'char')
    .map((type) => [type.scalar, type]),
);

/** `type[]`. */
export function arrayOf(type: ColumnType): ColumnType {
  return {
    name: `_${type.name}`,
    sqlName: `${type.sqlName}[]`,
    family: 'array',
    scalar: type.scalar,
    element: type,
    labels: [],
    category: 'A',
  };
}

/** Another type of the same extension: `geography` for `geometry`, `lquery` for `ltree`. */
export function siblingType(type: Pick<ColumnType, 'extensionSchema'>, name: string): ColumnType {
  const { extensionSchema } = type;
  const sqlName = extensionSchema === undefined ? name : `${quoteIdent(extensionSchema)}.${name}`;
  const family = extensionFamilies[name] ?? 'other';
  return { name, sqlName, family, scalar: name, element: undefined, labels: [], category: 'U', extensionSchema };
}

/** PostgreSQL has no `=` for these. */
const withoutEquality: ReadonlySet<string> = new Set([
  ...['json', 'xml', 'point', 'polygon', 'jsonpath', 'txid_snapshot', 'pg_snapshot'],
  ...['lquery', 'ltxtquery'],
]);

/** Geometric types: PostgreSQL has `=` for them, but neither sorts nor hashes them, which the `=` of their arrays needs. */
const shapes = ['box', 'circle', 'line', 'lseg', 'path'] as const;

/** Whether PostgreSQL has `=` for the type. */
export function hasEquality({ name, element }: ColumnType): boolean {
  if (element === undefined) return !withoutEquality.has(name);
  return hasEquality(element) && !shapes.some((shape) => shape === element.name);
}

/** PostgreSQL has `=` for these, but does not sort them. */
const withoutSort: ReadonlySet<string> = new Set([...shapes, 'raster', 'xid', 'cid', 'aclitem']);

/** Whether rows can be sorted by values of the type, and their different values counted. json is sorted as jsonb. */
export function isSortable(type: ColumnType): boolean {
  if (type.element !== undefined) return isSortable(type.element);
  return type.family === 'json' || (hasEquality(type) && !withoutSort.has(type.name));
}

/** The type as which PostgreSQL compares and sorts values of the type: jsonb for json, the enum for a domain over it. */
export function comparedType(type: ColumnType): ColumnType {
  if (type.element !== undefined) return type.element.family === 'json' ? arrayOf(jsonbType) : type;
  return type.family === 'json' ? jsonbType : (type.enumOf ?? type);
}

/** Families within which PostgreSQL compares values of different types. */
const mixing: ReadonlySet<TypeFamily> = new Set(['number', 'text', 'time', 'network']);

/** Types of those families that PostgreSQL does not compare with the others. */
const apart: ReadonlySet<string> = new Set(['money', 'time', 'timetz', 'macaddr', 'macaddr8']);

/** Whether PostgreSQL compares columns of these types with `=` without a cast. */
export function comparable(one: ColumnType, other: ColumnType): boolean {
  if (!hasEquality(one) || !hasEquality(other)) return false;
  if (one.sqlName === other.sqlName) return true;
  if (one.element && other.element) return one.element.sqlName === other.element.sqlName;
  if (apart.has(one.name) || apart.has(other.name)) return false;
  const textFamilies = new Set<TypeFamily>(['text', 'citext']);
  if (textFamilies.has(one.family) && textFamilies.has(other.family)) return true;
  return one.family === other.family && mixing.has(one.family);
}
