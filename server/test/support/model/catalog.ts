/** Catalogs for tests of `resolve`, built from short descriptions without a database. */
import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, type SourceName } from '@joinery/metadata/names';
import type { ServiceError } from '../../../src/base/errors.ts';
import type { Model } from '../../../src/model/model.ts';
import { resolve } from '../../../src/model/resolve.ts';
import type { ResolveInput } from '../../../src/model/types/draft.ts';
import type { Table } from '../../../src/model/types/table.ts';
import {
  type Catalog,
  type CatalogColumn,
  type CatalogForeignKey,
  type CatalogFunction,
  type CatalogRelation,
  type CatalogType,
  relationKey,
} from '../../../src/postgres/catalog/catalog-types.ts';

export interface RelationSpec {
  /** Types by column: `int4`, `text[]`, `int4!` (not null). */
  readonly columns: Readonly<Record<string, string>>;
  readonly key?: readonly string[];
  /** `author_id -> author.id` or `a, b -> shop.other.c, d` (the table only before the first column). */
  readonly foreign?: readonly string[];
  readonly comment?: string;
  readonly columnComments?: Readonly<Record<string, string>>;
}

export function typeOf(oid: number, name: string, more: Partial<CatalogType> = {}): CatalogType {
  return {
    oid,
    schema: 'pg_catalog',
    name,
    kind: 'base',
    category: 'U',
    sqlName: name,
    labels: [],
    baseType: undefined,
    elementType: undefined,
    extension: undefined,
    ...more,
  };
}

/** A stable function of the schema public without arguments. */
export function functionOf(name: string, more: Partial<CatalogFunction> = {}): CatalogFunction {
  return {
    ...{ schema: 'public', name, oid: 900, volatility: 'stable', arguments: [], variadic: false },
    ...{ returnsSet: false, returnType: 0, returnsRelation: undefined, comment: undefined },
    ...more,
  };
}

const builtIn = [
  'bool',
  'int2',
  'int4',
  'int8',
  'float4',
  'float8',
  'numeric',
  'text',
  'varchar',
  'date',
  'timestamptz',
]
  .concat(['uuid', 'json', 'jsonb', 'point', 'money', 'name'])
  .map((name, index) => typeOf(100 + index, name));

/** Returns a catalog, as in `catalogOf({ author: { columns: { id: 'int4!' } }, 'shop.item': { ... } })`. */
export function catalogOf(
  relations: Readonly<Record<string, RelationSpec>>,
  more: readonly CatalogType[] = [],
): Catalog {
  const scalars = [...builtIn, ...more];
  const arrays = scalars.map((type) =>
    typeOf(1000 + type.oid, `_${type.name}`, { kind: 'array', sqlName: `${type.sqlName}[]`, elementType: type.oid }),
  );
  const types = new Map([...scalars, ...arrays].map((type) => [type.oid, type]));
  const oids = new Map([...types.values()].map((type) => [type.name, type.oid]));
  return {
    version: 180_000,
    types,
    relations: new Map(
      Object.entries(relations).map(([qualified, relation]) => {
        const built = relationOf(qualified, relation, oids);
        return [relationKey(built.schema, built.name), built];
      }),
    ),
    functions: new Map(),
    extensions: new Map(),
  };
}

function relationOf(qualified: string, spec: RelationSpec, oids: ReadonlyMap<string, number>): CatalogRelation {
  const { schema, name } = split(qualified);
  return {
    schema,
    name,
    kind: 'table',
    comment: spec.comment,
    columns: Object.entries(spec.columns).map(([column, typeText], index): CatalogColumn => {
      const type = typeText.replace('!', '').replace(/^(.*)\[\]$/, '_$1');
      const oid = oids.get(type);
      if (oid === undefined) throw new Error(`unknown type ${type}`);
      return {
        name: column,
        position: index + 1,
        type: oid,
        nullable: !typeText.endsWith('!'),
        hasDefault: false,
        generated: false,
        identity: undefined,
        comment: spec.columnComments?.[column],
      };
    }),
    primaryKey: spec.key && { name: `${name}_pkey`, columns: spec.key },
    uniqueKeys: [],
    foreignKeys: (spec.foreign ?? []).map(foreignKeyOf),
    insertable: true,
    updatable: true,
    deletable: true,
  };
}

function foreignKeyOf(text: string): CatalogForeignKey {
  const [from = '', to = ''] = text.split('->').map((side) => side.trim());
  const [first = '', ...rest] = to.split(',').map((one) => one.trim());
  const at = first.lastIndexOf('.');
  const { schema, name } = split(first.slice(0, at));
  return {
    name: `${from} fkey`,
    columns: from.split(',').map((one) => one.trim()),
    foreignSchema: schema,
    foreignTable: name,
    foreignColumns: [first.slice(at + 1), ...rest],
  };
}

function split(qualified: string): { readonly schema: string; readonly name: string } {
  const at = qualified.indexOf('.');
  return at < 0
    ? { schema: 'public', name: qualified }
    : { schema: qualified.slice(0, at), name: qualified.slice(at + 1) };
}

/** Resolves metadata with these tables in the default source against `catalog`. */
export function resolveTables(tables: readonly unknown[], catalog: Catalog | ServiceError): Model {
  return resolveSources([{ name: 'default', tables }], new Map([[DEFAULT_SOURCE, catalog]]));
}

export function resolveSources(
  sources: readonly unknown[],
  catalogs: ReadonlyMap<SourceName, Catalog | ServiceError>,
  more: Partial<ResolveInput> = {},
): Model {
  return resolve({
    version: 7,
    metadata: Metadata.parse({ version: 3, sources }),
    catalogs,
    upstreams: new Map(),
    environment: {},
    sessionPrefix: 'x-service-',
    ...more,
  });
}

/** Returns a table of the default source. Throws if it does not exist. */
export function tableIn(model: Model, qualified: string): Table {
  const { schema, name } = split(qualified);
  const table = model.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey(schema, name));
  if (table === undefined) throw new Error(`no table ${qualified}; ${JSON.stringify(model.inconsistencies)}`);
  return table;
}
