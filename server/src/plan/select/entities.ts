/** Plans the root fields of Apollo Federation. */
import { getNamedType } from 'graphql';
import { printJson, RawJson } from '../../base/json-value.ts';
import type { EntityTable } from '../../schema/binding.ts';
import { serviceSdl } from '../../schema/federation.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { inputPlan } from '../document/arguments.ts';
import type { EntitiesPlan, EntityPlan } from '../plan/entities.ts';
import { planRows } from './select.ts';

/** Returns the value of `_service`. */
export function planService(context: PlanContext, field: SelectedField, tables: readonly EntityTable[]): RawJson {
  const type = getNamedType(field.definition?.type);
  const members = type === undefined ? [] : context.collect(type, field.selections, field.path);
  const value = members.map(({ alias, definition }) => [
    alias,
    definition === undefined ? type?.name : serviceSdl(context.schema, tables),
  ]);
  return new RawJson(printJson(Object.fromEntries(value)));
}

/** Plans `_entities`: the rows of each table are fetched by the primary keys of its representations. */
export function planEntities(context: PlanContext, field: SelectedField, tables: readonly EntityTable[]): EntitiesPlan {
  const types = tables.flatMap((one) => planEntity(context, field, one));
  return { representations: inputPlan(context.arguments(field).representations), path: field.path, types };
}

function planEntity(
  context: PlanContext,
  field: SelectedField,
  { table, access, type, typeName }: EntityTable,
): readonly EntityPlan[] {
  const { definition } = field;
  if (definition === undefined) return [];
  const { primaryKey = [] } = table;
  const rows = planRows(context, { ...field, definition: { ...definition, type } }, table, access);
  const { cells } = access;
  return [
    {
      typeName,
      join: {
        keys: primaryKey.map((column) => ({ name: column.field, type: column.type })),
        target: {
          kind: 'table',
          source: table.source,
          match: primaryKey,
          ...(cells && { cells }),
          want: { shape: 'object', rows },
        },
      },
    },
  ];
}
