/** `pg_suggest_relationships`: relationships for the foreign keys between tracked tables. */

import {
  type SuggestedRelationship,
  type SuggestedRelationshipEnd,
  SuggestRelationships,
} from '@joinery/metadata/api/sources/catalog';
import { sameTable } from '@joinery/metadata/commands/edit/change';
import type { QualifiedTable } from '@joinery/metadata/names';
import { ServiceError } from '../../../base/errors.ts';
import { nameOfReferred, nameOfReferring } from '../../../model/names/relationship-names.ts';
import type { Source } from '../../../model/types/source.ts';
import type { Table } from '../../../model/types/table.ts';
import {
  type Catalog,
  type CatalogForeignKey,
  type CatalogRelation,
  relationKey,
} from '../../../postgres/catalog/catalog-types.ts';
import type { CommandResult, ServiceCommand } from '../../metadata/command-context.ts';
import { readCommand } from '../command.ts';

/** Each foreign key has two suggestions: to the referenced row, and back. */
export const suggestRelationships: ServiceCommand<CommandResult<'suggest_relationships'>> = readCommand(
  SuggestRelationships,
  ({ source, tables, omit_tracked }, progress) => {
    const { model, external } = progress.state;
    const known = model.sources.get(source);
    const catalog = external.catalogs.get(source);
    if (catalog instanceof ServiceError) throw catalog.under('$.args.source');
    if (known === undefined || catalog === undefined) {
      throw new ServiceError('not-exists', `source with name "${source}" does not exist`, { path: '$.args.source' });
    }
    const naming = createNaming();
    const relationships = [...known.tables.values()]
      .flatMap((table) => directionsOf(table, known, catalog))
      .filter(({ table }) => tables?.some((one) => sameTable(one, table)) ?? true)
      .flatMap((direction): SuggestedRelationship[] => {
        const existing = existingName(direction);
        if (existing !== undefined && omit_tracked === true) return [];
        return [{ type: direction.type, from: direction.from, to: direction.to, name: existing ?? naming(direction) }];
      });
    return { relationships };
  },
);

/** Returns both directions of each foreign key of the table that references a tracked table. */
function directionsOf(table: Table, { tables }: Source, { relations }: Catalog): readonly Direction[] {
  const relation = relations.get(relationKey(table.schema, table.name));
  return (relation?.foreignKeys ?? []).flatMap((key): readonly Direction[] => {
    const target = tables.get(relationKey(key.foreignSchema, key.foreignTable));
    if (relation === undefined || target === undefined) return [];
    const there = { table: nameOf(target), columns: key.foreignColumns };
    const here = { table: nameOf(table), columns: key.columns, constraint_name: key.name };
    const unique = isUnique(relation, key);
    return [
      { type: 'object', from: here, to: there, table, target, unique },
      { type: unique ? 'object' : 'array', from: there, to: here, table: target, target: table, unique },
    ];
  });
}

interface Direction {
  readonly type: 'object' | 'array';
  readonly from: SuggestedRelationshipEnd;
  readonly to: SuggestedRelationshipEnd;
  readonly table: Table;
  readonly target: Table;
  readonly unique: boolean;
}

function nameOf({ schema, name }: Table): QualifiedTable {
  return { schema, name };
}

function isUnique({ primaryKey, uniqueKeys }: CatalogRelation, { columns }: CatalogForeignKey): boolean {
  const keys = primaryKey === undefined ? uniqueKeys : [primaryKey, ...uniqueKeys];
  return keys.some((key) => key.columns.length === columns.length && key.columns.every((one) => columns.includes(one)));
}

/** Returns the name of a relationship that joins the same columns. */
function existingName({ type, from, to, table, target }: Direction): string | undefined {
  for (const { kind, name, target: its, mapping } of table.relationships.values()) {
    if (kind !== type || its !== target || mapping.length !== from.columns.length) continue;
    const pairs = from.columns.map((column, index) => [column, to.columns[index]]);
    if (pairs.every(([a, b]) => mapping.some((one) => one.from.name === a && one.to.name === b))) return name;
  }
  return undefined;
}

/** Returns a function that names suggestions, each name once for a table. */
function createNaming(): (direction: Direction) => string {
  const names = new Map<Table, Set<string>>();
  return ({ from, to, table, target, unique }) => {
    const taken = names.get(table) ?? namesOf(table);
    names.set(table, taken);
    const naming = { taken, convention: table.convention };
    const name =
      from.constraint_name === undefined
        ? nameOfReferring(to.columns, target.name, unique, naming)
        : nameOfReferred(from.columns, target.name, naming);
    taken.add(name);
    return name;
  };
}

function namesOf({ columns, columnsByName, relationships, joins, computedFields }: Table): Set<string> {
  const lists = [columns, columnsByName, relationships, joins, computedFields ?? new Map<string, unknown>()];
  const names = new Set(lists.flatMap((list) => [...list.keys()]));
  for (const { kind, name } of relationships.values()) if (kind === 'array') names.add(`${name}_aggregate`);
  return names;
}
