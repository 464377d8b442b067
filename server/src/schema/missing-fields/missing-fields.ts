/** Explains why a role does not have a field: a missing permission, a dropped object, or a misspelled name. */
import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import { suggestedName } from '@joinery/metadata/graphql-names';
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import { type GraphQLField, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import type { Model } from '../../model/model.ts';
import { typeName } from '../../model/names/source-names.ts';
import { selectAccess } from '../../model/permissions/access.ts';
import { deleteAccess, insertAccess, updateAccess } from '../../model/permissions/write-access.ts';
import { type Inconsistency, isNotice } from '../../model/types/inconsistency.ts';
import type {
  Column,
  Join,
  MutationKind,
  RemoteSchema,
  RootKind,
  SelectAccess,
  SubscriptionRootKind,
  Table,
  TableFunction,
} from '../../model/types/table.ts';
import { bindingOf } from '../binding.ts';
import { roleSchema } from '../role-schema.ts';

/** A field in a request that the schema of its role does not have. */
export interface MissingField {
  readonly model: Model;
  readonly role: RoleName;
  readonly backend?: boolean | undefined;
  /** The GraphQL name of the object type or input type. */
  readonly type: string;
  readonly field: string;
}

/** A sentence without a period; undefined if the reason is unknown. For admins only, because it names tables. */
export function whyMissing(request: MissingField): string | undefined {
  const { model, type, field } = request;
  const fields = fieldsOf(request, ADMIN_ROLE);
  // A request may use the name of a member that all objects inherit, such as `constructor`.
  const whole = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (whole !== undefined) return reasonFor(request, whole);
  const dropped = droppedField(model, tableOfType(model, type), type, field);
  if (dropped !== undefined) return dropped;
  const near = nearestName(field, Object.keys(fieldsOf(request, request.role)));
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

type Found = Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>;

function fieldsOf({ model, type, backend }: MissingField, role: RoleName): Readonly<Record<string, Found>> {
  const found = roleSchema(model, role, backend).schema.getType(type);
  const has = isObjectType(found) || isInterfaceType(found) || isInputObjectType(found);
  return has ? { ...found.getFields() } : {};
}

/** `whole`: the field as an admin sees it. */
function reasonFor(request: MissingField, whole: Found): string | undefined {
  const { model, role, type, field } = request;
  const binding = bindingOf(whole as GraphQLField<unknown, unknown>);
  const table = tableOfType(model, type);
  switch (binding?.kind) {
    case 'root':
      return selectReason(request, binding.table, binding.root, field);
    case 'stream':
      return selectReason(request, binding.table, 'select_stream', field);
    case 'column':
      return table && columnReason(request, table, binding.column);
    case 'computed': {
      if (table === undefined) return undefined;
      const missing = noSelect(request, table);
      return missing ?? `computed field "${field}" is not among those of ${permission('select', role, table)}`;
    }
    case 'computedRows':
      return noSelect(request, binding.table, `computed field "${field}"`);
    case 'relationship':
      return noSelect(request, binding.relationship.target, `relationship "${field}"`);
    case 'relationshipAggregate': {
      const { target } = binding.relationship;
      return noSelect(request, target, `relationship "${field}"`) ?? noAggregates(request, target);
    }
    case 'function':
      return functionReason(request, binding.function, binding.result === 'aggregate');
    case 'join':
      return joinReason(request, binding.join, table);
    case 'joinAggregate':
      return joinReason(request, binding.join, table, true);
    case 'action':
    case 'actionResult':
      return `action "${binding.action.name}" has no permission for role "${role}"`;
    case 'mutation':
      return writeReason(request, binding.mutation, binding.table);
    case 'remote':
      return remoteReason(binding.remote, role, `"${field}"`);
    case 'namespace':
      return `role "${role}" has no permission on anything in namespace "${field}"`;
    default: {
      if (table !== undefined) return memberReason(request, table);
      const remote = remoteOfType(model, type);
      return remote && remoteReason(remote, role, `"${field}" of "${type}"`);
    }
  }
}

function remoteReason({ name, permissions }: RemoteSchema, role: RoleName, wanted: string): string {
  if (permissions?.has(role) === false) return `role "${role}" has no permission on remote schema "${name}"`;
  return `the permission of role "${role}" on remote schema "${name}" does not have ${wanted}`;
}

/** The remote schema that has the type, by the name that clients use. */
function remoteOfType({ remoteSchemas }: Model, type: string): RemoteSchema | undefined {
  return [...remoteSchemas.values()].find(({ offered, upstream }) => (offered ?? upstream).getType(type) !== undefined);
}

/** The reason for a member of an input or an aggregate, which has the name of a column or relationship. */
function memberReason(request: MissingField, table: Table): string | undefined {
  const { role, field, type } = request;
  const missing = noSelect(request, table);
  const write = /_(insert|set|inc|append|prepend|delete_key|delete_elem|delete_at_path)_input$/.exec(type)?.[1];
  const column = table.columns.get(field);
  if (column !== undefined && write !== undefined) {
    return `column "${field}" is not among those of ${permission(write === 'insert' ? 'insert' : 'update', role, table)}`;
  }
  if (missing !== undefined) return missing;
  if (column !== undefined) return columnReason(request, table, column);
  const relationship = table.relationships.get(field.replace(/_aggregate$/, ''));
  return relationship && noSelect(request, relationship.target, `relationship "${relationship.name}"`);
}

function selectReason(
  request: MissingField,
  table: Table,
  root: SubscriptionRootKind,
  field: string,
): string | undefined {
  const missing = noSelect(request, table);
  const access = selectAccess(table, request.role);
  if (missing !== undefined || access === undefined) return missing;
  if (root === 'select_aggregate') {
    const reason = noAggregates(request, table);
    if (reason !== undefined) return reason;
  }
  if (root === 'select_by_pk') {
    const hidden = table.primaryKey?.find((column) => !access.columns.has(column));
    if (hidden !== undefined) return `${columnReason(request, table, hidden)}, and "${field}" finds rows by it`;
  }
  return shows(access, root, request.type)
    ? `${permission('select', request.role, table)} permits no column`
    : `${permission('select', request.role, table)} does not permit the root field "${root}"`;
}

function shows(access: SelectAccess, root: SubscriptionRootKind, type: string): boolean {
  const roots: ReadonlySet<SubscriptionRootKind | RootKind> = /subscription/.test(type)
    ? access.subscriptionRoots
    : access.queryRoots;
  return roots.has(root);
}

function columnReason(request: MissingField, table: Table, column: Column): string {
  const missing = noSelect(request, table);
  return missing ?? `column "${column.name}" is not among those of ${permission('select', request.role, table)}`;
}

/** The reason if the role has no select permission on the table; `needed` is the field that requires it. */
function noSelect({ model, role }: MissingField, table: Table, needed?: string): string | undefined {
  if (selectAccess(table, role) !== undefined) return undefined;
  const dropped = droppedPermission(model, 'select', role, table);
  const what = needed === undefined ? '' : `, which ${needed} needs`;
  return `role "${role}" has no select permission on ${nameOf(table)}${what}${dropped}`;
}

function noAggregates({ role }: MissingField, table: Table): string | undefined {
  if (selectAccess(table, role)?.aggregations) return undefined;
  return `${permission('select', role, table)} does not allow aggregations`;
}

function functionReason(request: MissingField, one: TableFunction, aggregate: boolean): string | undefined {
  const { role } = request;
  const name = `${one.routine.schema}.${one.routine.name}`;
  const missing = noSelect(request, one.table, `function "${name}"`);
  if (missing !== undefined) return missing;
  if (!one.inferred && !one.roles.has(role)) return `role "${role}" has no permission on function ${name}`;
  return aggregate ? noAggregates(request, one.table) : undefined;
}

function joinReason(
  request: MissingField,
  { name, keys, target }: Join,
  owner: Table | undefined,
  aggregate = false,
): string | undefined {
  const { role } = request;
  const needed = `relationship "${name}"`;
  const seen = owner && selectAccess(owner, role);
  const hidden = keys.find((key) => owner?.columns.get(key.name) && !seen?.columns.has(key as Column));
  if (owner !== undefined && hidden !== undefined) {
    return `${columnReason(request, owner, hidden as Column)}, and ${needed} is keyed by it`;
  }
  switch (target.kind) {
    case 'table': {
      const missing = noSelect(request, target.table, needed);
      if (missing !== undefined) return missing;
      const unseen = target.match.find((column) => !selectAccess(target.table, role)?.columns.has(column));
      if (owner !== undefined && unseen !== undefined) {
        return `${columnReason(request, target.table, unseen)}, and ${needed} finds rows by it`;
      }
      return aggregate ? noAggregates(request, target.table) : undefined;
    }
    case 'function':
      return functionReason(request, target.function, aggregate);
    case 'action':
      return `action "${target.action.name}", which ${needed} calls, has no permission for role "${role}"`;
    case 'remote':
      return remoteReason(target.remote, role, `the field of ${needed}`);
    default:
      return target satisfies never;
  }
}

function writeReason(request: MissingField, kind: MutationKind, table: Table): string | undefined {
  const { model, role, backend, field } = request;
  const verb = kind.startsWith('insert') ? 'insert' : kind.startsWith('update') ? 'update' : 'delete';
  const access = { insert: insertAccess, update: updateAccess, delete: deleteAccess }[verb](table, role);
  if (access === undefined) {
    return `role "${role}" has no ${verb} permission on ${nameOf(table)}${droppedPermission(model, verb, role, table)}`;
  }
  if (access.backendOnly && backend !== true) {
    return `${permission(verb, role, table)} is for backends only (backend_only)`;
  }
  const missing = noSelect(request, table, `"${field}"`);
  if (missing !== undefined) return missing;
  const hidden = table.primaryKey?.find((column) => !selectAccess(table, role)?.columns.has(column));
  if (kind.endsWith('_by_pk') && hidden !== undefined) {
    return `${columnReason(request, table, hidden)}, and "${field}" finds rows by it`;
  }
  return `${permission(verb, role, table)} has no column to write`;
}

function permission(verb: string, role: RoleName, table: Table): string {
  return `the ${verb} permission of role "${role}" on ${nameOf(table)}`;
}

function nameOf({ schema, name }: Table): string {
  return `${schema}.${name}`;
}

/** The table of a row type, input type or aggregate type. */
function tableOfType({ sources }: Model, type: string): Table | undefined {
  let best: Table | undefined;
  for (const { tables } of sources.values()) {
    for (const table of tables.values()) {
      if (type === typeName(table)) return table;
      const suffix = table.typeSuffix ?? '';
      const within = type.startsWith(`${table.graphqlName}_`) && type.endsWith(suffix);
      if (within && table.graphqlName.length > (best?.graphqlName.length ?? 0)) best = table;
    }
  }
  return best;
}

/** The inconsistent object that would add the field, and why it is inconsistent. */
function droppedField(
  { inconsistencies }: Model,
  table: Table | undefined,
  type: string,
  field: string,
): string | undefined {
  const names = [field, ...bareNames(field)];
  const found = inconsistencies.find((one) =>
    table === undefined ? isRoot(one, names) || isOutput(one, type, field) : isMember(one, table, names),
  );
  if (found === undefined || isNotice(found)) return found?.reason;
  return `${found.name} is inconsistent: ${found.reason}`;
}

/** The end of the sentence that there is no permission: the inconsistent permission, if there is one. */
function droppedPermission({ inconsistencies }: Model, verb: string, role: RoleName, table: Table): string {
  const begin = `${verb}_permission ${role} in table `;
  const found = inconsistencies.find(({ name }) => name.startsWith(begin) && isOf(name.slice(begin.length), table));
  return found === undefined ? '' : `; ${found.name} is inconsistent: ${found.reason}`;
}

/** The names of tables that a root field may belong to. */
function bareNames(field: string): string[] {
  const read = /^(.+)_(by_pk|aggregate|stream)$/.exec(field)?.[1];
  const written = /^(?:insert|update|delete)_(.+?)(?:_one|_by_pk|_many)?$/.exec(field)?.[1];
  return [read, written].filter((name) => name !== undefined);
}

function isRoot({ name, type }: Inconsistency, names: readonly string[]): boolean {
  if (type === 'action') return names.some((one) => name === `action ${one}` || name.startsWith(`action ${one} at `));
  const written = /^(?:table|function) (.+) in source /.exec(name)?.[1];
  if (written === undefined) return false;
  // A table without a GraphQL name is found by the name that is suggested for it.
  return names.includes(written.replace('.', '_')) || names.includes(suggestedName(written) ?? '');
}

function isOutput({ name }: Inconsistency, type: string, field: string): boolean {
  return name.startsWith(`relationship ${field} of object type ${type}`);
}

const members = /^(?:object_relation|array_relation|remote_relationship|computed_field) (\S+) in (?:table )?(.+)$/;

function isMember({ name }: Inconsistency, table: Table, names: readonly string[]): boolean {
  const [, column, owner = ''] = /^column (.+) of table (.+)$/.exec(name) ?? [];
  // A column without a GraphQL name is found by the name that is suggested for it.
  if (column !== undefined) return names.includes(suggestedName(column) ?? '') && isOf(owner, table);
  const [, member = '', place = ''] = members.exec(name) ?? [];
  return names.includes(member) && isOf(place.replace(/^table /, ''), table);
}

/** `author in source default` or `shop.author in source default`. */
function isOf(place: string, { schema, name, source }: Table): boolean {
  return [name, `${schema}.${name}`].some((one) => place === `${one} in source ${source}`);
}
