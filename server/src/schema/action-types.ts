/** Actions in a role's schema: root fields, the types of their inputs and outputs, and what these are joined to. */

import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import type {
  Action,
  EnumRef,
  InputField,
  InputNamed,
  OutputNamed,
  OutputObject,
  ScalarRef,
  TypeRef,
} from '../model/action-model.ts';
import { actionResults } from './action-results.ts';
import { bound } from './binding.ts';
import type { RootFields, TypeRegistry } from './registry.ts';
import { makeScalar } from './scalars.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The fields of the actions that the role may call, and through them all types that they use. */
export function actionFields(registry: TypeRegistry): RootFields {
  const roots: { readonly query: Fields; readonly mutation: Fields } = { query: {}, mutation: {} };
  for (const action of registry.model.actions.values()) {
    if (registry.role !== ADMIN_ROLE && !action.roles.has(registry.role)) continue;
    roots[action.type][action.name] = {
      type: action.asynchronous ? new GraphQLNonNull(registry.scalar('uuid')) : outputType(registry, action.output),
      args: argumentsOf(registry, action),
      extensions: bound({ kind: 'action', action }),
      ...described(action.comment),
    };
  }
  return { ...roots, query: { ...roots.query, ...actionSubscriptionFields(registry) } };
}

/** As far as the role may call the actions that run asynchronously. */
export function actionSubscriptionFields(registry: TypeRegistry): Fields {
  return actionResults(registry, (action) => outputType(registry, action.output));
}

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

/** All arguments of the action. */
export function argumentsOf(registry: TypeRegistry, action: Action): GraphQLFieldConfigArgumentMap {
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

/** The type of what an action answers. */
export function outputType(registry: TypeRegistry, type: TypeRef<OutputNamed>): GraphQLOutputType {
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
  return Object.assign(fields, registry.outputJoins(object));
}
