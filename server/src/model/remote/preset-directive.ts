/** Reads the directive `@preset` in the SDL of a role's permission on a remote schema. */
import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type ConstObjectValueNode,
  type ConstValueNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
  Kind,
  print,
  valueFromAST,
} from 'graphql';
import { choice } from './arguments.ts';
import type { Preset } from './schema-view.ts';

/** The state of reading one permission. */
export interface Reading {
  readonly sessionPrefix: string;
  readonly problems: string[];
  /** Filled while types are read, and checked when all are. */
  readonly presetEnums: PresetEnum[];
}

/** A value of an enum in a preset. */
export interface PresetEnum {
  readonly where: string;
  readonly type: string;
  readonly value: string;
}

/** Reads `@preset(value: ..., static: ...)` of an argument or input field of `type`, which `where` describes. */
export function readPreset(
  directive: ConstDirectiveNode,
  type: GraphQLInputType,
  where: string,
  reading: Reading,
): Preset | undefined {
  const { problems } = reading;
  const value = argumentNamed(directive.arguments, 'value');
  const isStatic = argumentNamed(directive.arguments, 'static');
  const unknown = directive.arguments?.find(({ name }) => name.value !== 'value' && name.value !== 'static');
  if (unknown !== undefined) problems.push(`${where}: @preset has no argument "${unknown.name.value}"`);
  if (value === undefined) {
    problems.push(`${where}: @preset needs a "value"`);
    return undefined;
  }
  if (isStatic !== undefined && isStatic.kind !== Kind.BOOLEAN) {
    problems.push(`${where}: "static" of @preset is true or false`);
  }
  const literally = isStatic?.kind === Kind.BOOLEAN && isStatic.value;
  return presetOf(value, type, { where, literally }, reading);
}

interface PresetPlace {
  readonly where: string;
  /** Whether strings are never session variables. */
  readonly literally: boolean;
}

/** Reads the value of a preset, in which a string at any depth may be the name of a session variable. */
function presetOf(
  value: ConstValueNode,
  type: GraphQLInputType,
  place: PresetPlace,
  reading: Reading,
): Preset | undefined {
  const { where, literally } = place;
  const { problems, sessionPrefix, presetEnums } = reading;
  const nullable = getNullableType(type);
  if (value.kind === Kind.STRING && !literally && value.value.toLowerCase().startsWith(sessionPrefix)) {
    return { kind: 'session', name: value.value.toLowerCase() };
  }
  if (value.kind === Kind.ENUM && isEnumType(getNamedType(type))) {
    presetEnums.push({ where, type: getNamedType(type).name, value: value.value });
  }
  if (value.kind === Kind.LIST && isListType(nullable)) {
    const items = value.values.map((item) => presetOf(item, nullable.ofType, place, reading));
    if (!items.every(isRead)) return undefined;
    return items.every(({ kind }) => kind === 'static') ? { kind: 'static', value } : { kind: 'list', items };
  }
  if (isListType(nullable) && value.kind === Kind.OBJECT) return presetOf(value, nullable.ofType, place, reading);
  if (value.kind === Kind.OBJECT && isInputObjectType(nullable)) return objectPreset(value, nullable, place, reading);
  if (valueFromAST(value, type) === undefined) {
    problems.push(`${where}: the preset ${print(value)} is not a value of type ${type}`);
    return undefined;
  }
  return { kind: 'static', value };
}

function isRead(preset: Preset | undefined): preset is Preset {
  return preset !== undefined;
}

function objectPreset(
  value: ConstObjectValueNode,
  type: GraphQLInputObjectType,
  place: PresetPlace,
  reading: Reading,
): Preset | undefined {
  const { where } = place;
  const { problems } = reading;
  const declared = type.getFields();
  const members = new Map<string, Preset>();
  const before = problems.length;
  for (const { name, value: member } of value.fields) {
    const own = declared[name.value];
    if (own === undefined) {
      problems.push(`${where}: type ${type} has no field "${name.value}"${choice(Object.keys(declared))}`);
      continue;
    }
    if (members.has(own.name)) problems.push(`${where}: the preset has the field "${own.name}" twice`);
    const preset = presetOf(member, own.type, { ...place, where: `field "${own.name}" in ${where}` }, reading);
    if (preset !== undefined) members.set(own.name, preset);
  }
  for (const field of Object.values(declared)) {
    if (!isRequiredInputField(field) || value.fields.some(({ name }) => name.value === field.name)) continue;
    problems.push(`${where}: the preset needs the field "${field.name}" of type ${field.type}`);
  }
  if (problems.length > before) return undefined;
  return [...members.values()].every(({ kind }) => kind === 'static')
    ? { kind: 'static', value }
    : { kind: 'object', members };
}

function argumentNamed(list: readonly ConstArgumentNode[] | undefined, name: string): ConstValueNode | undefined {
  return list?.find((one) => one.name.value === name)?.value;
}
