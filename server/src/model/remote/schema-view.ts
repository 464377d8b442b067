/** Views of a remote schema: the part that a role sees, under customized names. */

import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import {
  GraphQLEnumType as EnumType,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLInputField,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLUnionType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
  type ValueNode,
} from 'graphql';
import type { RemoteSchema } from '../types/table.ts';

/** A value that the service sends and the caller cannot set: a constant or a session variable. */
export type Preset =
  | { readonly kind: 'static'; readonly value: ValueNode }
  /** In lower case. */
  | { readonly kind: 'session'; readonly name: string }
  /** An input object of presets. */
  | { readonly kind: 'object'; readonly members: Presets }
  | { readonly kind: 'list'; readonly items: readonly Preset[] };

/** By upstream name of the argument or input field. */
export type Presets = ReadonlyMap<string, Preset>;

/** The permitted part of a type. */
export interface PermittedType {
  /** Fields of objects, interfaces and input objects by name, with their permitted arguments. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** By `field.argument`; of input objects by field. */
  readonly presets: Presets;
  /** The values of an enum, members of a union, or interfaces of an object. */
  readonly names: ReadonlySet<string>;
}

/** Maps upstream names to names of the view. */
export interface RemoteNames {
  readonly type: (name: string) => string;
  readonly field: (parent: string, name: string) => string;
}

export const ownNames: RemoteNames = { type: (name) => name, field: (_parent, name) => name };

const key = 'joineryUpstream';
const presetsKey = 'joineryPresets';

/** The upstream name of a type or field of a view. */
export function upstreamName({ name, extensions }: Pick<GraphQLNamedType, 'name' | 'extensions'>): string {
  const own = extensions[key];
  return typeof own === 'string' ? own : name;
}

/** The presets of a field's arguments, or of an input type's fields. */
export function presetsOf({ extensions }: Pick<GraphQLNamedType, 'extensions'>): Presets {
  return (extensions[presetsKey] as Presets | undefined) ?? none;
}
const none: Presets = new Map();

/** Whether values of `type` of a view have presets. */
export function holdsPresets(type: GraphQLInputType, seen: Set<string> = new Set()): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || seen.has(named.name)) return false;
  seen.add(named.name);
  return presetsOf(named).size > 0 || Object.values(named.getFields()).some((field) => holdsPresets(field.type, seen));
}

/** The view of `role`; undefined if it sees nothing. `upstream` itself without permissions and customization. */
export function remoteView(remote: RemoteSchema, role: RoleName): GraphQLSchema | undefined {
  if (role === ADMIN_ROLE || remote.permissions === undefined) return remote.offered ?? remote.upstream;
  return remote.permissions.get(role);
}

/** The names of renamed types of a view, by upstream name. */
export function viewTypeNames(view: GraphQLSchema): ReadonlyMap<string, string> {
  const known = typeNames.get(view);
  if (known !== undefined) return known;
  const types = Object.values(view.getTypeMap()).filter((type) => upstreamName(type) !== type.name);
  const made = new Map(types.map((type) => [upstreamName(type), type.name]));
  typeNames.set(view, made);
  return made;
}
const typeNames = new WeakMap<GraphQLSchema, ReadonlyMap<string, string>>();

/** Whether the view has renamed fields or presets. */
export function isChanged(view: GraphQLSchema): boolean {
  return Object.values(view.getTypeMap()).some((type) => {
    if (upstreamName(type) !== type.name || presetsOf(type).size > 0) return true;
    if (!isObjectType(type) && !isInterfaceType(type)) return false;
    return Object.values(type.getFields()).some(
      (field) => upstreamName(field) !== field.name || presetsOf(field).size > 0,
    );
  });
}

type NamedOutput = Exclude<GraphQLNamedType, GraphQLInputObjectType>;
type NullableOutput = NamedOutput | GraphQLList<GraphQLOutputType>;
type NullableInput = GraphQLScalarType | GraphQLEnumType | GraphQLInputObjectType | GraphQLList<GraphQLInputType>;

type Convert<T> = (type: T) => T;

/** Returns `convert` with one result for each name. */
function once<T extends GraphQLNamedType>(convert: Convert<T>): Convert<T> {
  const converted = new Map<string, T>();
  return (type) => {
    const known = converted.get(type.name);
    if (known !== undefined) return known;
    const made = convert(type);
    converted.set(type.name, made);
    return made;
  };
}

/** Builds a view of `upstream` with the types of `permitted`, or all if undefined, under `names`. */
export function buildView(
  upstream: GraphQLSchema,
  names: RemoteNames,
  permitted?: ReadonlyMap<string, PermittedType>,
): GraphQLSchema {
  const convertScalar = once(makeScalar);
  const convertEnum = once(makeEnum);
  const convertInputObject = once(makeInputObject);
  const convertUnion = once(makeUnion);
  const convertInterface: Convert<GraphQLInterfaceType> = once((type) => new GraphQLInterfaceType(compositeOf(type)));
  const convertObject: Convert<GraphQLObjectType> = once((type) => new GraphQLObjectType(compositeOf(type)));

  function convertNamed(type: GraphQLNamedType): GraphQLNamedType {
    return isInputObjectType(type) ? convertInputObject(type) : convertNamedOutput(type);
  }

  function convertNamedOutput(type: NamedOutput): NamedOutput {
    if (isObjectType(type)) return convertObject(type);
    if (isInterfaceType(type)) return convertInterface(type);
    if (isUnionType(type)) return convertUnion(type);
    return isEnumType(type) ? convertEnum(type) : convertScalar(type);
  }

  function convertOutput(type: GraphQLOutputType): GraphQLOutputType {
    return isNonNullType(type) ? new GraphQLNonNull(convertNullableOutput(type.ofType)) : convertNullableOutput(type);
  }

  function convertNullableOutput(type: NullableOutput): NullableOutput {
    return isListType(type) ? new GraphQLList(convertOutput(type.ofType)) : convertNamedOutput(type);
  }

  function convertInput(type: GraphQLInputType): GraphQLInputType {
    return isNonNullType(type) ? new GraphQLNonNull(convertNullableInput(type.ofType)) : convertNullableInput(type);
  }

  function convertNullableInput(type: NullableInput): NullableInput {
    if (isListType(type)) return new GraphQLList(convertInput(type.ofType));
    if (isInputObjectType(type)) return convertInputObject(type);
    return isEnumType(type) ? convertEnum(type) : convertScalar(type);
  }

  const described = ({ description }: { readonly description?: string | null | undefined }) =>
    typeof description === 'string' ? { description } : {};
  const deprecated = ({ deprecationReason }: { readonly deprecationReason?: string | null | undefined }) =>
    typeof deprecationReason === 'string' ? { deprecationReason } : {};
  const rest = (type: GraphQLNamedType) => ({
    name: names.type(type.name),
    ...described(type),
    extensions: { [key]: type.name },
  });

  function makeScalar(type: GraphQLScalarType): GraphQLScalarType {
    return names.type(type.name) === type.name ? type : new GraphQLScalarType({ ...type.toConfig(), ...rest(type) });
  }

  function makeUnion(type: GraphQLUnionType): GraphQLUnionType {
    const members = () => type.getTypes().filter(({ name }) => isLeft(type, name));
    return new GraphQLUnionType({ ...rest(type), types: () => members().map(convertObject) });
  }

  function compositeOf(type: GraphQLObjectType | GraphQLInterfaceType) {
    return {
      ...rest(type),
      fields: () => fieldsOf(type),
      interfaces: () =>
        type
          .getInterfaces()
          .filter(({ name }) => isLeft(type, name))
          .map(convertInterface),
    };
  }

  const isLeft = (type: GraphQLNamedType, name: string): boolean =>
    permitted === undefined || permitted.get(type.name)?.names.has(name) === true;

  function makeEnum(type: GraphQLEnumType): GraphQLEnumType {
    const values = type.getValues().filter(({ name }) => isLeft(type, name));
    return new EnumType({
      ...rest(type),
      values: Object.fromEntries(values.map((value) => [value.name, { ...described(value), ...deprecated(value) }])),
    });
  }

  function makeInputObject(type: GraphQLInputObjectType): GraphQLInputObjectType {
    const presets = permitted?.get(type.name)?.presets ?? none;
    const left = Object.values(type.getFields()).filter(({ name }) => isFieldLeft(type, name) && !presets.has(name));
    return new GraphQLInputObjectType({
      ...rest(type),
      extensions: { [key]: type.name, [presetsKey]: presets },
      isOneOf: type.isOneOf,
      fields: () => Object.fromEntries(left.map((field) => [field.name, inputOf(field)])),
    });
  }

  const isFieldLeft = (type: GraphQLNamedType, name: string): boolean =>
    permitted === undefined || permitted.get(type.name)?.fields.has(name) === true;

  function inputOf(input: GraphQLArgument | GraphQLInputField) {
    const { defaultValue } = input;
    return {
      type: convertInput(input.type),
      ...(defaultValue !== undefined && { defaultValue }),
      ...described(input),
      ...deprecated(input),
    };
  }

  function fieldsOf(type: GraphQLObjectType | GraphQLInterfaceType) {
    const left = Object.values(type.getFields()).filter(({ name }) => isFieldLeft(type, name));
    return Object.fromEntries(left.map((field) => [names.field(type.name, field.name), fieldOf(type, field)]));
  }

  function fieldOf(
    parent: GraphQLObjectType | GraphQLInterfaceType,
    field: GraphQLField<unknown, unknown>,
  ): GraphQLFieldConfig<unknown, unknown> {
    const left = permitted?.get(parent.name);
    const presets = new Map<string, Preset>();
    const args: [string, ReturnType<typeof inputOf>][] = [];
    for (const argument of field.args) {
      const preset = left?.presets.get(`${field.name}.${argument.name}`) ?? wholePreset(argument.type);
      if (preset !== undefined) presets.set(argument.name, preset);
      else if (left === undefined || left.fields.get(field.name)?.has(argument.name)) {
        args.push([argument.name, inputOf(argument)]);
      }
    }
    return {
      type: convertOutput(field.type),
      args: Object.fromEntries(args),
      ...described(field),
      ...deprecated(field),
      extensions: { [key]: field.name, [presetsKey]: presets },
    };
  }

  /** The preset of an input object without fields that the caller can set. */
  function wholePreset(type: GraphQLInputType): Preset | undefined {
    const named = getNamedType(type);
    const left = permitted?.get(named.name);
    if (left === undefined || !isInputObjectType(named) || left.presets.size === 0) return undefined;
    const open = Object.keys(named.getFields()).some((name) => left.fields.has(name) && !left.presets.has(name));
    return open ? undefined : { kind: 'object', members: left.presets };
  }

  const root = (type: GraphQLObjectType | null | undefined): GraphQLObjectType | undefined => {
    if (type === null || type === undefined || (permitted !== undefined && !permitted.has(type.name))) return undefined;
    return convertObject(type);
  };
  const listed = Object.values(upstream.getTypeMap()).filter(
    (type) =>
      !type.name.startsWith('__') && (permitted === undefined || isScalarType(type) || permitted.has(type.name)),
  );
  const query = root(upstream.getQueryType());
  const mutation = root(upstream.getMutationType());
  return new GraphQLSchema({
    ...(query && { query }),
    ...(mutation && { mutation }),
    types: listed.map(convertNamed),
    assumeValid: true,
  });
}

/**
 * Returns what is wrong with the types of a view: each needs a part that the role may use. Input objects may have presets alone. Objects may
 * omit fields of their interfaces, as in Hasura v2.
 */
export function emptyTypes(view: GraphQLSchema): readonly string[] {
  return Object.values(view.getTypeMap()).flatMap((type) => {
    const missing = missingPart(type);
    return missing === undefined ? [] : [`type "${upstreamName(type)}" has no ${missing}`];
  });
}

function missingPart(type: GraphQLNamedType): string | undefined {
  if (isEnumType(type)) return type.getValues().length === 0 ? 'values' : undefined;
  if (isUnionType(type)) return type.getTypes().length === 0 ? 'members' : undefined;
  if (isScalarType(type) || Object.keys(type.getFields()).length > 0) return undefined;
  return isInputObjectType(type) && presetsOf(type).size > 0 ? undefined : 'fields';
}

/** The interfaces and objects among the types of a schema. */
export function composites(schema: GraphQLSchema): readonly (GraphQLObjectType | GraphQLInterfaceType)[] {
  return Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType | GraphQLInterfaceType =>
      (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__'),
  );
}
