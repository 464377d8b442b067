/** Rewrites names in the row rules of permissions. */
import { isJsonObject } from '../../json.ts';
import type { Metadata } from '../../metadata.ts';
import { QualifiedTable, type SourceName } from '../../names.ts';
import type { LogicalModel } from '../../native-queries/schema.ts';
import type { BoolExp } from '../../schema/permissions.ts';
import type { Relationship } from '../../schema/relationships.ts';
import type { TableEntry } from '../../schema/tables.ts';
import { changeSource, sameTable } from '../edit/change.ts';
import type { EditContext } from '../edit/command.ts';

/** The changes of a rename; each function returns its argument where nothing changes. */
export interface Renaming {
  relationship(table: QualifiedTable, name: string): string;
  table(table: QualifiedTable): QualifiedTable;
  column(table: QualifiedTable, name: string): string;
}

/** The tables of one source. */
interface World {
  readonly source: SourceName;
  readonly tables: readonly TableEntry[];
  readonly context: EditContext | undefined;
}

/** The context of a rule. */
interface Reading {
  readonly world: World;
  readonly renaming: Renaming;
  /** The table of the permission, which `$` refers to in column paths; undefined for a permission on a logical model. */
  readonly root: QualifiedTable | undefined;
}

/** Members of permissions of any kind that hold a rule. */
const ruleMembers = ['filter', 'check'] as const;
const permissionKinds = ['insert_permissions', 'select_permissions', 'update_permissions', 'delete_permissions'];

/** Rewrites every row rule of the source's tables and logical models. Names are resolved in `metadata`. */
export function rewriteRules(
  metadata: Metadata,
  sourceName: SourceName,
  renaming: Renaming,
  context: EditContext | undefined,
): Metadata {
  return changeSource(metadata, sourceName, (source) => {
    const world: World = { source: sourceName, tables: source.tables, context };
    const { logical_models } = source;
    return {
      ...source,
      tables: source.tables.map((entry) => rewriteEntry(entry, world, renaming)),
      ...(logical_models && { logical_models: logical_models.map((model) => rewriteModel(model, world, renaming)) }),
    };
  });
}

function rewriteEntry(entry: TableEntry, world: World, renaming: Renaming): TableEntry {
  const rewritten: Record<string, unknown> = { ...entry };
  for (const kind of permissionKinds) {
    const permissions = rewritten[kind];
    if (!Array.isArray(permissions)) continue;
    rewritten[kind] = permissions.map((one: unknown) => rewritePermission(one, entry.table, world, renaming));
  }
  return rewritten as TableEntry;
}

/** The rules of a logical model compare its fields, and name tables in `_exists`. */
function rewriteModel(model: LogicalModel, world: World, renaming: Renaming): LogicalModel {
  const select_permissions = model.select_permissions?.map((one) => {
    const filter = rewriteRule(one.permission.filter, undefined, { world, renaming, root: undefined });
    return { ...one, permission: { ...one.permission, filter } };
  });
  return { ...model, ...(select_permissions && { select_permissions }) };
}

function rewritePermission(entry: unknown, table: QualifiedTable, world: World, renaming: Renaming): unknown {
  if (!isJsonObject(entry) || !isJsonObject(entry.permission)) return entry;
  const permission: Record<string, unknown> = { ...entry.permission };
  for (const member of ruleMembers) {
    const rule = permission[member];
    if (isJsonObject(rule)) permission[member] = rewriteRule(rule, table, { world, renaming, root: table });
  }
  return { ...entry, permission };
}

function rewriteRule(rule: BoolExp, table: QualifiedTable | undefined, reading: Reading): BoolExp {
  const again = (inner: unknown, at = table): unknown =>
    isJsonObject(inner) ? rewriteRule(inner, at, reading) : inner;
  const entries = Object.entries(rule).map(([key, inner]): [string, unknown] => {
    switch (key.replace('$', '_')) {
      case '_and':
      case '_or':
        return [key, Array.isArray(inner) ? inner.map((one) => again(one)) : again(inner)];
      case '_not':
        return [key, again(inner)];
      case '_exists':
        return [key, rewriteExists(inner, reading.renaming, again)];
      default:
        return table === undefined ? [key, inner] : rewriteMember(key, inner, table, reading, again);
    }
  });
  return Object.fromEntries(entries);
}

type Again = (inner: unknown, at?: QualifiedTable) => unknown;

function rewriteExists(inner: unknown, renaming: Renaming, again: Again): unknown {
  if (!isJsonObject(inner)) return inner;
  const table = QualifiedTable.safeParse(inner._table);
  if (!table.success) return inner;
  const renamed = renaming.table(table.data);
  return {
    ...inner,
    ...(!sameTable(renamed, table.data) && { _table: renamed }),
    _where: again(inner._where, table.data),
  };
}

/** A member that is a relationship, the aggregate of one, a computed field that returns rows, or a column. */
function rewriteMember(
  key: string,
  inner: unknown,
  table: QualifiedTable,
  reading: Reading,
  again: Again,
): [string, unknown] {
  const { world, renaming } = reading;
  if (relationshipOf(table, key, world)) {
    const target = targetOf(table, key, world);
    return [renaming.relationship(table, key), target === undefined ? inner : again(inner, target)];
  }
  const aggregated = key.endsWith('_aggregate') ? key.slice(0, -'_aggregate'.length) : undefined;
  if (aggregated !== undefined && relationshipOf(table, aggregated, world) && isJsonObject(inner)) {
    const target = targetOf(table, aggregated, world);
    const functions = Object.entries(inner).map(([name, test]): [string, unknown] =>
      isJsonObject(test) && target !== undefined
        ? [
            name,
            rewriteAggregate(
              test,
              (column) => renaming.column(target, column),
              (filter) => again(filter, target),
            ),
          ]
        : [name, test],
    );
    return [`${renaming.relationship(table, aggregated)}_aggregate`, Object.fromEntries(functions)];
  }
  const computed = world.context?.relationshipTarget(world.source, table, key);
  if (computed !== undefined) return [key, again(inner, computed)];
  return [renaming.column(table, key), isJsonObject(inner) ? rewriteComparisons(inner, table, reading) : inner];
}

/** `{ arguments, filter, predicate }`; the arguments are columns: one, a list, or `{ X, Y }`. */
function rewriteAggregate(
  test: BoolExp,
  column: (name: string) => string,
  filter: (rule: unknown) => unknown,
): BoolExp {
  const renamed = (names: unknown): unknown => {
    if (typeof names === 'string') return column(names);
    if (Array.isArray(names)) return names.map(renamed);
    if (!isJsonObject(names)) return names;
    return Object.fromEntries(Object.entries(names).map(([name, one]) => [name, renamed(one)]));
  };
  return {
    ...test,
    ...('arguments' in test && { arguments: renamed(test.arguments) }),
    ...('filter' in test && { filter: filter(test.filter) }),
  };
}

/** `_ceq` and similar operators compare with a column, or a path to one: `"name"`, `["author", "name"]`, `["$", "name"]`. */
function rewriteComparisons(tests: BoolExp, table: QualifiedTable, { world, renaming, root }: Reading): BoolExp {
  const entries = Object.entries(tests).map(([operator, right]): [string, unknown] => {
    if (!/^[_$]c(eq|neq?|gte?|lte?)$/.test(operator)) return [operator, right];
    if (typeof right === 'string') return [operator, renaming.column(table, right)];
    if (!Array.isArray(right)) return [operator, right];
    let at: QualifiedTable | undefined = table;
    const path = right.map((step: unknown, index) => {
      if (typeof step !== 'string' || at === undefined) return step;
      if (index === 0 && step === '$' && right.length > 1) {
        at = root;
        return step;
      }
      if (index === right.length - 1) return renaming.column(at, step);
      const renamed = renaming.relationship(at, step);
      at = targetOf(at, step, world);
      return renamed;
    });
    return [operator, path];
  });
  return Object.fromEntries(entries);
}

function relationshipOf(table: QualifiedTable, name: string, world: World): Relationship | undefined {
  const entry = world.tables.find((one) => sameTable(one.table, table));
  return [...(entry?.object_relationships ?? []), ...(entry?.array_relationships ?? [])].find(
    (one) => one.name === name,
  );
}

function targetOf(table: QualifiedTable, name: string, world: World): QualifiedTable | undefined {
  const using = relationshipOf(table, name, world)?.using;
  if (using === undefined) return undefined;
  if ('manual_configuration' in using) {
    const { manual_configuration: manual } = using;
    return 'remote_table' in manual ? manual.remote_table : undefined;
  }
  const on = using.foreign_key_constraint_on;
  return 'table' in on ? on.table : world.context?.relationshipTarget(world.source, table, name);
}
