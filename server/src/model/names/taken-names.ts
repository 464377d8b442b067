/** Names in the GraphQL schema that sources use, which actions and remote schemas cannot have. */
import type { Draft } from '../types/draft.ts';
import { snakeCase } from './naming-convention.ts';
import { cursorOrderingName } from './source-names.ts';

const fixedNames: ReadonlySet<string> = new Set([
  'query_root',
  'mutation_root',
  'subscription_root',
  'order_by',
  'cursor_ordering',
  ...['st_d_within_input', 'st_d_within_geography_input'],
  ...['st_intersects_nband_geom_input', 'st_intersects_geom_nband_input'],
  // Conditions on aggregates and casts use these for columns of any type.
  ...['Int', 'Float', 'String', 'Boolean'].map((scalar) => `${scalar}_comparison_exp`),
]);

function fixedKind(name: string): 'enum' | 'input' | undefined {
  if (name.endsWith('_root')) return undefined;
  return name === 'order_by' || name === 'cursor_ordering' ? 'enum' : 'input';
}

/** Scalars that the operators of another scalar use. */
const companions: ReadonlyMap<string, readonly string[]> = new Map([
  ['geometry', ['geography']],
  ['geography', ['geometry']],
  ['raster', ['geometry']],
  ['ltree', ['lquery', 'ltxtquery']],
]);

/** The part after `<table>_` in the names of types of a tracked table. */
const tableTypeSuffix = new RegExp(
  `^(${[
    'aggregate(_fields|_order_by|_bool_exp(_.+)?)?',
    '(avg|sum|min|max|stddev|stddev_pop|stddev_samp|var_pop|var_samp|variance)_(fields|order_by)',
    'bool_exp',
    'order_by',
    'select_column(_.+)?',
    'stream_cursor_(value_)?input',
    '(insert|set|inc|append|prepend|delete_key|delete_elem|delete_at_path|pk_columns|(obj|arr)_rel_insert)_input',
    'mutation_response',
    'on_conflict',
    'constraint',
    'update_column',
    'updates',
  ].join('|')})$`,
);

/** The owners of names, such as `table "public.author" of source "default"`; undefined for a free name. */
export interface TakenNames {
  /** The owner of an object, input or enum type. */
  type(name: string): string | undefined;
  /** The owner of a name for a custom scalar, which may be that of columns. */
  scalar(name: string): string | undefined;
  /** The kind of a type that is the same for all roles: `order_by`, `Int_comparison_exp`, ...; undefined for other names. */
  common(name: string): 'enum' | 'input' | undefined;
  /** The owner of a field of the query root, or of a namespace (`shop author`). */
  queryField(name: string): string | undefined;
  /** The owner of a field of the mutation root or of a namespace. */
  mutationField(name: string): string | undefined;
}

/** The names that the sources of `draft` use. */
export function takenNames(draft: Draft): TakenNames {
  const bases = new Map<string, Map<string, string>>();
  /** Tables whose types are in Pascal case. */
  const pascal = new Map<string, string>();
  const basesOf = (suffix: string): Map<string, string> => {
    const known = bases.get(suffix) ?? new Map<string, string>();
    bases.set(suffix, known);
    return known;
  };
  const scalars = new Map<string, string>();
  const fields = new Map<string, string>();
  const mutations = new Map<string, string>();
  const types = new Map<string, string>();
  for (const source of draft.sources.values()) {
    const { namespace } = source;
    types.set(cursorOrderingName(source.names), 'the service itself');
    if (namespace !== undefined) {
      const owner = `the namespace of source "${source.name}"`;
      fields.set(namespace.name, owner);
      for (const type of Object.values(namespace.types)) types.set(type, owner);
    }
    for (const { roots, routine } of source.functions.values()) {
      const owner = `function "${routine.schema}.${routine.name}" of source "${source.name}"`;
      if (namespace === undefined) for (const root of Object.values(roots)) fields.set(root, owner);
      types.set(routine.argumentsType, owner);
    }
    for (const { table } of source.logicalModels.values()) {
      const owner = `logical model "${table.name}" of source "${source.name}"`;
      for (const type of Object.values(table.typeNames ?? {})) types.set(type, owner);
      for (const { type } of table.columns.values()) scalars.set(type.scalar, owner);
    }
    for (const { roots, native, graphqlName } of source.nativeQueries.values()) {
      const owner = `native query "${roots.select}" of source "${source.name}"`;
      fields.set(namespace === undefined ? roots.select : `${namespace.name} ${roots.select}`, owner);
      if (native !== undefined) types.set(native.argumentsType, owner);
      if (graphqlName === roots.select) types.set(graphqlName, owner);
    }
    for (const table of source.tables.values()) {
      if (table.hidden) continue;
      const owner = `table "${table.schema}.${table.name}" of source "${table.source}"`;
      // By suffix of the source, without which `author_bool_exp` is looked up.
      if (table.convention === undefined) basesOf(table.typeSuffix ?? '').set(table.graphqlName, owner);
      else pascal.set(table.graphqlName, owner);
      for (const field of Object.values(table.roots)) {
        fields.set(namespace === undefined ? field : `${namespace.name} ${field}`, owner);
      }
      const { insertable, updatable, deletable } = table;
      if (insertable || updatable || deletable) {
        for (const field of Object.values(table.mutationRoots)) {
          mutations.set(namespace === undefined ? field : `${namespace.name} ${field}`, owner);
        }
      }
      for (const { name, result, routine } of table.computedFields.values()) {
        types.set(routine.argumentsType, owner);
        if (result.kind === 'scalar') scalars.set(result.column.type.scalar, `computed field "${name}" of ${owner}`);
      }
      for (const column of table.columns.values()) {
        const { scalar } = column.type;
        for (const name of [scalar, ...(companions.get(scalar) ?? [])]) {
          scalars.set(name, `column "${column.name}" of ${owner}`);
        }
      }
    }
  }
  const byTable = (name: string) => {
    for (const [base, owner] of pascal) {
      const rest = name.slice(base.length);
      if (name.startsWith(base) && (rest === '' || tableTypeSuffix.test(snakeCase(rest)))) return owner;
    }
    for (const [suffix, owners] of bases) {
      if (!name.endsWith(suffix)) continue;
      const bare = name.slice(0, name.length - suffix.length);
      const owner = owners.get(bare) ?? ownerBySuffix(owners, bare);
      if (owner !== undefined) return owner;
    }
    return undefined;
  };
  const byComparison = (name: string) => {
    const compared = /^(.+?)(?:_array)?_(?:comparison|cast)_exp$/.exec(name)?.[1];
    return compared === undefined ? undefined : scalars.get(compared);
  };
  const scalar = (name: string) =>
    fixedNames.has(name) ? 'the service itself' : (byTable(name) ?? byComparison(name));
  return {
    type: (name) => scalar(name) ?? types.get(name) ?? scalars.get(name),
    scalar,
    common: (name) => {
      if (fixedNames.has(name)) return fixedKind(name);
      return byTable(name) === undefined && byComparison(name) !== undefined ? 'input' : undefined;
    },
    queryField: (name) => fields.get(name),
    mutationField: (name) => mutations.get(name),
  };
}

/** Tries every underscore as the start of the suffix, because names of tables may contain underscores. */
function ownerBySuffix(bases: ReadonlyMap<string, string>, name: string): string | undefined {
  for (let at = name.indexOf('_'); at > 0; at = name.indexOf('_', at + 1)) {
    const owner = bases.get(name.slice(0, at));
    if (owner !== undefined && tableTypeSuffix.test(name.slice(at + 1))) return owner;
  }
  return undefined;
}
