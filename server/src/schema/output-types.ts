/**
 * The object types of a role's schema: rows and aggregates of tables, outputs of actions, types of remote schemas. They are
 * in one file because relationships lead from each of them to each other.
 */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedOutputType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLUnionType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { typeName } from '../model/names/source-names.ts';
import { functionAccess, selectAccess } from '../model/permissions/access.ts';
import { isEveryRow } from '../model/predicate/combinators.ts';
import { viewFieldsOn } from '../model/remote/remote-schemas.ts';
import { remoteView, upstreamName } from '../model/remote/schema-view.ts';
import type { OutputAbstract, OutputField, OutputNamed, OutputObject, TypeRef } from '../model/types/action.ts';
import type { Join, JoinDestination, SelectAccess, Table } from '../model/types/table.ts';
import { argumentsOf, described, leaf } from './actions/action-inputs.ts';
import { bound } from './binding.ts';
import { callArguments, openArguments } from './open-arguments.ts';
import type { TypeRegistry } from './registry.ts';
import { copiedDescription, enumType, remoteInput, remoteScalar } from './remote/remote-inputs.ts';
import { aggregateFields } from './tables/aggregate-fields.ts';
import {
  columnFields,
  computedArguments,
  computedDescription,
  computedValueFields,
  listOfRows,
  tableTitle,
} from './tables/columns.ts';
import { listArguments } from './tables/list-arguments.ts';
import { nativeArguments } from './tables/native-arguments.ts';
import {
  aggregates,
  comparedComputed,
  hasRows,
  type VisibleRelationship,
  visibleComputedRows,
  visibleRelationships,
} from './tables/visible.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;
type Target<Kind extends JoinDestination['kind']> = Extract<JoinDestination, { kind: Kind }>;

/** The object type of a table's rows; undefined when the role may select nothing of it. */
export function rowType({ plain }: TypeRegistry, table: Table): GraphQLObjectType | undefined {
  if (selectAccess(table, plain.role) === undefined || !hasRows(plain, table)) return undefined;
  const own = plain.of(table);
  return own.object(typeName(table), () => ({
    description: table.comment ?? `columns and relationships of "${tableTitle(table)}"`,
    ...(plain.rows && { interfaces: () => plain.rows?.interfaces(own, table) ?? [] }),
    fields: () => {
      const fields = {
        ...columnFields(own, table),
        ...computedValueFields(own, table),
        ...computedRowFields(own, table),
        ...relationshipFields(own, table),
        ...tableJoinFields(plain, table),
      };
      return plain.rows?.fields(own, table, fields) ?? fields;
    },
  }));
}

/** `t_aggregate`; undefined when the role may not aggregate. */
export function aggregateType({ plain }: TypeRegistry, table: Table): GraphQLObjectType | undefined {
  const access = selectAccess(table, plain.role);
  if (access === undefined || !(access.aggregations || plain.model.forDataCommands)) return undefined;
  const own = plain.of(table);
  return own.object(typeName(table, '_aggregate'), () => ({
    description: `aggregated selection of "${tableTitle(table)}"`,
    fields: () => {
      const row = rowType(own, table);
      return {
        aggregate: { type: aggregateFields(own, table), extensions: bound({ kind: 'aggregate' }) },
        ...(row !== undefined && { nodes: { type: listOfRows(row), extensions: bound({ kind: 'nodes' }) } }),
      };
    },
  }));
}

/** The computed fields that return rows of a table. */
function computedRowFields(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const { computed, target, access } of visibleComputedRows(registry, table)) {
    const row = rowType(registry, target);
    if (row === undefined) continue;
    fields[computed.name] = {
      // Nullable, as in Hasura v2.
      type: new GraphQLList(new GraphQLNonNull(row)),
      description: computedDescription(computed),
      args: { ...computedArguments(registry, computed), ...listArguments(registry, target) },
      extensions: bound({ kind: 'computedRows', computed, table: target, access }),
    };
  }
  return fields;
}

function relationshipFields(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const visible of visibleRelationships(registry, table)) {
    const native = table.native ?? visible.relationship.target.native;
    Object.assign(fields, relationshipField(registry, visible, native !== undefined));
  }
  return fields;
}

function relationshipField(
  registry: TypeRegistry,
  { relationship, access }: VisibleRelationship,
  nullable: boolean,
): Fields {
  const fields: Fields = {};
  const { name, target, comment } = relationship;
  const row = rowType(registry, target);
  if (row !== undefined) {
    fields[name] =
      relationship.kind === 'object'
        ? {
            type: mayBeNull(registry, { relationship, access }) ? row : new GraphQLNonNull(row),
            description: comment ?? 'An object relationship',
            args: nativeArguments(registry, target),
            extensions: bound({ kind: 'relationship', relationship, access }),
          }
        : {
            // Nullable where Hasura v2 has it so: from a native query, or to one.
            type: nullable ? new GraphQLList(new GraphQLNonNull(row)) : listOfRows(row),
            description: comment ?? 'An array relationship',
            args: { ...nativeArguments(registry, target), ...listArguments(registry, target) },
            extensions: bound({ kind: 'relationship', relationship, access }),
          };
  }
  const aggregate = aggregates(relationship, access) ? aggregateType(registry, target) : undefined;
  if (aggregate !== undefined) {
    fields[`${name}_aggregate`] = {
      type: new GraphQLNonNull(aggregate),
      description: 'An aggregate relationship',
      args: listArguments(registry, target),
      extensions: bound({ kind: 'relationshipAggregate', relationship, access }),
    };
  }
  return fields;
}

/** Whether the object is nullable. By default as in Hasura v2: by the foreign key, although a row filter may hide the object. */
function mayBeNull({ model }: TypeRegistry, { relationship, access }: VisibleRelationship): boolean {
  return relationship.nullable || (model.strictNullability && !isEveryRow(access.filter));
}

/**
 * A field for each join of the table. As in Hasura v2, the role needs no permission on the matched columns; to call an action or a
 * function, it needs one on the key columns.
 */
function tableJoinFields(registry: TypeRegistry, table: Table): Fields {
  const access = selectAccess(table, registry.role);
  const computed = comparedComputed(registry, table);
  const fields: Fields = {};
  for (const join of table.joins.values()) {
    const calls = join.target.kind === 'action' || join.target.kind === 'function';
    const seesKeys = join.keys.every((column) => access?.columns.has(column) || computed.includes(column));
    if (seesKeys || !calls) Object.assign(fields, joinFields(registry, join, typeName(table, '')));
  }
  return fields;
}

/** A field for each relationship of an action's output object. The role needs no permission on the matched columns. */
function outputJoinFields(registry: TypeRegistry, object: OutputObject): Fields {
  const fields: Fields = {};
  for (const join of registry.model.outputJoins.get(object)?.values() ?? []) {
    Object.assign(fields, joinFields(registry, join, object.name));
  }
  return fields;
}

/** A field for each relationship of a remote schema's type whose key fields the role sees. */
function remoteJoinFields(registry: TypeRegistry, type: GraphQLObjectType): Fields {
  const fields: Fields = {};
  for (const remote of registry.model.remoteSchemas.values()) {
    const joins = remote.joins?.get(upstreamName(type));
    // Another remote schema may have a type of the same name, but it is not the same object.
    if (joins === undefined || remoteView(remote, registry.role)?.getType(type.name) !== type) continue;
    const seen = new Set(Object.values(type.getFields()).map(upstreamName));
    for (const join of joins.values()) {
      if (!join.keys.every(({ name }) => seen.has(name))) continue;
      Object.assign(fields, joinFields(registry, join, type.name));
    }
  }
  return fields;
}

/** The fields of a join; none when the role has no permission on its target. `owner` is the type that has the join. */
function joinFields(registry: TypeRegistry, join: Join, owner: string): Fields {
  const { target } = join;
  switch (target.kind) {
    case 'table':
      return rowJoinFields(registry, join, target.shape, target.table, selectAccess(target.table, registry.role));
    case 'function': {
      const { function: called, shape } = target;
      const access = functionAccess(called, registry.role);
      const args = access === undefined ? {} : callArguments(registry, join, target, owner);
      return rowJoinFields(registry, join, shape, called.table, access, args);
    }
    case 'remote':
      return remoteTargetFields(registry, join, target, owner);
    case 'action':
      return actionTargetFields(registry, join, target);
    default:
      return target satisfies never;
  }
}

/** As a relationship within the source, except that no input type refers to it. `called`: the arguments of a function. */
function rowJoinFields(
  registry: TypeRegistry,
  join: Join,
  shape: 'object' | 'array',
  table: Table,
  access: SelectAccess | undefined,
  called: GraphQLFieldConfigArgumentMap = {},
): Fields {
  if (access === undefined) return {};
  const row = rowType(registry, table);
  const fields: Fields = {};
  const args = { ...called, ...listArguments(registry, table) };
  if (row !== undefined) {
    const extensions = bound({ kind: 'join', join, access });
    // A list of keys gives a list of rows with an item for each key.
    const one = join.keys.some(({ list }) => list) && join.target.kind === 'table' ? new GraphQLList(row) : row;
    fields[join.name] =
      shape === 'object' ? { type: one, args: called, extensions } : { type: listOfRows(row), args, extensions };
  }
  const aggregate = shape === 'array' ? aggregateType(registry, table) : undefined;
  if (aggregate !== undefined) {
    const extensions = bound({ kind: 'joinAggregate', join, access });
    fields[`${join.name}_aggregate`] = { type: new GraphQLNonNull(aggregate), args, extensions };
  }
  return fields;
}

/** Nullable, because a key may be null. Its arguments are those that the relationship does not set. */
function actionTargetFields(registry: TypeRegistry, join: Join, target: Target<'action'>): Fields {
  const { action, arguments: set } = target;
  if (registry.role !== ADMIN_ROLE && !action.roles.has(registry.role)) return {};
  const args = Object.entries(argumentsOf(registry, action)).filter(([name]) => !Object.hasOwn(set, name));
  return {
    [join.name]: {
      type: getNullableType(actionOutput(registry, action.output)),
      args: Object.fromEntries(args),
      extensions: bound({ kind: 'join', join, access: undefined }),
      ...described(action.comment),
    },
  };
}

/**
 * The last field of the target's path, with the arguments that are not set. By default its type is as declared, as in Hasura v2,
 * although a key may be null.
 */
function remoteTargetFields(registry: TypeRegistry, join: Join, target: Target<'remote'>, owner: string): Fields {
  const { remote, path } = target;
  const view = remoteView(remote, registry.role);
  const last = view && viewFieldsOn(view, path)?.at(-1);
  const step = path.at(-1);
  if (last === undefined || step === undefined) return {};
  const field = remoteField(registry, last);
  return {
    [join.name]: {
      ...field,
      type: registry.model.strictNullability ? getNullableType(field.type) : field.type,
      args: openArguments(registry, field.args ?? {}, last.args, step, {
        owner,
        join: join.name,
        path: [],
        within: [],
      }),
      extensions: bound({ kind: 'join', join, access: undefined }),
    },
  };
}

/** The type of an action's output. */
export function actionOutput(registry: TypeRegistry, type: TypeRef<OutputNamed>): GraphQLOutputType {
  switch (type.kind) {
    case 'named':
      return namedOutput(registry, type.type);
    case 'list':
      return new GraphQLList(actionOutput(registry, type.of));
    case 'nonNull':
      return new GraphQLNonNull(actionOutput(registry, type.of));
    default:
      return type satisfies never;
  }
}

function namedOutput(registry: TypeRegistry, type: OutputNamed): GraphQLOutputType {
  if (type.kind === 'object') return outputObject(registry, type);
  return type.kind === 'abstract' ? abstractOutput(registry, type) : leaf(registry, type);
}

function abstractOutput(registry: TypeRegistry, type: OutputAbstract): GraphQLInterfaceType | GraphQLUnionType {
  const { name, form, members, description } = type;
  if (form === 'interface') return outputInterface(registry, type);
  const types = () => members.map((member) => outputObject(registry, member));
  return registry.named(name, () => new GraphQLUnionType({ name, ...described(description), types }));
}

function outputInterface(registry: TypeRegistry, { name, description, fields: all }: OutputAbstract) {
  const fields = () => outputFields(registry, all.values());
  return registry.named(name, () => new GraphQLInterfaceType({ name, ...described(description), fields }));
}

/** The object type of an action's output, with its relationships. */
export function outputObject(registry: TypeRegistry, object: OutputObject): GraphQLObjectType {
  return registry.object(object.name, () => ({
    ...described(object.description),
    interfaces: () => (object.interfaces ?? []).map((one) => outputInterface(registry, one)),
    fields: () => ({ ...outputFields(registry, object.fields.values()), ...outputJoinFields(registry, object) }),
  }));
}

function outputFields(registry: TypeRegistry, fields: Iterable<OutputField>): Fields {
  const configs: Fields = {};
  for (const field of fields) {
    configs[field.name] = {
      type: actionOutput(registry, field.type),
      extensions: bound({ kind: 'outputField', field }),
      ...described(field.description),
      ...(field.deprecated !== undefined && { deprecationReason: field.deprecated }),
    };
  }
  return configs;
}

/** A field of a remote schema. Only root fields get a binding: selections below them are forwarded unchanged. */
export function remoteField(
  registry: TypeRegistry,
  field: GraphQLField<unknown, unknown>,
): GraphQLFieldConfig<unknown, unknown> {
  return {
    type: remoteOutput(registry, field.type),
    args: Object.fromEntries(field.args.map((argument) => [argument.name, remoteInput(registry, argument)])),
    ...copiedDescription(field),
  };
}

function remoteOutput(registry: TypeRegistry, type: GraphQLOutputType): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(remoteOutput(registry, type.ofType));
  if (isListType(type)) return new GraphQLList(remoteOutput(registry, type.ofType));
  return remoteType(registry, type);
}

/** A type of a remote schema, rebuilt so that types of the same name are one in the role's schema. */
export function remoteType(registry: TypeRegistry, type: GraphQLNamedOutputType): GraphQLNamedOutputType {
  if (isScalarType(type)) return remoteScalar(registry, type);
  return registry.named<GraphQLNamedOutputType>(type.name, () => {
    if (isEnumType(type)) return enumType(type);
    const config = { name: type.name, ...copiedDescription(type) };
    if (!isObjectType(type) && !isInterfaceType(type)) {
      const types = () => type.getTypes().map((one) => remoteType(registry, one) as GraphQLObjectType);
      return new GraphQLUnionType({ ...config, types });
    }
    const interfaces = () => type.getInterfaces().map((one) => remoteType(registry, one) as GraphQLInterfaceType);
    if (isInterfaceType(type)) {
      return new GraphQLInterfaceType({ ...config, interfaces, fields: () => ownFields(registry, type) });
    }
    const fields = () => ({ ...ownFields(registry, type), ...remoteJoinFields(registry, type) });
    return new GraphQLObjectType({ ...config, interfaces, fields });
  });
}

function ownFields(registry: TypeRegistry, type: GraphQLObjectType | GraphQLInterfaceType): Fields {
  const fields = Object.values(type.getFields());
  return Object.fromEntries(fields.map((field) => [field.name, remoteField(registry, field)]));
}
