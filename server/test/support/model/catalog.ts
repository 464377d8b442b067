/** Catalogs for tests of resolve, made from a few words, without a database. */
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
  type CatalogRelation,
  type CatalogType,
  relationKey,
} from '../../../src/postgres/catalog/catalog-types.ts';

export interface HandRelation {
  /** Column to type: `int4`, `text[]`, `int4!` when it is not null. */
  readonly columns: Readonly<Record<string, string>>;
  readonly key?: readonly string[];
  /** `author_id -> author.id`, `a, b -> shop.other.c, d` (the table once, before the first column). */
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

/** `catalogOf({ author: { columns: { id: 'int4!' } }, 'shop.item': { ... } })`. */
export function catalogOf(
  relations: Readonly<Record<string, HandRelation>>,
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
        const made = relationOf(qualified, relation, oids);
        return [relationKey(made.schema, made.name), made];
      }),
    ),
    functions: new Map(),
    extensions: new Map(),
  };
}

function relationOf(qualified: string, hand: HandRelation, oids: ReadonlyMap<string, number>): CatalogRelation {
  const { schema, name } = split(qualified);
  return {
    schema,
    name,
    kind: 'table',
    comment: hand.comment,
    columns: Object.entries(hand.columns).map(([column, written], index): CatalogColumn => {
      const type = written.replace('!', '').replace(/^(.*)\[\]$/, '_$1');
      const oid = oids.get(type);
      if (oid === undefined) throw new Error(`no type ${type}`);
      return {
        name: column,
        position: index + 1,
        type: oid,
        nullable: !written.endsWith('!'),
        hasDefault: false,
        generated: false,
        identity: undefined,
        comment: hand.columnComments?.[column],
      };
    }),
    primaryKey: hand.key && { name: `${name}_pkey`, columns: hand.key },
    uniqueKeys: [],
    foreignKeys: (hand.foreign ?? []).map(foreignKeyOf),
    insertable: true,
    updatable: true,
    deletable: true,
  };
}

function foreignKeyOf(written: string): CatalogForeignKey {
  const [from = '', to = ''] = written.split('->').map((side) => side.trim());
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

/** Metadata of the default source with these tables, resolved against `catalog`. */
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

/** Throws when the model has no such table in its default source. */
export function tableIn(model: Model, qualified: string): Table {
  const { schema, name } = split(qualified);
  const table = model.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey(schema, name));
  if (table === undefined) throw new Error(`no table ${qualified}; ${JSON.stringify(model.inconsistencies)}`);
  return table;
}
