/** The stage of resolve for computed fields. */
import type { ComputedField as Written } from '@joinery/metadata/schema/functions';
import { ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import { type Catalog, type CatalogFunction, relationKey } from '../../postgres/catalog/catalog-types.ts';
import {
  draftTables,
  keyOf,
  plainName,
  reportComputedField,
  type WrittenTable,
} from '../inconsistencies/metadata-entries.ts';
import { plainNames } from '../names/source-names.ts';
import { baseName } from '../names/table-names.ts';
import { typeReader } from '../predicate/column-types.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type { ComputedField } from '../types/table.ts';
import { positionOf, readRoutine, reasonsText, sessionErrors } from './routines.ts';

/** Fills `computedFields` of every table. */
export function* resolveComputedFields(draft: Draft): Steps<void> {
  for (const { written, table } of draftTables(draft)) {
    yield;
    const catalog = draft.input.catalogs.get(table.source);
    if (catalog === undefined || catalog instanceof ServiceError) continue;
    const typeOf = typeReader(catalog.types);
    for (const [index, one] of (written.entry.computed_fields ?? []).entries()) {
      const resolved = resolveOne({ draft, written, table, catalog, typeOf }, one);
      if (typeof resolved === 'string') reportComputedField(draft, written, index, one, resolved);
      else table.computedFields.set(one.name, resolved);
    }
  }
}

interface Place {
  readonly draft: Draft;
  readonly written: WrittenTable;
  readonly table: DraftTable;
  readonly catalog: Catalog;
  readonly typeOf: (oid: number) => ColumnType | undefined;
}

/** The field, or why it cannot be added. */
function resolveOne(place: Place, one: Written): ComputedField | string {
  const { written, table, catalog, typeOf } = place;
  if (table.columns.has(one.name) || table.columnsByName.has(one.name)) {
    return 'field definition conflicts with postgres column';
  }
  const title = plainName(written.entry.table);
  const within = `in table "${title}": in computed field "${one.name}": `;
  if (table.relationships.has(one.name) || table.computedFields.has(one.name)) {
    return `${within}the table has another field of that name; choose another`;
  }
  const called = plainName(one.definition.function);
  const [found, second] = catalog.functions.get(keyOf(one.definition.function)) ?? [];
  if (found === undefined) return `${within}no such function exists: "${called}"`;
  if (second !== undefined) {
    return `${within}the function "${called}" is overloaded, and overloaded functions are not supported; give one another name`;
  }
  const { table_argument, session_argument } = one.definition;
  const result = resultOf(place, found, one);
  const reasons = [
    ...(found.volatility === 'volatile'
      ? [`the function "${called}" is of type VOLATILE; cannot be added as a computed field`]
      : []),
    ...rowErrors(place, found, table_argument),
    ...sessionErrors(found, session_argument, typeOf),
    ...(found.variadic ? [`the function "${called}" is variadic`] : []),
    ...(typeof result === 'string' ? [result] : []),
  ];
  const prefix = `${within}the computed field "${one.name}" cannot be added to table "${title}" `;
  if (reasons.length > 0 || typeof result === 'string') return prefix + reasonsText(reasons);
  const taken = { row: positionOf(found, table_argument) ?? 0, session: positionOf(found, session_argument) };
  const routine = readRoutine(found, taken, argumentsTypeOf(place, one), typeOf);
  if (typeof routine === 'string') return prefix + reasonsText([routine]);
  const comment = one.comment ?? found.comment;
  if (result.kind === 'rows') return { name: one.name, routine, comment, result };
  const column = {
    name: one.name,
    field: one.name,
    type: result.type,
    nullable: true,
    comment,
    hasDefault: true,
    writable: 'no',
    computed: routine,
  } as const;
  return { name: one.name, routine, comment, result: { kind: 'scalar', column } };
}

/** `<field>_<table>_args`, which the naming convention does not change, as in Hasura v2. */
function argumentsTypeOf({ draft, written, table }: Place, { name }: Written): string {
  const { typePrefix, typeSuffix } = draft.sources.get(table.source)?.names ?? plainNames;
  const base = baseName(table.schema, table.name, written.entry.configuration);
  return `${typePrefix}${name}_${base}_args${typeSuffix}`;
}

/** The errors of the argument that takes the row. */
function rowErrors(
  { table, catalog }: Place,
  found: CatalogFunction,
  named: string | null | undefined,
): readonly string[] {
  const argument = named ? found.arguments.find(({ name }) => name === named) : found.arguments[0];
  if (argument === undefined) {
    if (named) return [`"${named}" is not an input argument of the function "${found.name}"`];
    return [`the function "${found.name}" has no input arguments`];
  }
  const type = catalog.types.get(argument.type);
  if (type?.kind === 'composite' && type.schema === table.schema && type.name === table.name) return [];
  const which = named ? `"${named}" argument` : 'first argument';
  const errors = type?.kind === 'composite' ? [] : [`${which} of the function "${found.name}" is not COMPOSITE type`];
  const typeName = `${type?.schema}.${type?.name}`;
  return [
    ...errors,
    `${which} of the function "${found.name}" of type "${typeName}" is not the table to which the computed field is being added`,
  ];
}

type Result =
  | { readonly kind: 'scalar'; readonly type: ColumnType }
  | Extract<ComputedField['result'], { kind: 'rows' }>;

function resultOf({ draft, table, catalog, typeOf }: Place, found: CatalogFunction, one: Written): Result | string {
  const name = plainName(one.definition.function);
  const returned = catalog.types.get(found.returnType);
  const typeName = `${returned?.schema}.${returned?.name}`;
  const relation = found.returnsRelation;
  if (found.returnsSet) {
    if (relation === undefined)
      return `the function "${name}" returning SETOF type "${typeName}" is not supported; return rows of a table`;
    const target = draft.sources.get(table.source)?.tables.get(relationKey(relation.schema, relation.name));
    if (target !== undefined) return { kind: 'rows', table: target };
    return `the function "${name}" returning set of table "${plainName(relation)}" is not tracked`;
  }
  const type = typeOf(found.returnType);
  if (type === undefined || returned?.kind === 'composite' || returned?.kind === 'pseudo') {
    return `the function "${name}" returning type "${typeName}" is not a BASE type`;
  }
  return { kind: 'scalar', type };
}
