/** Parses a role's permission on a remote schema, which is SDL, against the introspected schema. */
import {
  astFromValue,
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  Kind,
  type NamedTypeNode,
  parse,
  print,
  type TypeDefinitionNode,
  type TypeNode,
  type ValueNode,
  valueFromAST,
} from 'graphql';
import { choice } from './arguments.ts';
import { type PresetEnum, type Reading, readPreset } from './preset-directive.ts';
import type { PermittedType, Preset, Presets } from './schema-view.ts';

/** The permitted parts of each type. They are usable only if `problems`, with a message for each error, is empty. */
export function readPermission(
  sdl: string,
  upstream: GraphQLSchema,
  sessionPrefix: string,
): { readonly permitted: ReadonlyMap<string, PermittedType>; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const permitted = new Map<string, PermittedType>();
  let definitions: readonly DefinitionNode[] = [];
  try {
    definitions = parse(sdl, { noLocation: true }).definitions;
  } catch (error) {
    problems.push(`it is not valid SDL: ${error instanceof Error ? error.message : String(error)}`);
  }
  const roots = rootNames(upstream);
  const presetEnums: PresetEnum[] = [];
  if (definitions.filter(({ kind }) => kind === Kind.SCHEMA_DEFINITION).length > 1) {
    problems.push('it has more than one schema definition');
  }
  for (const definition of definitions) {
    if (definition.kind === Kind.SCHEMA_DEFINITION) {
      for (const { operation, type } of definition.operationTypes) {
        const own = roots[operation];
        if (own !== type.name.value) {
          problems.push(`the ${operation} root is "${type.name.value}", and the remote schema has ${quoted(own)}`);
        }
      }
    } else if (isTypeDefinition(definition)) {
      const { value: name } = definition.name;
      if (permitted.has(name)) problems.push(`type "${name}" is defined twice`);
      const type = upstream.getType(name);
      permitted.set(name, readType(definition, type, { sessionPrefix, problems, presetEnums }));
    } else if (definition.kind !== Kind.DIRECTIVE_DEFINITION || definition.name.value !== 'preset') {
      problems.push(`${definition.kind} has no meaning here; write the types that the role may see`);
    }
  }
  for (const { where, type, value } of presetEnums) {
    if (permitted.get(type)?.names.has(value) !== true) {
      problems.push(`${where}: the preset ${value} is not among the values that the role has of enum "${type}"`);
    }
  }
  if (problems.length === 0) problems.push(...undefinedTypes(definitions, permitted));
  if (problems.length === 0 && (roots.query === undefined || !permitted.has(roots.query))) {
    problems.push(`the query root ${quoted(roots.query)} is missing`);
  }
  return { permitted, problems };
}

function rootNames(upstream: GraphQLSchema): Readonly<Record<string, string | undefined>> {
  return {
    query: upstream.getQueryType()?.name,
    mutation: upstream.getMutationType()?.name,
    subscription: upstream.getSubscriptionType()?.name,
  };
}

function quoted(name: string | undefined): string {
  return name === undefined ? 'none' : `"${name}"`;
}

function isTypeDefinition(definition: DefinitionNode): definition is TypeDefinitionNode {
  return definition.kind.endsWith('TypeDefinition');
}

const nothing: PermittedType = { fields: new Map(), presets: new Map(), names: new Set() };

const kinds: Readonly<Record<TypeDefinitionNode['kind'], (type: GraphQLNamedType) => boolean>> = {
  [Kind.OBJECT_TYPE_DEFINITION]: isObjectType,
  [Kind.INTERFACE_TYPE_DEFINITION]: isInterfaceType,
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: isInputObjectType,
  [Kind.ENUM_TYPE_DEFINITION]: isEnumType,
  [Kind.UNION_TYPE_DEFINITION]: isUnionType,
  [Kind.SCALAR_TYPE_DEFINITION]: isScalarType,
};

function readType(node: TypeDefinitionNode, type: GraphQLNamedType | undefined, reading: Reading): PermittedType {
  const { problems } = reading;
  const name = node.name.value;
  if (type === undefined) {
    problems.push(`the remote schema has no type "${name}"`);
    return nothing;
  }
  if (!kinds[node.kind](type)) {
    problems.push(`type "${name}" is of another kind in the remote schema`);
    return nothing;
  }
  rejectDirectives(node.directives, `type "${name}"`, problems);
  if (node.kind === Kind.ENUM_TYPE_DEFINITION && isEnumType(type)) {
    const values = type.getValues().map((value) => value.name);
    return {
      ...nothing,
      names: subset(
        node.values?.map((one) => one.name.value),
        values,
        `enum "${name}"`,
        problems,
      ),
    };
  }
  if (node.kind === Kind.UNION_TYPE_DEFINITION && isUnionType(type)) {
    const members = type.getTypes().map((one) => one.name);
    return { ...nothing, names: subset(node.types?.map(nameOf), members, `union "${name}"`, problems) };
  }
  if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && isInputObjectType(type)) {
    const presets = new Map<string, Preset>();
    const fields = new Map<string, ReadonlySet<string>>();
    const declared = type.getFields();
    for (const field of node.fields ?? []) {
      const where = `field "${field.name.value}" of input object "${name}"`;
      const own = declared[field.name.value];
      if (own === undefined) {
        problems.push(`${where} is not in the remote schema${choice(Object.keys(declared))}`);
        continue;
      }
      if (fields.has(own.name)) problems.push(`${where} is defined twice`);
      fields.set(own.name, new Set());
      const preset = readInput(field, own, where, reading);
      if (preset !== undefined) presets.set(own.name, preset);
    }
    for (const field of Object.values(declared)) {
      if (!isRequiredInputField(field) || fields.has(field.name)) continue;
      problems.push(`input object "${name}" needs its field "${field.name}" of type ${field.type}`);
    }
    return { fields, presets, names: new Set() };
  }
  if ('fields' in node && (isObjectType(type) || isInterfaceType(type))) {
    const presets = new Map<string, Preset>();
    const fields = new Map<string, ReadonlySet<string>>();
    for (const field of (node.fields ?? []) as readonly FieldDefinitionNode[]) {
      readField(field, type, { fields, presets }, reading);
    }
    const interfaces = type.getInterfaces().map((one) => one.name);
    const written = 'interfaces' in node ? node.interfaces?.map(nameOf) : [];
    return { fields, presets, names: subset(written, interfaces, `the interfaces of type "${name}"`, problems) };
  }
  return nothing;
}

function readField(
  node: FieldDefinitionNode,
  type: Extract<GraphQLNamedType, { getInterfaces: unknown }>,
  into: { readonly fields: Map<string, ReadonlySet<string>>; readonly presets: Map<string, Preset> },
  reading: Reading,
): void {
  const { problems } = reading;
  const where = `field "${node.name.value}" of type "${type.name}"`;
  const declared = type.getFields();
  const field = declared[node.name.value];
  if (field === undefined) {
    problems.push(`${where} is not in the remote schema${choice(Object.keys(declared))}`);
    return;
  }
  if (into.fields.has(field.name)) problems.push(`${where} is defined twice`);
  rejectDirectives(node.directives, where, problems);
  if (print(node.type) !== String(field.type)) {
    problems.push(`${where} has type ${print(node.type)}, and in the remote schema it has type ${field.type}`);
  }
  const args = new Set<string>();
  for (const argument of node.arguments ?? []) {
    const own = field.args.find((one) => one.name === argument.name.value);
    if (own === undefined) {
      problems.push(`argument "${argument.name.value}" of ${where} is not in the remote schema`);
      continue;
    }
    if (args.has(own.name)) problems.push(`argument "${own.name}" of ${where} is defined twice`);
    args.add(own.name);
    const preset = readInput(argument, own, `argument "${own.name}" of ${where}`, reading);
    if (preset !== undefined) into.presets.set(`${field.name}.${own.name}`, preset);
  }
  for (const own of field.args) {
    if (!isRequiredArgument(own) || args.has(own.name)) continue;
    problems.push(`${where} needs its argument "${own.name}" of type ${own.type}; write it, with @preset if need be`);
  }
  into.fields.set(field.name, args);
}

/** Checks the type of an argument or input field, and parses its preset. */
function readInput(
  node: InputValueDefinitionNode,
  { type, defaultValue }: Pick<GraphQLArgument, 'type' | 'defaultValue'>,
  where: string,
  reading: Reading,
): Preset | undefined {
  const { problems } = reading;
  if (node.defaultValue !== undefined && !isDefault(node.defaultValue, type, defaultValue)) {
    problems.push(`${where} has the default value ${print(node.defaultValue)}, and another in the remote schema`);
  }
  if (print(node.type) !== String(type)) {
    problems.push(`${where} has type ${print(node.type)}, and in the remote schema it has type ${type}`);
  }
  const presets = (node.directives ?? []).filter(({ name }) => name.value === 'preset');
  rejectDirectives(
    node.directives?.filter(({ name }) => name.value !== 'preset'),
    where,
    problems,
  );
  const [preset, second] = presets;
  if (second !== undefined) problems.push(`${where} has two presets`);
  return preset && readPreset(preset, type, where, reading);
}

/** Whether a written default value equals that of the remote schema. */
function isDefault(written: ConstValueNode, type: GraphQLInputType, known: unknown): boolean {
  const own = known === undefined ? undefined : astFromValue(known, type);
  if (own === undefined || own === null) return false;
  const value = (node: ValueNode): string => JSON.stringify(valueFromAST(node, type));
  return value(written) === value(own);
}

/** Text that is equal for permissions with the same meaning, whatever the order of their parts. */
export function permissionKey(permitted: ReadonlyMap<string, PermittedType>): string {
  const types = [...permitted].filter(([name]) => !isSpecifiedScalarType({ name } as GraphQLNamedType));
  const written = types.map(([name, { fields, presets, names }]) => [
    name,
    [...fields].map(([field, args]) => [field, [...args].sort()]).sort(byText),
    presetsKey(presets),
    [...names].sort(),
  ]);
  return JSON.stringify(written.sort(byText));
}

function presetsKey(presets: Presets): unknown {
  return [...presets].map(([name, preset]) => [name, presetKey(preset)]).sort(byText);
}

function presetKey(preset: Preset): unknown {
  switch (preset.kind) {
    case 'static':
      return ['static', print(preset.value)];
    case 'session':
      return ['session', preset.name];
    case 'object':
      return ['object', presetsKey(preset.members)];
    case 'list':
      return ['list', preset.items.map(presetKey)];
    default:
      return preset satisfies never;
  }
}

function byText(one: unknown, other: unknown): number {
  const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
  return left < right ? -1 : Number(left > right);
}

function rejectDirectives(
  directives: readonly ConstDirectiveNode[] | undefined,
  where: string,
  problems: string[],
): void {
  for (const { name } of directives ?? []) {
    if (name.value === 'deprecated' || name.value === 'specifiedBy' || name.value === 'oneOf') continue;
    problems.push(`${where} has the directive @${name.value}, which has no meaning there`);
  }
}

function subset(
  written: readonly string[] | undefined,
  known: readonly string[],
  where: string,
  problems: string[],
): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const name of written ?? []) {
    if (seen.has(name)) problems.push(`"${name}" is twice among ${where}`);
    seen.add(name);
    if (!known.includes(name)) problems.push(`"${name}" is not in the remote schema among ${where}${choice(known)}`);
  }
  return seen;
}

function nameOf({ name }: NamedTypeNode): string {
  return name.value;
}

/** A message for each type that is used and not defined. */
function undefinedTypes(
  definitions: readonly DefinitionNode[],
  permitted: ReadonlyMap<string, PermittedType>,
): readonly string[] {
  const missing = new Set<string>();
  const note = (type: TypeNode): void => {
    if (type.kind !== Kind.NAMED_TYPE) note(type.type);
    else if (!permitted.has(type.name.value) && !isSpecifiedScalarType({ name: type.name.value } as GraphQLNamedType)) {
      missing.add(type.name.value);
    }
  };
  for (const definition of definitions) {
    if ('interfaces' in definition) definition.interfaces?.forEach(note);
    if ('types' in definition) definition.types?.forEach(note);
    if (!('fields' in definition)) continue;
    for (const field of definition.fields ?? []) {
      note(field.type);
      if ('arguments' in field) for (const argument of field.arguments ?? []) note(argument.type);
    }
  }
  return [...missing].map((name) => `type "${name}" is used and not defined; write it too`);
}
