/** The stage of resolve for relationships of tables to other sources, remote schemas and actions. */
import type { JoinDefinition, RemoteRelationship } from '@joinery/metadata/schema/relationships';
import type { Steps } from '../../base/steps.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import { computedColumn } from '../predicate/context.ts';
import { typeText } from '../predicate/key-types.ts';
import { choice } from '../remote/arguments.ts';
import type { ColumnType, TypeFamily } from '../types/column-type.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type { Column, TableJoin } from '../types/table.ts';
import { fieldNames, hasAggregate, type JoinOwner, qualified, resolveJoin } from './join-target.ts';

/** Fills `joins` of every table. Reports and leaves out invalid relationships. */
export function* resolveTableJoins(draft: Draft): Steps<void> {
  for (const [sourceIndex, source] of draft.input.metadata.sources.entries()) {
    for (const [tableIndex, entry] of source.tables.entries()) {
      yield;
      const table = draft.sources.get(source.name)?.tables.get(relationKey(entry.table.schema, entry.table.name));
      const owner = table && ownerOf(table);
      for (const [index, written] of (entry.remote_relationships ?? []).entries()) {
        yield;
        const problems: string[] = [];
        const join = table && owner && resolveOne(draft, table, owner, written, problems);
        if (join !== undefined && problems.length === 0) {
          table?.joins.set(join.name, join);
          continue;
        }
        const place = `table ${qualified(entry.table)} in source ${source.name}`;
        if (table === undefined) problems.push(`${place} was dropped or could not be read; fix it first`);
        draft.report({
          type: 'remote_relationship',
          name: `remote_relationship ${written.name} in ${place}`,
          path: `$.sources[${sourceIndex}].tables[${tableIndex}].remote_relationships[${index}]`,
          code: 'invalid-configuration',
          reason: `remote relationship "${written.name}": ${problems.join('; ')}`,
          definition: written,
        });
      }
    }
  }
}

/** The relationship, or undefined after adding to `problems`. */
function resolveOne(
  draft: Draft,
  table: DraftTable,
  owner: JoinOwner<Column>,
  written: RemoteRelationship,
  problems: string[],
): TableJoin | undefined {
  const join = resolveJoin(draft, written.name, definitionOf(written), owner, problems);
  for (const name of fieldNames(written.name, join !== undefined && hasAggregate(join))) {
    const taken = takenBy(table, name);
    if (taken !== undefined) problems.push(`the table has ${taken} "${name}" already; choose another name`);
  }
  return join;
}

/** The definition of a relationship. Older forms have `hasura_fields` for the columns. */
function definitionOf(written: RemoteRelationship): JoinDefinition {
  const definition = 'definition' in written ? written.definition : written;
  if (!('hasura_fields' in definition)) return definition;
  const { remote_schema, hasura_fields, remote_field } = definition;
  return { to_remote_schema: { remote_schema, lhs_fields: hasura_fields, remote_field } };
}

/** The kind of the field that already has the name in `table`; undefined if none has. */
function takenBy(table: DraftTable, name: string): string | undefined {
  if (table.columns.has(name)) return 'a column';
  if (table.relationships.has(name)) return 'a relationship';
  if (table.computedFields.has(name)) return 'a computed field';
  if (table.joins.has(name)) return 'a remote relationship';
  const base = name.replace(/_aggregate$/, '');
  if (table.relationships.get(base)?.kind === 'array') return 'the aggregate of a relationship';
  const join = table.joins.get(base);
  return join !== undefined && hasAggregate(join) ? 'the aggregate of a remote relationship' : undefined;
}

/** The keys of a table: its columns, and computed fields that need no arguments of the caller. */
function ownerOf(table: DraftTable): JoinOwner<Column> {
  const computed = [...table.computedFields.keys()].flatMap((name): [string, Column][] => {
    const column = computedColumn(table, name);
    return column === undefined ? [] : [[name, column]];
  });
  return {
    noun: 'column',
    keys: new Map([...computed, ...table.columnsByName]),
    missing: (name) => `table ${qualified(table)} has no column "${name}"${choice(table.columnsByName.keys())}`,
    mismatch: (key, other) => {
      if (other.what === 'column' && other.type.enumeration !== undefined) {
        return `column "${other.name}" has the values of an enum table, and nothing can be joined to those`;
      }
      if (comparable(key.type, other.type)) return undefined;
      return `column "${key.name}" has type ${typeText(key.type)} and ${other.what} "${other.name}" has type ${typeText(other.type)}; the two cannot be compared`;
    },
  };
}

/** Families whose types PostgreSQL compares with each other. */
const uniform: ReadonlySet<TypeFamily> = new Set(['boolean', 'number', 'text', 'citext', 'uuid', 'jsonb', 'bytes']);

function comparable(from: ColumnType, to: ColumnType): boolean {
  if (from.family === 'json' || from.name === 'xml') return false;
  if (from.element !== undefined && to.element !== undefined) return comparable(from.element, to.element);
  if (from.family !== to.family) return isText(from) && isText(to);
  if (from.family === 'time') return from.name === to.name || (isTimestamp(from) && isTimestamp(to));
  return uniform.has(from.family) || from.name === to.name;
}

function isText({ family }: ColumnType): boolean {
  return family === 'text' || family === 'citext';
}

function isTimestamp({ name }: ColumnType): boolean {
  return name === 'timestamp' || name === 'timestamptz';
}
