/**
 * A small model. Authors have articles, homepages in a remote schema, and invoices in another source. `user` may select some
 * columns of each table, `counter` may only count articles, `stranger` has no permissions.
 */

import { FieldName, RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import { buildSchema } from 'graphql';
import type { Model } from '../../../src/model/model.ts';
import { queryRoots, subscriptionRoots } from '../../../src/model/permissions/access.ts';
import { everyRow } from '../../../src/model/predicate/combinators.ts';
import { operatorNamed } from '../../../src/model/predicate/operators.ts';
import type {
  Cells,
  Column,
  DeleteAccess,
  InsertAccess,
  Predicate,
  Relationship,
  RemoteSchema,
  SelectAccess,
  Table,
  UpdateAccess,
} from '../../../src/model/types/table.ts';
import { relationKey } from '../../../src/postgres/catalog/catalog-types.ts';
import { columnType } from './draft.ts';
import { unlimited } from './model-defaults.ts';
import { plainColumn, writeDefaults } from './table-defaults.ts';

export const user = RoleName.parse('user');
export const counter = RoleName.parse('counter');
export const stranger = RoleName.parse('stranger');

/** A table with mutable maps. */
export interface OpenTable extends Table {
  readonly relationships: Map<string, Relationship>;
  readonly joins: Map<string, Table['joins'] extends ReadonlyMap<string, infer Join> ? Join : never>;
  readonly selectAccess: Map<RoleName, SelectAccess>;
  readonly insertAccess: Map<RoleName, InsertAccess>;
  readonly updateAccess: Map<RoleName, UpdateAccess>;
  readonly deleteAccess: Map<RoleName, DeleteAccess>;
}

export interface ModelFixture {
  readonly model: Model;
  readonly author: OpenTable;
  readonly article: OpenTable;
  readonly invoice: OpenTable;
  readonly people: RemoteSchema;
  /** The row rules of `user`. */
  readonly rules: { readonly author: Predicate; readonly article: Predicate };
}

/** Returns a new model at each call, because results are cached by model. */
export function modelFixture(): ModelFixture {
  const author = tableOf('default', 'author', {
    id: 'Int!',
    name: 'String',
    born: 'date',
    profile: 'jsonb',
    secret: 'String',
  });
  const article = tableOf('default', 'article', {
    id: 'Int!',
    title: 'String!',
    author_id: 'Int!',
    published: 'Boolean',
    rating: 'float8',
    words: 'bigint',
    tags: 'String[]',
  });
  const invoice = tableOf('billing', 'invoice', { number: 'uuid!', author_id: 'Int!', total: 'numeric!' });
  relate(author, 'array', 'articles', article, ['id', 'author_id'], true);
  relate(article, 'object', 'author', author, ['author_id', 'id'], false);
  const people = remoteSchema();
  addJoins(author, invoice, people);
  const rules = {
    author: compare(column(author, 'id'), { kind: 'session', name: 'x-service-user-id' }),
    article: compare(column(article, 'published'), { kind: 'constant', value: true }),
  };
  allow(author, user, ['id', 'name', 'profile'], rules.author, { limit: 10 });
  allow(article, user, ['id', 'title', 'author_id', 'published', 'rating', 'tags'], rules.article, {
    limit: 5,
    aggregations: true,
  });
  allow(invoice, user, ['number', 'author_id', 'total'], everyRow, { aggregations: true });
  allow(article, counter, [], everyRow, { aggregations: true });
  const model: Model = {
    version: 1,
    sources: new Map([sourceOf('default', [author, article]), sourceOf('billing', [invoice])]),
    actions: new Map(),
    outputJoins: new Map(),
    remoteSchemas: new Map([[people.name, people]]),
    roles: new Set([user, counter]),
    ...unlimited,
    traces: undefined,
    inconsistencies: [],
  };
  return { model, author, article, invoice, people, rules };
}

/** Returns the column with that GraphQL name. Throws if it does not exist. */
export function column(table: Table, field: string): Column {
  const found = table.columns.get(field);
  if (found === undefined) throw new Error(`no column ${field}`);
  return found;
}

/** Returns the relationship with that name. Throws if it does not exist. */
export function relationship(table: Table, name: string): Relationship {
  const found = table.relationships.get(name);
  if (found === undefined) throw new Error(`no relationship ${name}`);
  return found;
}

type Comparison = Extract<Predicate, { kind: 'compare' }>;

/** Returns the comparison of a column with an operator, by default `_eq`. */
export function compare(left: Column, right: Comparison['right'], name = '_eq'): Predicate {
  const operator = operatorNamed(name, left.type);
  if (operator === undefined) throw new Error(`no operator ${name}`);
  return { kind: 'compare', left: { column: left, cast: undefined }, operator, right };
}

/** Returns a table. Types are those of `columnType` in draft.ts, with `!` for not null. */
export function tableOf(source: string, name: string, types: Readonly<Record<string, string>>): OpenTable {
  const columns = Object.entries(types).map(([field, type]): Column => {
    const nullable = !type.endsWith('!');
    return {
      name: field,
      field,
      type: columnType(type.replace('!', '')),
      nullable,
      comment: undefined,
      ...plainColumn,
    };
  });
  const [first] = columns;
  return {
    source: SourceName.parse(source),
    schema: 'public',
    name,
    graphqlName: name,
    roots: { select: name, select_by_pk: `${name}_by_pk`, select_aggregate: `${name}_aggregate` },
    streamRoot: `${name}_stream`,
    connectionRoot: `${name}_connection`,
    comment: undefined,
    columns: new Map(columns.map((one) => [one.field, one])),
    columnsByName: new Map(columns.map((one) => [one.name, one])),
    primaryKey: first && [first],
    uniqueKeys: [],
    relationships: new Map(),
    joins: new Map(),
    selectAccess: new Map(),
    ...writeDefaults(name),
  };
}

export function relate(
  table: OpenTable,
  kind: Relationship['kind'],
  name: string,
  target: Table,
  [from, to]: readonly [string, string],
  nullable: boolean,
): void {
  const mapping = [{ from: column(table, from), to: column(target, to) }];
  table.relationships.set(name, {
    kind,
    name: FieldName.parse(name),
    target,
    mapping,
    nullable,
    comment: undefined,
    ...plainColumn,
  });
}

export function allow(
  table: OpenTable,
  role: RoleName,
  columns: readonly string[],
  filter: Predicate,
  { limit, aggregations = false }: { readonly limit?: number; readonly aggregations?: boolean } = {},
): void {
  const visible = new Set(columns.map((name) => column(table, name)));
  table.selectAccess.set(role, {
    columns: visible,
    filter,
    limit,
    aggregations,
    queryRoots: queryRoots(table, visible, aggregations),
    subscriptionRoots: subscriptionRoots(table, visible, aggregations),
  });
}

/** Restricts the cells of a column that the role sees. Returns all restrictions of the role. */
export function restrictCells(table: OpenTable, role: RoleName, name: string, seen: Predicate): Cells {
  const access = table.selectAccess.get(role);
  if (access === undefined) throw new Error(`role ${role} has no permission on ${table.name}`);
  const cells = new Map([...(access.cells ?? []), [column(table, name), seen] as const]);
  table.selectAccess.set(role, { ...access, cells });
  return cells;
}

function remoteSchema(): RemoteSchema {
  return {
    name: RemoteSchemaName.parse('people'),
    url: { template: 'http://127.0.0.1:1/graphql' },
    headers: [],
    forwardClientHeaders: false,
    timeoutMs: 1_000,
    upstream: buildSchema(`
      type Query { homepage(author: Int!, language: String): Homepage  motto: String }
      type Homepage { url: String  visits(since: String): Int }
    `),
  };
}

function addJoins(author: OpenTable, invoice: OpenTable, people: RemoteSchema): void {
  const keys = [column(author, 'id')];
  author.joins.set('homepage', {
    name: FieldName.parse('homepage'),
    keys,
    target: {
      kind: 'remote',
      remote: people,
      path: [{ field: 'homepage', arguments: { author: { kind: 'key', index: 0 } } }],
    },
  });
  author.joins.set('invoices', {
    name: FieldName.parse('invoices'),
    keys,
    target: { kind: 'table', shape: 'array', table: invoice, match: [column(invoice, 'author_id')] },
  });
}

function sourceOf(name: string, tables: readonly Table[]) {
  const source = SourceName.parse(name);
  const byKey = new Map(tables.map((table) => [relationKey(table.schema, table.name), table]));
  return [source, { name: source, tables: byKey }] as const;
}
