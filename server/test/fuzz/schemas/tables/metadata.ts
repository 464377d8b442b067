/** The metadata of random tables and functions. */
import type { Relation } from './columns.ts';
import { functionName } from './functions.ts';
import { tableJoins } from './joins.ts';
import type { Grant, Schema, Table } from './schema.ts';
import { customizationOf, qualified, type Source } from './sources.ts';

/** Returns the customization, tables and functions of the source. */
export function sourceMetadata(schema: Schema, source: Source): Readonly<Record<string, unknown>> {
  return {
    customization: customizationOf(source),
    tables: tablesMetadata(schema, source),
    functions: [
      ...schema.functions.map((one) => ({ one, more: {} })),
      // Inferred permissions are those of functions that do not write.
      ...schema.changers.map((one) => ({ one, more: { permissions: [{ role: 'one' }, { role: 'two' }] } })),
    ]
      .filter(({ one }) => schema.tables[one.target]?.source === source)
      .map(({ one: { name, session }, more }) => ({
        function: qualified({ name }),
        configuration: session ? { session_argument: 's' } : {},
        ...more,
      })),
  };
}

function tablesMetadata({ tables }: Schema, source: Source): readonly unknown[] {
  const own = tables.filter((table) => table.source === source);
  const entries = own.map((table) => ({
    table: qualified(table),
    configuration: {
      ...(table.type !== table.name && { custom_name: table.type }),
      column_config: Object.fromEntries(
        table.columns
          .filter(({ name, field }) => name !== field)
          .map(({ name, field }) => [name, { custom_name: field }]),
      ),
    },
    object_relationships: relationsOf(table, tables, false),
    array_relationships: relationsOf(table, tables, true),
    remote_relationships: [
      ...remoteRelationsOf(table, tables),
      ...(table.joined ? tableJoins(table.keys % 2 > 0) : []),
    ],
    computed_fields: [...table.values, ...table.rows].map((routine) => ({
      name: routine.name,
      definition: {
        function: qualified({ name: functionName(routine, table) }),
        ...(routine.session && { session_argument: 's' }),
        ...((routine.session || routine.step === 'none') && { table_argument: 'r' }),
      },
    })),
    select_permissions: permissions(table, ({ columns, computed, rule }) => ({
      columns: [...table.columns.slice(0, table.keys).map(({ name }) => name), ...columns],
      filter: rule.metadata,
      allow_aggregations: true,
      computed_fields: computed,
    })),
    insert_permissions: permissions(table, ({ check }) => ({
      columns: table.columns.map(({ name }) => name).filter((name) => name !== 'owner'),
      check: check.metadata,
      set: { owner: 'X-Service-User-Id' },
    })),
    update_permissions: permissions(table, ({ rule, check }) => ({
      columns: table.columns.filter((column) => !table.primaryKey.includes(column)).map(({ name }) => name),
      filter: rule.metadata,
      check: check.metadata,
    })),
    delete_permissions: permissions(table, ({ rule }) => ({ filter: rule.metadata })),
  }));
  return [...entries, { table: qualified({ name: 'level' }), is_enum: true }];
}

function permissions(table: Table, of: (grant: Grant) => unknown): readonly unknown[] {
  return (['one', 'two'] as const).map((role) => ({ role, permission: of(table.grants[role]) }));
}

function relationsOf(table: Table, tables: readonly Table[], many: boolean): readonly unknown[] {
  return table.relations
    .filter((relation) => relation.many === many && tables[relation.target]?.source === table.source)
    .map((relation) => ({ name: relation.field, using: usingOf(relation, tables) }));
}

/** Relationships to tables of the other source. */
function remoteRelationsOf(table: Table, tables: readonly Table[]): readonly unknown[] {
  return table.relations.flatMap(({ field, target, on, many }) => {
    const found = tables[target];
    if (found === undefined || found.source === table.source) return [];
    const to_source = {
      ...{ source: found.source.name, table: qualified(found) },
      ...{ relationship_type: many ? 'array' : 'object', field_mapping: Object.fromEntries(on) },
    };
    return [{ name: field, definition: { to_source } }];
  });
}

function usingOf({ target, on, many, byForeignKey }: Relation, tables: readonly Table[]): unknown {
  const table = qualified({ name: tables[target]?.name ?? '' });
  if (!byForeignKey) return { manual_configuration: { remote_table: table, column_mapping: Object.fromEntries(on) } };
  const [here, there] = [on.map(([own]) => own), on.map(([, other]) => other)];
  return { foreign_key_constraint_on: many ? { table, columns: there } : here };
}
