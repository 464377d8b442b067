/** Tracked tables that are in no schema, because GraphQL does not permit their names. */
import { isGraphqlName, suggestedName } from '@joinery/metadata/graphql-names';
import type { Table } from '../types/table.ts';
import { typeName } from './source-names.ts';

type Named = Pick<
  Table,
  | 'graphqlName'
  | 'typeSuffix'
  | 'convention'
  | 'roots'
  | 'streamRoot'
  | 'connectionRoot'
  | 'mutationRoots'
  | 'columns'
  | 'columnsByName'
>;

/** Returns why the table is in no schema and how to add it; undefined for other tables. `base` is from `baseName`. */
export function whyHidden(table: Named, base: string): string | undefined {
  const cause = causeOf(table, base);
  return (
    cause &&
    `${cause.what}, so the table, relationships to it and functions that return its rows are in no schema; ${cause.remedy}`
  );
}

interface Cause {
  readonly what: string;
  readonly remedy: string;
}

function causeOf(table: Named, base: string): Cause | undefined {
  const invalid = namesOf(table).find(([, name]) => !isGraphqlName(name));
  if (invalid !== undefined && !isGraphqlName(base)) {
    const suggested = suggestedName(base);
    const example = suggested === undefined ? '' : ` such as "${suggested}"`;
    return { what: `"${base}" is not a GraphQL name`, remedy: `set a custom_name${example} in its configuration` };
  }
  if (invalid !== undefined) {
    const [kind, name] = invalid;
    const affixes = kind === 'type' ? 'type_names' : 'root_fields';
    return {
      what: `the name "${name}" of a ${kind} of it is not a GraphQL name`,
      remedy: `set other ${affixes} in the customization of the source, or a custom_name for the table`,
    };
  }
  if (table.columnsByName.size === 0) {
    return { what: 'it has no column with a type of GraphQL', remedy: 'add a column, or untrack the table' };
  }
  if (table.columns.size > 0) return undefined;
  return {
    what: 'none of its columns has a GraphQL name',
    remedy: 'set a custom_name for columns in column_config of its configuration',
  };
}

function namesOf(table: Named): readonly (readonly [kind: 'type' | 'root field', name: string])[] {
  const { roots, streamRoot, connectionRoot, mutationRoots } = table;
  const fields = [...Object.values(roots), streamRoot, connectionRoot, ...Object.values(mutationRoots)];
  return [['type', typeName(table)], ...fields.map((name) => ['root field', name] as const)];
}
