/** Relationships of output objects to tables. A bad one is dropped alone; the type and its actions stay. */
import type { ObjectType, ActionRelationship as WrittenRelationship } from '@joinery/metadata/actions';
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { relationKey } from '../postgres/catalog-types.ts';
import type { ActionRelationship, OutputField, OutputNamed, OutputObject } from './action-model.ts';
import type { Draft } from './draft.ts';
import { keyMismatch } from './key-types.ts';
import type { Table } from './table-model.ts';
import { isList, namedIn, printType } from './type-expression.ts';

type Mapping = ActionRelationship['mapping'][number];

/** Adds the sound ones of `written` to `object` and reports the others. `path` is that of the written type. */
export function resolveRelationships(
  draft: Draft,
  object: OutputObject & { readonly relationships: Map<string, ActionRelationship> },
  written: ObjectType,
  path: string,
): void {
  const names = new Set<string>(object.fields.keys());
  const reported = new Set<string>();
  written.relationships?.forEach((relationship, index) => {
    const problems = nameProblems(relationship, names);
    const table = tableOf(draft, relationship);
    if (typeof table === 'string') problems.push(table);
    const mapping = typeof table === 'string' ? [] : mappingOf(object, relationship, table, problems);
    if (problems.length > 0 || typeof table === 'string') {
      const again = reported.has(relationship.name) || names.has(relationship.name) ? ` at ${index}` : '';
      reported.add(relationship.name);
      draft.report({
        type: 'action_relationship',
        name: `relationship ${relationship.name} of object type ${object.name}${again}`,
        path: `${path}.relationships[${index}]`,
        code: 'invalid-configuration',
        reason: `relationship "${relationship.name}" of object type "${object.name}": ${problems.join('; ')}`,
        definition: relationship,
      });
      return;
    }
    for (const field of fieldNames(relationship)) names.add(field);
    object.relationships.set(relationship.name, { name: relationship.name, kind: relationship.type, table, mapping });
  });
}

/** An array relationship brings a field for its aggregate as well. */
function fieldNames(relationship: WrittenRelationship): string[] {
  const { name, type } = relationship;
  return type === 'array' ? [name, `${name}_aggregate`] : [name];
}

function nameProblems(relationship: WrittenRelationship, names: ReadonlySet<string>): string[] {
  return fieldNames(relationship)
    .filter((name) => names.has(name))
    .map((name) => `the type has a field or relationship "${name}" already; choose another name`);
}

function tableOf(draft: Draft, relationship: WrittenRelationship): Table | string {
  const sourceName = relationship.source ?? DEFAULT_SOURCE;
  const source = draft.sources.get(sourceName);
  if (source === undefined) {
    return `source "${sourceName}" is not there or could not be read; name a source of the metadata`;
  }
  const { schema, name } = relationship.remote_table;
  const table = source.tables.get(relationKey(schema, name));
  return table ?? `table "${schema}.${name}" is not tracked in source "${sourceName}"; track it first`;
}

function mappingOf(
  object: OutputObject,
  relationship: WrittenRelationship,
  table: Table,
  problems: string[],
): readonly Mapping[] {
  return Object.entries(relationship.field_mapping).flatMap(([fieldName, columnName]): Mapping[] => {
    const from = object.fields.get(fieldName);
    const to = table.columnsByName.get(columnName);
    if (from === undefined) {
      problems.push(`field_mapping: the type has no field "${fieldName}"; map one of ${listed(object.fields.keys())}`);
    }
    if (to === undefined) {
      const columns = listed(table.columnsByName.keys());
      problems.push(
        `field_mapping: table "${table.schema}.${table.name}" has no column "${columnName}"; use one of ${columns}`,
      );
    }
    if (from === undefined || to === undefined) return [];
    const problem = fieldProblem(from) ?? keyMismatch(namedIn(from.type), to.type);
    if (problem === undefined) return [{ from, to }];
    problems.push(`field_mapping: "${fieldName}" cannot be mapped to column "${columnName}": ${problem}`);
    return [];
  });
}

function fieldProblem(field: OutputField): string | undefined {
  if (isList(field.type)) {
    const type = printType<OutputNamed>(field.type, (named) => named.name);
    return `the field is a list (${type}), and a key is a single value`;
  }
  if (namedIn(field.type).kind === 'object') return 'the field is an object, and a key is a scalar or an enum';
  return undefined;
}

/** At most ten names, so that a message stays readable. */
function listed(names: Iterable<string>): string {
  const all = [...names].map((name) => `"${name}"`);
  return all.length > 10 ? `${all.slice(0, 10).join(', ')} ...` : all.join(', ');
}
