/** Actions in a role's schema: root fields, the types of their inputs and outputs, and the relationships to tables. */

import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { selectAccess } from '../model/access.ts';
import type {
  Action,
  ActionRelationship,
  EnumRef,
  InputField,
  InputNamed,
  OutputNamed,
  OutputObject,
  ScalarRef,
  TypeRef,
} from '../model/action-model.ts';
import { bound } from './binding.ts';
import type { RootFields, TypeRegistry } from './registry.ts';
import { makeScalar } from './scalars.ts';

type Field = GraphQLFieldConfig<unknown, unknown>;
type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The fields of the actions that the role may call, and through them all types that they use. */
export function actionFields(registry: TypeRegistry): RootFields {
  const roots: { readonly query: Fields; readonly mutation: Fields } = { query: {}, mutation: {} };
  for (const action of registry.model.actions.values()) {
    if (registry.role !== ADMIN_ROLE && !action.roles.has(registry.role)) continue;
    roots[action.type][action.name] = {
      type: outputType(registry, action.output),
      args: argumentsOf(registry, action),
      extensions: bound({ kind: 'action', action }),
      ...described(action.comment),
    };
  }
  return roots;
}

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

function argumentsOf(registry: TypeRegistry, action: Action): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(action.arguments.map((argument) => [argument.name, inputField(registry, argument)]));
}

function inputField(registry: TypeRegistry, field: InputField) {
  return { type: inputType(registry, field.type), ...described(field.description) };
}

function inputType(registry: TypeRegistry, type: TypeRef<InputNamed>): GraphQLInputType {
  switch (type.kind) {
    case 'named':
      return inputNamed(registry, type.type);
    case 'list':
      return new GraphQLList(inputType(registry, type.of));
    case 'nonNull':
      return new GraphQLNonNull(inputType(registry, type.of));
    default:
      return type satisfies never;
  }
}

function inputNamed(registry: TypeRegistry, type: InputNamed): GraphQLInputType {
  if (type.kind !== 'input') return leaf(registry, type);
  return registry.named(
    type.name,
    () =>
      new GraphQLInputObjectType({
        name: type.name,
        ...described(type.description),
        fields: () => Object.fromEntries([...type.fields].map(([name, field]) => [name, inputField(registry, field)])),
      }),
  );
}

function leaf(registry: TypeRegistry, type: ScalarRef | EnumRef) {
  if (type.kind === 'scalar') {
    if (type.origin !== 'custom') return registry.scalar(type.name);
    return registry.named(type.name, () => makeScalar(type.name, type.description));
  }
  return registry.named(
    type.name,
    () =>
      new GraphQLEnumType({
        name: type.name,
        ...described(type.description),
        values: Object.fromEntries(
          type.values.map(({ value, description, deprecated }) => [
            value,
            { ...described(description), ...(deprecated && { deprecationReason: 'No longer supported' }) },
          ]),
        ),
      }),
  );
}

function outputType(registry: TypeRegistry, type: TypeRef<OutputNamed>): GraphQLOutputType {
  switch (type.kind) {
    case 'named':
      return type.type.kind === 'object' ? objectType(registry, type.type) : leaf(registry, type.type);
    case 'list':
      return new GraphQLList(outputType(registry, type.of));
    case 'nonNull':
      return new GraphQLNonNull(outputType(registry, type.of));
    default:
      return type satisfies never;
  }
}

/** Fields are made late, so that types may refer to each other in circles. */
function objectType(registry: TypeRegistry, object: OutputObject): GraphQLObjectType {
  return registry.named(
    object.name,
    () =>
      new GraphQLObjectType({
        name: object.name,
        ...described(object.description),
        fields: () => fieldsOf(registry, object),
      }),
  );
}

function fieldsOf(registry: TypeRegistry, object: OutputObject): Fields {
  const fields: Fields = {};
  for (const [name, field] of object.fields) {
    fields[name] = {
      type: outputType(registry, field.type),
      extensions: bound({ kind: 'outputField', field }),
      ...described(field.description),
    };
  }
  for (const relationship of object.relationships.values()) Object.assign(fields, joined(registry, relationship));
  return fields;
}

/** Nothing when the role may select nothing of the table. */
function joined(registry: TypeRegistry, relationship: ActionRelationship): Fields {
  const { name, kind, table } = relationship;
  const row = registry.row(table);
  const access = selectAccess(table, registry.role);
  if (row === undefined || access === undefined) return {};
  if (kind === 'object') {
    return { [name]: { type: row, extensions: bound({ kind: 'actionRelationship', relationship, access }) } };
  }
  const list: Field = {
    type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(row))),
    args: registry.listArguments(table),
    extensions: bound({ kind: 'actionRelationship', relationship, access }),
  };
  const summary = registry.aggregate(table);
  if (summary === undefined) return { [name]: list };
  const aggregate: Field = {
    type: new GraphQLNonNull(summary),
    args: registry.listArguments(table),
    extensions: bound({ kind: 'actionRelationshipAggregate', relationship, access }),
  };
  return { [name]: list, [`${name}_aggregate`]: aggregate };
}
