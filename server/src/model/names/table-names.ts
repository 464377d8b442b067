/** The GraphQL names of tables, and the check that they are unique. */
import type { TableConfiguration } from '@joinery/metadata/schema/tables';
import type { NamingConvention } from '../types/naming.ts';
import type { Source } from '../types/source.ts';
import type { MutationKind, RootKind, SubscriptionRootKind, Table } from '../types/table.ts';
import { camelCase, upperFirst } from './naming-convention.ts';
import { typeName } from './source-names.ts';

/** The custom name, or `author`, or `shop_author` outside of the schema public. It may be no valid GraphQL name. */
export function baseName(schema: string, name: string, configuration: TableConfiguration | undefined): string {
  return configuration?.custom_name ?? (schema === 'public' ? name : `${schema}_${name}`);
}

/** `author`, `author_by_pk`, `author_aggregate`, unless the configuration sets other names. */
export function rootNames(
  base: string,
  configuration: TableConfiguration | undefined,
  convention?: NamingConvention,
): Record<RootKind, string> {
  const custom = customRoots(configuration);
  const own = shownBase(base, configuration, convention);
  return {
    select: custom('select') ?? own,
    select_by_pk: custom('select_by_pk') ?? (convention ? `${own}ByPk` : `${own}_by_pk`),
    select_aggregate: custom('select_aggregate') ?? (convention ? `${own}Aggregate` : `${own}_aggregate`),
  };
}

/** A custom name is not changed. */
function shownBase(base: string, configuration: TableConfiguration | undefined, convention?: NamingConvention): string {
  return convention === undefined || configuration?.custom_name ? base : camelCase(base);
}

/** `author_stream`. */
export function streamRootName(
  base: string,
  configuration: TableConfiguration | undefined,
  convention?: NamingConvention,
): string {
  const own = shownBase(base, configuration, convention);
  return customRoots(configuration)('select_stream') ?? (convention ? `${own}Stream` : `${own}_stream`);
}

/** `author_connection`, which no configuration changes. */
export function connectionRootName(
  base: string,
  configuration: TableConfiguration | undefined,
  convention?: NamingConvention,
): string {
  return `${shownBase(base, configuration, convention)}${convention ? 'Connection' : '_connection'}`;
}

export function mutationRootNames(
  base: string,
  configuration: TableConfiguration | undefined,
  convention?: NamingConvention,
): Record<MutationKind, string> {
  const custom = customRoots(configuration);
  if (convention !== undefined) {
    const own = upperFirst(shownBase(base, configuration, convention));
    return {
      insert: custom('insert') ?? `insert${own}`,
      insert_one: custom('insert_one') ?? `insert${own}One`,
      update: custom('update') ?? `update${own}`,
      update_by_pk: custom('update_by_pk') ?? `update${own}ByPk`,
      update_many: custom('update_many') ?? `update${own}Many`,
      delete: custom('delete') ?? `delete${own}`,
      delete_by_pk: custom('delete_by_pk') ?? `delete${own}ByPk`,
    };
  }
  return {
    insert: custom('insert') ?? `insert_${base}`,
    insert_one: custom('insert_one') ?? `insert_${base}_one`,
    update: custom('update') ?? `update_${base}`,
    update_by_pk: custom('update_by_pk') ?? `update_${base}_by_pk`,
    update_many: custom('update_many') ?? `update_${base}_many`,
    delete: custom('delete') ?? `delete_${base}`,
    delete_by_pk: custom('delete_by_pk') ?? `delete_${base}_by_pk`,
  };
}

function customRoots(
  configuration: TableConfiguration | undefined,
): (root: SubscriptionRootKind | MutationKind) => string | undefined {
  return (root) => {
    const written = configuration?.custom_root_fields?.[root];
    return (typeof written === 'string' ? written : written?.name) ?? undefined;
  };
}

const ownTypes = ['query_root', 'mutation_root', 'subscription_root', 'order_by', 'cursor_ordering'];
const scalars = ['Int', 'Float', 'String', 'Boolean', 'ID'];

/** The suffixes of the types that every table has. */
const typeSuffixes = [
  ...['', '_aggregate', '_aggregate_fields', '_bool_exp', '_order_by', '_select_column'],
  ...['_stream_cursor_input', '_stream_cursor_value_input'],
];

/** The names in use in the schema. The first table with a name gets it. */
export interface NameRegister {
  /** Registers all names of the table. If one is in use, registers none and returns the reason. */
  claim(table: Table, owner: string, namespace?: string): string | undefined;
}

/** `columnScalars` are the scalars of all columns, whose names tables cannot have; nor those of the namespaces of `sources`. */
export function nameRegister(
  columnScalars: ReadonlySet<string>,
  sources: Iterable<Pick<Source, 'name' | 'namespace'>> = [],
): NameRegister {
  const types = new Map<string, string>();
  for (const name of ownTypes) types.set(name, 'the service itself');
  for (const name of [...scalars, ...columnScalars]) types.set(name, `the scalar type ${name}`);
  const roots = new Map<string, string>();
  const mutations = new Map<string, string>();
  for (const { name, namespace } of sources) {
    if (namespace === undefined) continue;
    for (const type of Object.values(namespace.types)) types.set(type, `the namespace of source "${name}"`);
    for (const fields of [roots, mutations]) fields.set(namespace.name, `the namespace of source "${name}"`);
  }
  return {
    claim: (table, owner, namespace) => {
      const ownTypes = typeSuffixes.map((suffix) => typeName(table, suffix));
      // A space cannot be part of a name.
      const inNamespace = (root: string) => (namespace === undefined ? root : `${namespace} ${root}`);
      const ownRoots = rootsOf(table).map(inNamespace);
      const ownMutations = mutationsOf(table).map(inNamespace);
      const takenType = ownTypes.find((name) => types.has(name));
      if (takenType !== undefined) {
        return `the type name "${takenType}" is taken by ${types.get(takenType)}; set a custom_name`;
      }
      const takenRoot = ownRoots.find((name, index) => roots.has(name) || ownRoots.indexOf(name) !== index);
      if (takenRoot !== undefined) {
        const taker = roots.get(takenRoot) ?? 'another root field of the table';
        return `the root field "${takenRoot.replace(' ', '.')}" is taken by ${taker}; set other custom_root_fields or a custom_name`;
      }
      const takenMutation = ownMutations.find(
        (name, index) => mutations.has(name) || ownMutations.indexOf(name) !== index,
      );
      if (takenMutation !== undefined) {
        const taker = mutations.get(takenMutation) ?? 'another mutation of the table';
        return `the mutation "${takenMutation.replace(' ', '.')}" is taken by ${taker}; set other custom_root_fields or a custom_name`;
      }
      for (const name of ownTypes) types.set(name, owner);
      for (const name of ownRoots) roots.set(name, owner);
      for (const name of ownMutations) mutations.set(name, owner);
      return undefined;
    },
  };
}

/** The query root fields. `select_by_pk` needs a primary key. */
function rootsOf({ roots, primaryKey }: Table): readonly string[] {
  const names = [roots.select, roots.select_aggregate];
  return primaryKey === undefined ? names : [...names, roots.select_by_pk];
}

/** The mutation root fields that PostgreSQL permits. */
function mutationsOf({ mutationRoots: roots, primaryKey, insertable, updatable, deletable }: Table): readonly string[] {
  const keyed = primaryKey !== undefined;
  return [
    ...(insertable ? [roots.insert, roots.insert_one] : []),
    ...(updatable ? [roots.update, roots.update_many, ...(keyed ? [roots.update_by_pk] : [])] : []),
    ...(deletable ? [roots.delete, ...(keyed ? [roots.delete_by_pk] : [])] : []),
  ];
}
