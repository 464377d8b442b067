/** The input types of inserts: rows with nested rows, and `on_conflict`. */
import { isGraphqlName } from '@joinery/metadata/graphql-names';
import {
  type GraphQLEnumType,
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import { typeName } from '../../model/names/source-names.ts';
import type { Relationship, Table } from '../../model/types/table.ts';
import type { TypeRegistry } from '../registry.ts';
import { tableTitle } from '../tables/columns.ts';
import { columnInput } from './comparison.ts';
import { mayInsert, mayUpdate, writtenColumns } from './mutation-access.ts';
import { boolExp } from './where.ts';

/** A member without effect, for types that would have no members. */
const placeholder = '_PLACEHOLDER';

/** `t_insert_input`. */
export function insertInput(registry: TypeRegistry, table: Table): GraphQLInputObjectType {
  const name = typeName(table, '_insert_input');
  return registry.input(name, () => ({
    description: `input type for inserting data into table "${tableTitle(table)}"`,
    fields: () => insertFields(registry, table),
  }));
}

function insertFields(registry: TypeRegistry, table: Table): GraphQLInputFieldConfigMap {
  const fields: GraphQLInputFieldConfigMap = {};
  for (const column of writtenColumns(table, mayInsert(registry, table)?.columns ?? new Set())) {
    fields[column.field] = { ...columnInput(registry, column.type), description: column.comment ?? null };
  }
  for (const relationship of table.relationships.values()) {
    if (mayInsert(registry, relationship.target) === undefined) continue;
    fields[relationship.name] = { type: relatedInput(registry, relationship) };
  }
  if (Object.keys(fields).length === 0) {
    fields[placeholder] = { type: registry.scalar('String'), description: 'there is nothing to give; leave it out' };
  }
  return fields;
}

/** `t_obj_rel_insert_input` and `t_arr_rel_insert_input`. */
function relatedInput(registry: TypeRegistry, { kind, target }: Relationship): GraphQLInputObjectType {
  const name = typeName(target, `_${kind === 'object' ? 'obj' : 'arr'}_rel_insert_input`);
  const row = insertInput(registry, target);
  return registry.input(name, () => ({
    description: `input type for inserting ${kind} relation for remote table "${tableTitle(target)}"`,
    fields: () => {
      const conflict = onConflict(registry, target);
      const data = kind === 'object' ? row : new GraphQLList(new GraphQLNonNull(row));
      return {
        data: { type: new GraphQLNonNull(data) },
        ...(conflict !== undefined && { on_conflict: { type: conflict, description: 'upsert condition' } }),
      };
    },
  }));
}

/** `t_on_conflict`; undefined if the table has no unique key. Without update permission it can only skip rows. */
export function onConflict(registry: TypeRegistry, table: Table): GraphQLInputObjectType | undefined {
  const constraints = constraintsOf(table);
  const { forDataCommands } = registry.model;
  if (constraints.length === 0 && !forDataCommands) return undefined;
  const name = typeName(table, '_on_conflict');
  return registry.input(name, () => ({
    description: `on_conflict condition type for table "${tableTitle(table)}"`,
    fields: () => ({
      ...conflictTargets(registry, table, constraints),
      update_columns: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(updateColumn(registry, table)))),
        defaultValue: [],
      },
      where: { type: boolExp(registry, table) },
    }),
  }));
}

/** `constraint`. For data commands it may be absent, and columns may be in its place. */
function conflictTargets(
  registry: TypeRegistry,
  table: Table,
  constraints: readonly Constraint[],
): GraphQLInputFieldConfigMap {
  const { forDataCommands } = registry.model;
  if (!forDataCommands)
    return { constraint: { type: new GraphQLNonNull(constraintEnum(registry, table, constraints)) } };
  const columns = new GraphQLList(new GraphQLNonNull(registry.scalar('String')));
  return {
    ...(constraints.length > 0 && { constraint: { type: constraintEnum(registry, table, constraints) } }),
    constraint_on: { type: columns },
  };
}

interface Constraint {
  readonly name: string;
  readonly description: string;
}

/** The constraints that PostgreSQL accepts in ON CONFLICT, as far as they have a valid GraphQL name. */
function constraintsOf(table: Table): readonly Constraint[] {
  const described = (columns: readonly string[]) =>
    `unique or primary key constraint on columns ${columns.map((column) => `"${column}"`).join(', ')}`;
  const constraints = table.uniqueKeys
    .filter(({ deferrable }) => !deferrable)
    .map(({ name, columns }) => ({ name, description: described(columns) }));
  if (table.primaryKeyName !== undefined && !table.primaryKeyDeferrable) {
    const columns = (table.primaryKey ?? []).map((column) => column.name);
    constraints.unshift({ name: table.primaryKeyName, description: described(columns) });
  }
  return constraints.filter(({ name }) => isGraphqlName(name) && !['true', 'false', 'null'].includes(name));
}

function constraintEnum(registry: TypeRegistry, table: Table, constraints: readonly Constraint[]): GraphQLEnumType {
  const name = typeName(table, '_constraint');
  return registry.enumeration(name, () => ({
    description: `unique or primary key constraints on table "${tableTitle(table)}"`,
    values: Object.fromEntries(constraints.map((one) => [one.name, { description: one.description }])),
  }));
}

/** `t_update_column`: the columns that an upsert may update. */
function updateColumn(registry: TypeRegistry, table: Table): GraphQLEnumType {
  const name = typeName(table, '_update_column');
  return registry.enumeration(name, () => {
    const columns = writtenColumns(table, mayUpdate(registry, table)?.columns ?? new Set());
    const fields = columns.map(({ field }) => field).filter((field) => !['true', 'false', 'null'].includes(field));
    return {
      description: `update columns of table "${tableTitle(table)}"`,
      values: Object.fromEntries(
        fields.length === 0
          ? [[placeholder, { description: 'no column can be updated; leave it out' }]]
          : fields.map((field) => [field, { description: 'column name' }]),
      ),
    };
  });
}
