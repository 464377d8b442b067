/** The stage of resolve for tracked functions. */

import { isGraphqlName } from '@joinery/metadata/graphql-names';
import type { FunctionConfiguration } from '@joinery/metadata/schema/functions';
import { ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import { type Catalog, relationKey } from '../../postgres/catalog/catalog-types.ts';
import {
  keyOf,
  plainName,
  reportFunction,
  type WrittenFunction,
  whyNoTable,
  writtenFunctions,
  writtenSources,
} from '../inconsistencies/metadata-entries.ts';
import { camelCase } from '../names/naming-convention.ts';
import { plainNames } from '../names/source-names.ts';
import { baseName, rootNames } from '../names/table-names.ts';
import { takenNames } from '../names/taken-names.ts';
import { typeReader } from '../predicate/column-types.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Draft, DraftSource } from '../types/draft.ts';
import type { SourceNames } from '../types/naming.ts';
import type { TableFunction } from '../types/table.ts';
import { positionOf, readRoutine, reasonsText, sessionErrors } from './routines.ts';

interface Place {
  readonly draft: Draft;
  readonly source: DraftSource;
  readonly catalog: Catalog;
  readonly typeOf: (oid: number) => ColumnType | undefined;
}

/** Fills `functions` of every source. */
export function* resolveFunctions(draft: Draft): Steps<void> {
  const all = writtenSources(draft).flatMap(writtenFunctions);
  if (all.length === 0) return;
  const taken = takenNames(draft);
  const roots = new Map<string, string>();
  for (const { tables, namespace } of draft.sources.values()) {
    for (const { mutationRoots, name } of tables.values()) {
      for (const root of Object.values(mutationRoots)) roots.set(within(namespace, root), `table "${name}"`);
    }
  }
  for (const written of all) {
    yield;
    const source = draft.sources.get(written.source);
    const catalog = draft.input.catalogs.get(written.source);
    if (source === undefined || catalog === undefined || catalog instanceof ServiceError) {
      reportFunction(draft, written, `source "${written.source}" was dropped; fix it first`);
      continue;
    }
    const place: Place = { draft, source, catalog, typeOf: typeReader(catalog.types) };
    const made = resolveOne(place, written);
    const clash = typeof made === 'string' ? made : nameTaken(made, taken, roots, source);
    if (typeof made === 'string' || clash !== undefined) {
      reportFunction(draft, written, clash ?? '');
      continue;
    }
    if (made.table.hidden) {
      const table = plainName({ schema: made.table.schema, name: made.table.name });
      const reason = `table "${table}", whose rows it returns, is in no schema; fix that table first`;
      reportFunction(draft, written, reason, { accepted: true });
      continue;
    }
    const owner = `function "${plainName(written.entry.function)}"`;
    for (const root of Object.values(made.roots)) roots.set(within(source.namespace, root), owner);
    roots.set(made.routine.argumentsType, owner);
    source.functions.set(keyOf(written.entry.function), made);
  }
}

/** The key of a root field within its namespace. A space cannot be part of a name. */
function within(namespace: DraftSource['namespace'], root: string): string {
  return namespace === undefined ? root : `${namespace.name} ${root}`;
}

function nameTaken(
  { roots, routine }: TableFunction,
  taken: ReturnType<typeof takenNames>,
  functions: ReadonlyMap<string, string>,
  { namespace }: DraftSource,
): string | undefined {
  const own = Object.values(roots);
  for (const [index, root] of own.entries()) {
    const twin = own.indexOf(root) === index ? undefined : 'another root field of the function';
    const by = twin ?? taken.queryField(within(namespace, root)) ?? functions.get(within(namespace, root));
    if (by !== undefined) return `the root field "${root}" is taken by ${by}; set a custom_name or custom_root_fields`;
  }
  const by = taken.type(routine.argumentsType) ?? functions.get(routine.argumentsType);
  return by && `the type name "${routine.argumentsType}" is taken by ${by}; set a custom_name`;
}

/** `search_args`; `searchArgs` by the naming convention, which does not change a custom name. */
function argumentsTypeOf(
  base: string,
  { custom_name }: FunctionConfiguration,
  { typePrefix, typeSuffix, convention }: SourceNames,
): string {
  const own = convention === undefined ? `${base}_args` : `${custom_name ? base : camelCase(base)}Args`;
  return `${typePrefix}${own}${typeSuffix}`;
}

/** The function, or why it cannot be tracked. */
function resolveOne({ draft, source, catalog, typeOf }: Place, { entry }: WrittenFunction): TableFunction | string {
  const name = plainName(entry.function);
  const [found, second] = catalog.functions.get(keyOf(entry.function)) ?? [];
  if (found === undefined) return `no such function exists: "${name}"; create it, or untrack it`;
  if (second !== undefined) return `function "${name}" is overloaded. Overloaded functions are not supported`;
  const relation = found.returnsRelation;
  const table = relation && source.tables.get(relationKey(relation.schema, relation.name));
  const configuration = entry.configuration ?? {};
  const { names = plainNames } = source;
  const base = baseName(found.schema, found.name, { custom_name: configuration.custom_name });
  const reasons = [
    ...(found.variadic ? ['function with "VARIADIC" parameters are not supported'] : []),
    ...(relation === undefined ? ['the function does not return rows of a table'] : []),
    ...(relation !== undefined && table === undefined ? [whyNoTable(draft, source.name, relation)] : []),
    ...sessionErrors(found, configuration.session_argument, typeOf),
    ...(isGraphqlName(base) ? [] : [`"${base}" is not a GraphQL name; set a custom_name`]),
  ];
  const prefix = `the function "${name}" cannot be tracked `;
  if (reasons.length > 0 || table === undefined) return prefix + reasonsText(reasons);
  const routine = readRoutine(
    found,
    { session: positionOf(found, configuration.session_argument) },
    argumentsTypeOf(base, configuration, names),
    typeOf,
  );
  if (typeof routine === 'string') return prefix + reasonsText([routine]);
  const called = rootNames(base, { custom_name: configuration.custom_name }, names.convention);
  // As in Hasura v2, no convention changes what is named by a custom name.
  const aggregate = configuration.custom_name ? `${base}_aggregate` : called.select_aggregate;
  const exposedAs = configuration.exposed_as ?? (found.volatility === 'volatile' ? 'mutation' : 'query');
  if (found.volatility !== 'volatile' && exposedAs === 'mutation') {
    return (
      prefix + reasonsText([`it is ${found.volatility.toUpperCase()}, and only a volatile function can be a mutation`])
    );
  }
  return {
    source: source.name,
    routine,
    table,
    roots: {
      function: names.root(configuration.custom_root_fields?.function ?? called.select),
      function_aggregate: names.root(configuration.custom_root_fields?.function_aggregate ?? aggregate),
    },
    connectionRoot: names.root(`${called.select}_connection`),
    returnsSet: found.returnsSet,
    exposedAs,
    comment: entry.comment ?? found.comment,
    roles: new Set((entry.permissions ?? []).map(({ role }) => role)),
    inferred:
      exposedAs === 'query' && found.volatility !== 'volatile' && draft.input.inferFunctionPermissions !== false,
  };
}
