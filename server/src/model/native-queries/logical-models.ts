/** Logical models, resolved to tables without rows of their own, and the permissions on them. */
import { isGraphqlName } from '@joinery/metadata/graphql-names';
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { FieldType, LogicalModel, LogicalModelPermissionEntry } from '@joinery/metadata/native-queries/schema';
import { ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';
import { type WrittenSource, writtenSources } from '../inconsistencies/metadata-entries.ts';
import { plainNames } from '../names/source-names.ts';
import { queryRoots, subscriptionRoots } from '../permissions/access.ts';
import type { InheritingRole } from '../permissions/inherited-roles.ts';
import { inheritSelect } from '../permissions/inherited-select.ts';
import { permittedColumns, type RuleReader, ruleReader } from '../permissions/permission-rules.ts';
import { arrayOf } from '../predicate/column-types.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Draft, DraftSource, DraftTable } from '../types/draft.ts';
import type { Column } from '../types/table.ts';
import { scalarNamed } from './scalar-types.ts';

export interface WrittenModel {
  readonly source: WrittenSource['source']['name'];
  readonly entry: LogicalModel;
  /** `$.sources[0].logical_models[1]`. */
  readonly path: string;
}

export function writtenModels({ source, path }: WrittenSource): readonly WrittenModel[] {
  return (source.logical_models ?? []).map((entry, index) => ({
    source: source.name,
    entry,
    path: `${path}.logical_models[${index}]`,
  }));
}

/** A logical model, and the fields that relationships of native queries replace. */
export interface DraftModel {
  readonly table: DraftTable;
  readonly nested: readonly string[];
}

/** Returns the logical model without permissions, or why it is invalid. */
export function resolveModel(
  { name: source, names = plainNames, convention }: DraftSource,
  { name, description, fields }: LogicalModel,
  catalog: Catalog,
): DraftModel | string {
  const columns = new Map<string, Column>();
  const nested: string[] = [];
  for (const field of fields) {
    if (!isGraphqlName(field.name)) return `the field "${field.name}" has no GraphQL name; rename it`;
    if (columns.has(field.name) || nested.includes(field.name)) return `it has two fields "${field.name}"; remove one`;
    const type = typeOf(field.type, catalog);
    if (type === 'nested') {
      nested.push(field.name);
      continue;
    }
    if (typeof type === 'string') return `in field "${field.name}": ${type}`;
    const nullable =
      (typeof field.type === 'string' ? field.nullable : (field.type.nullable ?? field.nullable)) ?? false;
    columns.set(field.name, {
      name: field.name,
      field: field.name,
      type,
      nullable,
      comment: field.description ?? undefined,
      hasDefault: false,
      writable: 'no',
    });
  }
  if (columns.size === 0) return 'it has no field of a scalar type; add one';
  const { typePrefix, typeSuffix } = names;
  const input = (rest: string) => `${typePrefix}${name}${rest}${typeSuffix}`;
  const table: DraftTable = {
    source,
    schema: 'public',
    name,
    graphqlName: name,
    // The suffix of the first is doubled, as in Hasura v2. Customized names apply to two of them.
    typeNames: {
      '': name,
      _bool_exp: input('_bool_exp_bool_exp'),
      _order_by: input('_order_by'),
      _select_column: `${name}_enum_name`,
    },
    ...(convention && { convention }),
    roots: { select: '', select_by_pk: '', select_aggregate: '' },
    streamRoot: '',
    connectionRoot: '',
    comment: description ?? `A row of the logical model "${name}"`,
    columns,
    columnsByName: columns,
    primaryKey: undefined,
    uniqueKeys: [],
    relationships: new Map(),
    joins: new Map(),
    computedFields: new Map(),
    selectAccess: new Map(),
    insertAccess: new Map(),
    updateAccess: new Map(),
    deleteAccess: new Map(),
    insertable: false,
    updatable: false,
    deletable: false,
    mutationRoots: {
      insert: '',
      insert_one: '',
      update: '',
      update_by_pk: '',
      update_many: '',
      delete: '',
      delete_by_pk: '',
    },
  };
  return { table, nested };
}

/** The type of a column, `nested` for the rows of a relationship, or why there is none. */
function typeOf(written: FieldType, catalog: Catalog): ColumnType | 'nested' | string {
  if (typeof written === 'string') return scalarNamed(written, catalog);
  if ('scalar' in written) return scalarNamed(written.scalar, catalog);
  if ('logical_model' in written) return 'nested';
  const element = typeOf(written.array, catalog);
  return typeof element === 'string' ? element : arrayOf(element);
}

export function reportModel(draft: Draft, { source, entry, path }: WrittenModel, reason: string): void {
  draft.report({
    type: 'logical_model',
    name: `logical_model ${entry.name} in source ${source}`,
    path,
    code: 'invalid-configuration',
    reason: `in logical model "${entry.name}": ${reason}`,
    definition: entry,
  });
  for (const [index, permission] of (entry.select_permissions ?? []).entries()) {
    const cause = `logical model "${entry.name}" was dropped: ${reason}`;
    reportPermission(draft, { source, entry, path }, index, permission, cause);
  }
}

function reportPermission(
  draft: Draft,
  { source, entry, path }: WrittenModel,
  index: number,
  { role, permission, comment }: LogicalModelPermissionEntry,
  reason: string,
  inside = '',
): void {
  draft.report({
    type: 'select_permission',
    name: `select_permission ${role} in logical_model ${entry.name} in source ${source}`,
    path: `${path}.select_permissions[${index}]${inside}`,
    code: 'invalid-configuration',
    reason: `in logical model "${entry.name}": in permission for role "${role}": ${reason}`,
    definition: { role, permission, comment: comment ?? null, source, logical_model: entry.name },
  });
}

/** Fills `selectAccess` of every logical model, which all of its native queries share. */
export function* resolveModelPermissions(draft: Draft): Steps<void> {
  const rules = ruleReader(draft);
  for (const written of writtenSources(draft).flatMap(writtenModels)) {
    const table = draft.sources.get(written.source)?.logicalModels.get(written.entry.name)?.table;
    if (table === undefined) continue;
    const seen = new Set<RoleName>([ADMIN_ROLE]);
    for (const [index, entry] of (written.entry.select_permissions ?? []).entries()) {
      yield;
      const taken = seen.has(entry.role) ? 'the role has a permission already' : undefined;
      seen.add(entry.role);
      if (taken === undefined) addPermission(draft, written, table, index, entry, rules);
      else reportPermission(draft, written, index, entry, taken);
    }
  }
}

function addPermission(
  draft: Draft,
  written: WrittenModel,
  table: DraftTable,
  index: number,
  entry: LogicalModelPermissionEntry,
  rules: RuleReader,
): void {
  try {
    const { columns: permitted, filter, limit } = entry.permission;
    const columns = permittedColumns(table, permitted);
    table.selectAccess.set(entry.role, {
      columns,
      filter: rules.predicate(table, filter, '$.filter'),
      limit: limit ?? undefined,
      aggregations: false,
      queryRoots: queryRoots(table, columns, false),
      subscriptionRoots: subscriptionRoots(table, columns, false),
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reason = `at ${error.path.slice(2)}: ${error.message}`;
    reportPermission(draft, written, index, entry, reason, `.permission${error.path.slice(1)}`);
  }
}

/** Adds the inherited permissions to every logical model. */
export function* inheritModels(draft: Draft, inheriting: readonly InheritingRole[]): Steps<void> {
  for (const written of writtenSources(draft).flatMap(writtenModels)) {
    const table = draft.sources.get(written.source)?.logicalModels.get(written.entry.name)?.table;
    if (table === undefined) continue;
    for (const { role, parents } of inheriting) {
      yield;
      if (written.entry.select_permissions?.some((one) => one.role === role)) continue;
      const access = inheritSelect(
        table,
        parents.flatMap((parent) => table.selectAccess.get(parent) ?? []),
      );
      if (access !== undefined) table.selectAccess.set(role, access);
    }
  }
}
