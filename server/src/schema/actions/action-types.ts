/** Actions in a role's schema: root fields, the types of their inputs and outputs, and what these are joined to. */

import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLUnionType,
} from 'graphql';
import { namedIn } from '../../model/actions/type-expression.ts';
import type {
  Action,
  EnumRef,
  InputField,
  InputNamed,
  OutputAbstract,
  OutputField,
  OutputNamed,
  OutputObject,
  ScalarRef,
  TypeRef,
} from '../../model/types/action.ts';
import { bound } from '../binding.ts';
import { leafType } from '../enum-types.ts';
import type { RootFields, TypeRegistry } from '../registry.ts';
import { makeScalar } from '../scalars.ts';
import { actionResults } from './action-results.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The fields of the actions that the role may call, and through them all types that they use. */
export function actionFields(registry: TypeRegistry): RootFields {
  const roots: { readonly query: Fields; readonly mutation: Fields } = { query: {}, mutation: {} };
  const actions = [...registry.model.actions.values()].filter(
    ({ roles }) => registry.role === ADMIN_ROLE || roles.has(registry.role),
  );
  for (const action of actions) {
    roots[action.type][action.name] = {
      type: action.asynchronous ? new GraphQLNonNull(registry.scalar('uuid')) : outputType(registry, action.output),
      args: argumentsOf(registry, action),
      extensions: bound({ kind: 'action', action }),
      ...described(action.comment),
    };
  }
  return {
    query: { ...roots.query, ...actionSubscriptionFields(registry) },
    mutation: roots.mutation,
    types: implementations(registry, actions),
  };
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
  return {
    type: inputType(registry, field.type),
    ...described(field.description),
    ...(field.defaultValue !== undefined && { defaultValue: field.defaultValue }),
    ...(field.deprecated !== undefined && { deprecationReason: field.deprecated }),
  };
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
  if (type.column !== undefined) return leafType(registry, type.column);
  return registry.named(
    type.name,
    () =>
      new GraphQLEnumType({
        name: type.name,
        ...described(type.description),
        values: Object.fromEntries(
          type.values.map(({ value, description, deprecated }) => [
            value,
            { ...described(description), ...(deprecated !== undefined && { deprecationReason: deprecated }) },
          ]),
        ),
      }),
  );
}

/** The type of what an action answers. */
export function outputType(registry: TypeRegistry, type: TypeRef<OutputNamed>): GraphQLOutputType {
  switch (type.kind) {
    case 'named':
      return outputNamed(registry, type.type);
    case 'list':
      return new GraphQLList(outputType(registry, type.of));
    case 'nonNull':
      return new GraphQLNonNull(outputType(registry, type.of));
    default:
      return type satisfies never;
  }
}

function outputNamed(registry: TypeRegistry, type: OutputNamed): GraphQLOutputType {
  if (type.kind === 'object') return objectType(registry, type);
  return type.kind === 'abstract' ? abstractType(registry, type) : leaf(registry, type);
}

function abstractType(registry: TypeRegistry, type: OutputAbstract): GraphQLInterfaceType | GraphQLUnionType {
  const { name, form, members } = type;
  if (form === 'interface') return interfaceType(registry, type);
  return registry.named(
    name,
    () =>
      new GraphQLUnionType({
        name,
        ...described(type.description),
        types: () => members.map((member) => objectType(registry, member)),
      }),
  );
}

function interfaceType(registry: TypeRegistry, type: OutputAbstract): GraphQLInterfaceType {
  return registry.named(
    type.name,
    () =>
      new GraphQLInterfaceType({
        name: type.name,
        ...described(type.description),
        fields: () => outputFields(registry, type.fields.values()),
      }),
  );
}

/** Fields are made late, so that types may refer to each other in circles. */
function objectType(registry: TypeRegistry, object: OutputObject): GraphQLObjectType {
  return registry.named(
    object.name,
    () =>
      new GraphQLObjectType({
        name: object.name,
        ...described(object.description),
        interfaces: () => (object.interfaces ?? []).map((one) => interfaceType(registry, one)),
        fields: () => ({ ...outputFields(registry, object.fields.values()), ...registry.outputJoins(object) }),
      }),
  );
}

function outputFields(registry: TypeRegistry, fields: Iterable<OutputField>): Fields {
  const made: Fields = {};
  for (const field of fields) {
    made[field.name] = {
      type: outputType(registry, field.type),
      extensions: bound({ kind: 'outputField', field }),
      ...described(field.description),
      ...(field.deprecated !== undefined && { deprecationReason: field.deprecated }),
    };
  }
  return made;
}

/** The object types that only an interface leads to, of the actions that the role may call. */
function implementations(registry: TypeRegistry, actions: Iterable<Action>): GraphQLObjectType[] {
  const reached = new Set<OutputObject | OutputAbstract>();
  const visit = ({ type }: { readonly type: TypeRef<OutputNamed> }): void => {
    const named = namedIn(type);
    if (named.kind === 'object' || named.kind === 'abstract') reached.add(named);
  };
  for (const { output } of actions) visit({ type: output });
  // What is added while the set is walked is walked as well.
  for (const named of reached) {
    for (const field of named.fields.values()) visit(field);
    if (named.kind === 'abstract') for (const member of named.members) reached.add(member);
  }
  const interfaces = [...reached].flatMap((one) => (one.kind === 'abstract' && one.form === 'interface' ? [one] : []));
  return [...new Set(interfaces.flatMap(({ members }) => members))].map((member) => objectType(registry, member));
}
