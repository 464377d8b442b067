/**
 * Root types whose fields are created when a request uses them. A role with 300 tables has 3,000 root fields, which take 60 ms
 * and 5 MB together; a request uses a few.
 */
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  type GraphQLFieldMap,
  type GraphQLNamedType,
  GraphQLObjectType,
} from 'graphql';
import type { Model } from '../model/model.ts';
import type { Table } from '../model/types/table.ts';
import { ListedObject, referencedBy } from './lazy-schema.ts';
import type { TypeRegistry } from './registry.ts';
import { type AllRoots, allRoots, otherRoots } from './roots.ts';
import { tableMutations } from './tables/mutation-roots.ts';
import { tableQueries } from './tables/query-roots.ts';
import { tableStreams, tableSubscriptions } from './tables/subscription-roots.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;
type Kind = 'query' | 'mutation' | 'subscription';

/** The root fields of a schema, and the types that they refer to. */
export interface RootTypes {
  readonly query: GraphQLObjectType;
  /** Undefined without fields. */
  readonly mutation: GraphQLObjectType | undefined;
  readonly subscription: GraphQLObjectType | undefined;
  /** Types that no field refers to. */
  readonly types: readonly GraphQLNamedType[];
  /** Creates the types that a type of this name may be among. */
  readonly prepare: (name: string) => void;
}

/** An object type that creates its fields one by one, or all when they are listed. */
export class LazyRootType extends GraphQLObjectType {
  readonly #fields: GraphQLFieldMap<unknown, unknown>;

  constructor(
    config: { name: string; description?: string },
    one: (name: string) => Field | undefined,
    all: () => Fields,
  ) {
    super({ ...config, fields: {} });
    this.#fields = lazyFields(config.name, one, all);
  }

  override getFields(): GraphQLFieldMap<unknown, unknown> {
    return this.#fields;
  }
}

type Field = GraphQLFieldConfig<unknown, unknown>;

function lazyFields(
  type: string,
  one: (name: string) => Field | undefined,
  all: () => Fields,
): GraphQLFieldMap<unknown, unknown> {
  const created: GraphQLFieldMap<unknown, unknown> = Object.create(null);
  // In order, once all have been created.
  const complete: GraphQLFieldMap<unknown, unknown> = Object.create(null);
  let isComplete = false;
  const find = (name: string | symbol) => {
    if (typeof name === 'symbol' || isComplete) return Reflect.get(complete, name);
    const known = created[name];
    if (known !== undefined) return known;
    const config = one(name);
    if (config === undefined) return undefined;
    const field = define(type, { [name]: config })[name];
    if (field !== undefined) created[name] = field;
    return field;
  };
  const completed = () => {
    if (isComplete) return complete;
    Object.assign(complete, define(type, all()), { ...created });
    isComplete = true;
    return complete;
  };
  return new Proxy(complete, {
    get: (_target, name) => find(name),
    has: (_target, name) => find(name) !== undefined,
    ownKeys: () => Reflect.ownKeys(completed()),
    getOwnPropertyDescriptor: (_target, name) => Reflect.getOwnPropertyDescriptor(completed(), name),
  });
}

function define(type: string, fields: Fields): GraphQLFieldMap<unknown, unknown> {
  return new GraphQLObjectType({ name: type, fields }).getFields();
}

/** The tables by the names of their root fields, and of their types. */
interface TableIndex {
  readonly query: ReadonlyMap<string, Table>;
  readonly mutation: ReadonlyMap<string, Table>;
  readonly stream: ReadonlyMap<string, Table>;
  readonly type: ReadonlyMap<string, readonly Table[]>;
}

const indexes = new WeakMap<Model, TableIndex | undefined>();

/** Undefined where two tables use one name: then the last of all fields counts. */
function tableIndex(model: Model): TableIndex | undefined {
  if (indexes.has(model)) return indexes.get(model);
  const built = buildIndex(model);
  indexes.set(model, built);
  return built;
}

function buildIndex(model: Model): TableIndex | undefined {
  const index = { query: new Map(), mutation: new Map(), stream: new Map(), type: new Map<string, Table[]>() };
  for (const { tables } of model.sources.values()) {
    for (const table of tables.values()) {
      if (table.hidden) continue;
      const names: readonly (readonly [Map<string, Table>, readonly string[]])[] = [
        [index.query, Object.values(table.roots)],
        [index.mutation, Object.values(table.mutationRoots)],
        [index.stream, [table.streamRoot]],
      ];
      for (const [map, own] of names) {
        for (const name of own) {
          if (map.has(name)) return undefined;
          map.set(name, table);
        }
      }
      index.type.set(table.graphqlName, [...(index.type.get(table.graphqlName) ?? []), table]);
    }
  }
  return index;
}

/** `more`: further query fields. `none`: the query fields where there are no others. */
export function rootTypes(
  registry: TypeRegistry,
  types: ReadonlyMap<string, GraphQLNamedType>,
  more: Fields,
  none: Fields,
): RootTypes {
  const { model } = registry;
  const hasNamespace = [...model.sources.values()].some(({ namespace }) => namespace);
  const index = hasNamespace || registry.listed ? undefined : tableIndex(model);
  return index === undefined
    ? eagerRoots(registry, allRoots(registry), more, none)
    : lazyRoots(registry, types, index, more, none);
}

/** The root types of fields that exist already. */
export function eagerRoots({ listed }: TypeRegistry, roots: AllRoots, more: Fields, none: Fields): RootTypes {
  const type = (kind: Kind, fields: Fields) =>
    listed
      ? new ListedObject({ ...describedRoot(kind), fields })
      : new LazyRootType(
          describedRoot(kind),
          (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined),
          () => fields,
        );
  const optional = (kind: Kind) => (Object.keys(roots[kind]).length > 0 ? type(kind, roots[kind]) : undefined);
  const query = Object.keys(roots.query).length > 0 ? roots.query : none;
  return {
    query: type('query', { ...query, ...more }),
    mutation: optional('mutation'),
    subscription: optional('subscription'),
    types: roots.types,
    prepare: () => undefined,
  };
}

function describedRoot(kind: Kind): { name: string; description?: string } {
  return { name: `${kind}_root`, ...(kind === 'mutation' && { description: 'mutation root' }) };
}

function lazyRoots(
  registry: TypeRegistry,
  types: ReadonlyMap<string, GraphQLNamedType>,
  index: TableIndex,
  more: Fields,
  none: Fields,
): RootTypes {
  const others = otherRoots(registry);
  const { functions, native, actions, remote } = others;
  let all: AllRoots | undefined;
  const complete = () => {
    all ??= allRoots(registry, others);
    return all;
  };
  const find: Readonly<Record<Kind, (name: string) => Field | undefined>> = {
    query: (name) =>
      own(name, more, remote.query, actions.query, native, functions.query) ??
      ownOf(name, index.query, (table) => tableQueries(registry, table)),
    mutation: (name) =>
      own(name, remote.mutation, actions.mutation) ??
      ownOf(name, index.mutation, (table) => tableMutations(registry, table)) ??
      own(name, functions.mutation),
    subscription: (name) =>
      own(name, native, functions.query) ??
      ownOf(name, index.query, (table) => tableSubscriptions(registry, table)) ??
      ownOf(name, index.stream, (table) => tableStreams(registry, table)) ??
      own(name, actions.results),
  };
  const isUsed: Readonly<Record<Kind, boolean>> = {
    query:
      hasAny(remote.query, actions.query, native, functions.query) ||
      someTable(registry, (table) => hasAny(tableQueries(registry, table))),
    mutation:
      hasAny(remote.mutation, actions.mutation, functions.mutation) ||
      someTable(registry, (table) => hasAny(tableMutations(registry, table))),
    subscription:
      hasAny(native, functions.query, actions.results) ||
      someTable(registry, (table) => hasAny(tableSubscriptions(registry, table), tableStreams(registry, table))),
  };
  const type = (kind: Kind, extra: Fields = {}) =>
    new LazyRootType(describedRoot(kind), find[kind], () => ({ ...complete()[kind], ...extra }));
  const fewQueries = { ...none, ...more };
  return {
    query: isUsed.query
      ? type('query', more)
      : new LazyRootType(
          describedRoot('query'),
          (name) => own(name, fewQueries),
          () => fewQueries,
        ),
    mutation: isUsed.mutation ? type('mutation') : undefined,
    subscription: isUsed.subscription ? type('subscription') : undefined,
    types: [...actions.types, ...remote.types],
    prepare: (name) => prepareTypes(registry, types, index, name),
  };
}

/** The field of that name in the first of the maps that has it. */
function own(name: string, ...maps: readonly Fields[]): Field | undefined {
  for (const fields of maps) if (Object.hasOwn(fields, name)) return fields[name];
  return undefined;
}

function ownOf(name: string, tables: ReadonlyMap<string, Table>, create: (table: Table) => Fields): Field | undefined {
  const table = tables.get(name);
  return table && own(name, create(table));
}

function hasAny(...maps: readonly Fields[]): boolean {
  return maps.some((fields) => Object.keys(fields).length > 0);
}

function someTable({ model }: TypeRegistry, test: (table: Table) => boolean): boolean {
  return tablesOf(model).some(test);
}

function tablesOf({ sources }: Model): readonly Table[] {
  return [...sources.values()].flatMap(({ tables }) => [...tables.values()]);
}

/** Tables whose types are created to find a type that tables share, such as `Int_comparison_exp`. */
const TRIED_TABLES = 3;

/** Variables name types before the fields that refer to them have been created. The name of a table's type begins with its own. */
function prepareTypes(
  registry: TypeRegistry,
  types: ReadonlyMap<string, GraphQLNamedType>,
  index: TableIndex,
  name: string,
): void {
  for (let length = name.length; length > 0; length -= 1) {
    for (const table of index.type.get(name.slice(0, length)) ?? []) {
      createTypes(registry, types, table, name);
      if (types.has(name)) return;
    }
  }
  for (const table of tablesOf(registry.model).slice(0, TRIED_TABLES)) {
    createTypes(registry, types, table, name);
    if (types.has(name)) return;
  }
}

/** Creates the types whose names begin with that of the table, until `wanted` exists. */
function createTypes(
  registry: TypeRegistry,
  types: ReadonlyMap<string, GraphQLNamedType>,
  table: Table,
  wanted: string,
): void {
  const fields = [
    tableQueries(registry, table),
    tableMutations(registry, table),
    tableSubscriptions(registry, table),
    tableStreams(registry, table),
  ];
  if (types.has(wanted) || !hasAny(...fields)) return;
  const seen = new Set([...types.values()].filter(({ name }) => name.startsWith(table.graphqlName)));
  for (const type of seen) {
    for (const next of referencedBy(type)) if (next.name.startsWith(table.graphqlName)) seen.add(next);
    if (types.has(wanted)) return;
  }
}
