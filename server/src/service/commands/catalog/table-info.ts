/** `pg_get_table_info`: a table or view in the database of a source, tracked or not. */

import { isDeepStrictEqual } from 'node:util';
import {
  type ColumnInfo,
  type ComputedKey,
  type ForeignKey,
  GetTableInfo,
  type TableKind,
} from '@joinery/metadata/api/sources/catalog';
import { findTable, tableLabel } from '@joinery/metadata/commands/edit/change';
import { ServiceError } from '../../../base/errors.ts';
import { computedColumn } from '../../../model/predicate/context.ts';
import type { Table } from '../../../model/types/table.ts';
import {
  type Catalog,
  type CatalogColumn,
  type CatalogRelation,
  type RelationKind,
  relationKey,
} from '../../../postgres/catalog/catalog-types.ts';
import { type ColumnDetails, readTableDetails } from '../../../postgres/catalog/table-details.ts';
import { fromPostgres } from '../../../postgres/sql/errors.ts';
import type { CommandResult, ServiceCommand } from '../../metadata/command-context.ts';
import type { CatalogRead } from '../../metadata/state.ts';
import { readCommand } from '../command.ts';
import { readCatalogOf } from './tables.ts';

const kinds: Readonly<Record<RelationKind, TableKind>> = {
  table: 'table',
  'partitioned table': 'partitioned_table',
  view: 'view',
  'materialized view': 'materialized_view',
  'foreign table': 'foreign_table',
};

/** Reads the table from the database, not from the catalog of the current model. */
export const getTableInfo: ServiceCommand<CommandResult<'get_table_info'>> = readCommand(
  GetTableInfo,
  async (target, progress, context) => {
    const { schema, name } = target.table;
    const { catalog, query } = await readCatalogOf(target.source, progress, context, target.table);
    const relation = catalog.relations.get(relationKey(schema, name));
    if (relation === undefined) {
      const message = `there is no table or view ${tableLabel(target.table)} in source "${target.source}"`;
      throw new ServiceError('not-exists', message, { path: '$.args.table' });
    }
    const details = await readTableDetails(query, schema, name).catch((error: unknown) => {
      throw fromPostgres(error, { path: '$.args' });
    });
    const entry = findTable(progress.state.metadata, target);
    return {
      table: { schema, name },
      kind: kinds[relation.kind],
      comment: relation.comment ?? null,
      estimated_rows: details.estimatedRows,
      insertable: relation.insertable,
      updatable: relation.updatable,
      deletable: relation.deletable,
      columns: relation.columns.map((column) => describeColumn(column, catalog, details.columns.get(column.name))),
      computed_keys: computedKeys(
        progress.state.model.sources.get(target.source)?.tables.get(relationKey(schema, name)),
      ),
      primary_key: relation.primaryKey?.columns ?? null,
      unique_keys: relation.uniqueKeys.map(({ columns }) => columns),
      foreign_keys: describeForeignKeys(relation),
      tracked: entry !== undefined,
      enum: entry?.is_enum === true,
      changed: hasChanged(relation, progress.state.external.catalogs.get(target.source)),
    };
  },
);

/** Whether the table has changed since the service read the catalog of its model. */
function hasChanged(now: CatalogRelation, known: CatalogRead | undefined): boolean {
  if (known === undefined || known instanceof ServiceError) return false;
  return !isDeepStrictEqual(known.relations.get(relationKey(now.schema, now.name)), now);
}

function describeColumn(column: CatalogColumn, { types }: Catalog, details: ColumnDetails | undefined): ColumnInfo {
  const type = types.get(column.type);
  const element = type?.elementType === undefined ? undefined : types.get(type.elementType);
  const base = type?.baseType === undefined ? undefined : types.get(type.baseType);
  const written = element === undefined ? type?.name : `${element.name}[]`;
  const labels = (element ?? type)?.labels ?? [];
  return {
    name: column.name,
    type: written ?? 'unknown',
    sql_type: details?.sqlType ?? written ?? 'unknown',
    ...(base !== undefined && { base_type: base.name }),
    ...(labels.length > 0 && { values: labels }),
    nullable: column.nullable,
    has_default: column.hasDefault,
    default: details?.expression ?? null,
    generated: column.generated,
    identity: column.identity ?? null,
    writable: !column.generated && column.identity !== 'always',
    comment: column.comment ?? null,
  };
}

function computedKeys(table: Table | undefined): readonly ComputedKey[] {
  return [...(table?.computedFields?.keys() ?? [])].flatMap((name) => {
    const type = table && computedColumn(table, name)?.type;
    if (type === undefined) return [];
    const labels = (type.element ?? type).labels;
    const written = type.element === undefined ? type.name : `${type.element.name}[]`;
    return [{ name, type: written, ...(labels.length > 0 && { values: labels }) }];
  });
}

function describeForeignKeys({ foreignKeys }: CatalogRelation): readonly ForeignKey[] {
  return foreignKeys.map(({ name, columns, foreignSchema, foreignTable, foreignColumns }) => ({
    constraint: name,
    columns: Object.fromEntries(columns.map((column, index) => [column, foreignColumns[index] ?? ''])),
    table: { schema: foreignSchema, name: foreignTable },
  }));
}
