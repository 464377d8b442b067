/** The permission SDL of a role as a tree of types, fields, arguments and presets. Pure. */
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  parse,
  parseConstValue,
  print,
  printType,
} from 'graphql';
import { valueOfText } from '../../../shared/remote-fields/argument-values.ts';
import { withoutDescriptions } from '../../../ui/editor/sdl-text.ts';
import { completed, definitionsIn, nameOf, printed, reachable, rootsOf } from './permission-definitions.ts';

export interface TreeInput {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly isChosen: boolean;
  /** The preset value as the input shows it. Undefined without `@preset`. */
  readonly preset: string | undefined;
}

export interface TreeMember {
  readonly name: string;
  /** Empty for values of enums and members of unions. */
  readonly type: string;
  readonly isChosen: boolean;
  readonly inputs: readonly TreeInput[];
}

export interface TreeType {
  readonly name: string;
  readonly isRoot: boolean;
  readonly members: readonly TreeMember[];
}

/** A member of a type, or an argument of it. */
export interface Place {
  readonly type: string;
  readonly member: string;
  readonly argument?: string;
}

/** Returns the root types and those that the SDL has. Undefined for a syntax error. */
export function permissionTree(text: string, schema: GraphQLSchema): readonly TreeType[] | undefined {
  const definitions = definitionsIn(text);
  if (definitions === undefined) return undefined;
  const roots = new Set(rootsOf(schema).map(({ name }) => name));
  const others = definitions.map(nameOf).filter((name) => name !== undefined && !roots.has(name));
  return [...roots, ...others].flatMap((name) => {
    const type = schema.getType(name ?? '');
    const definition = definitions.find((one) => nameOf(one) === name);
    const members = type === undefined ? [] : treeMembers(type, definition);
    return type === undefined || members.length === 0
      ? []
      : [{ name: type.name, isRoot: roots.has(type.name), members }];
  });
}

function treeMembers(type: GraphQLNamedType, definition: DefinitionNode | undefined): readonly TreeMember[] {
  const chosen = new Map(membersOf(definition).map((one) => [one.name.value, one]));
  if (isEnumType(type)) return type.getValues().map(({ name }) => plainMember(name, chosen.has(name)));
  if (isUnionType(type)) return type.getTypes().map(({ name }) => plainMember(name, chosen.has(name)));
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((field) => {
      const node = chosen.get(field.name);
      const own = { name: field.name, type: field.type, isChosen: node !== undefined, preset: presetOf(node) };
      return { name: field.name, type: String(field.type), isChosen: own.isChosen, inputs: [own] };
    });
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).map((field) => {
    const node = chosen.get(field.name);
    const written = node !== undefined && 'arguments' in node ? (node.arguments ?? []) : [];
    const inputs = field.args.map((argument): TreeInput => {
      const own = written.find((one) => one.name.value === argument.name);
      return { name: argument.name, type: argument.type, isChosen: own !== undefined, preset: presetOf(own) };
    });
    return { name: field.name, type: String(field.type), isChosen: node !== undefined, inputs };
  });
}

function plainMember(name: string, isChosen: boolean): TreeMember {
  return { name, type: '', isChosen, inputs: [] };
}

interface Directed {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

function presetOf(node: object | undefined): string | undefined {
  const { directives = [] } = (node ?? {}) as Directed;
  const value = directives
    .find(({ name }) => name.value === 'preset')
    ?.arguments?.find(({ name }) => name.value === 'value')?.value;
  if (value === undefined) return undefined;
  return value.kind === Kind.STRING ? value.value : print(value);
}

function membersOf(definition: DefinitionNode | undefined) {
  switch (definition?.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return definition.fields ?? [];
    case Kind.ENUM_TYPE_DEFINITION:
      return definition.values ?? [];
    case Kind.UNION_TYPE_DEFINITION:
      return definition.types ?? [];
    default:
      return [];
  }
}

/** Returns the SDL with a member or an argument added, with the types that it needs, or removed. */
export function withChoice(text: string, schema: GraphQLSchema, place: Place, isChosen: boolean): string {
  const definitions = definitionsIn(text);
  const whole = wholeDefinition(schema, place.type);
  if (definitions === undefined || whole === undefined) return text;
  const isKnown = definitions.some((one) => nameOf(one) === place.type);
  const all = isKnown ? definitions : [emptied(whole), ...definitions];
  const changed = all.map((one) => (nameOf(one) === place.type ? chosenIn(one, whole, place, isChosen) : one));
  const kept = changed.filter((one) => nameOf(one) !== place.type || membersOf(one).length > 0);
  return printed(isChosen ? completed(kept, schema) : reachable(kept, schema));
}

function wholeDefinition(schema: GraphQLSchema, name: string): DefinitionNode | undefined {
  const type = schema.getType(name);
  return type && parse(withoutDescriptions(printType(type)), { noLocation: true }).definitions[0];
}

function emptied(definition: DefinitionNode): DefinitionNode {
  return 'fields' in definition ? { ...definition, fields: [] } : definition;
}

function chosenIn(definition: DefinitionNode, whole: DefinitionNode, place: Place, isChosen: boolean): DefinitionNode {
  const { member, argument } = place;
  const change = <Node extends { readonly name: { readonly value: string } }>(
    own: readonly Node[] = [],
    offered: readonly Node[] = [],
    name = member,
  ): readonly Node[] => {
    const others = own.filter((one) => one.name.value !== name);
    return isChosen ? [...others, ...offered.filter((one) => one.name.value === name)] : others;
  };
  if (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) {
    if (whole.kind !== definition.kind) return definition;
    if (argument === undefined) return { ...definition, fields: change(definition.fields, whole.fields) };
    const offered = whole.fields?.find((one) => one.name.value === member)?.arguments;
    return {
      ...definition,
      fields: (definition.fields ?? []).map((one) =>
        one.name.value === member ? { ...one, arguments: change(one.arguments, offered, argument) } : one,
      ),
    };
  }
  if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && whole.kind === definition.kind) {
    return { ...definition, fields: change(definition.fields, whole.fields) };
  }
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION && whole.kind === definition.kind) {
    return { ...definition, values: change(definition.values, whole.values) };
  }
  if (definition.kind === Kind.UNION_TYPE_DEFINITION && whole.kind === definition.kind) {
    return { ...definition, types: change(definition.types, whole.types) };
  }
  return definition;
}

/** Returns the SDL with another preset of an argument or of an input field. Undefined removes it. */
export function withPreset(text: string, schema: GraphQLSchema, place: Place, preset: string | undefined): string {
  const definitions = definitionsIn(text);
  const input = permissionTree(text, schema)
    ?.find(({ name }) => name === place.type)
    ?.members.find(({ name }) => name === place.member)
    ?.inputs.find(({ name }) => name === (place.argument ?? place.member));
  if (definitions === undefined || input === undefined) return text;
  const change = <Node extends Directed>(node: Node): Node => {
    const { directives = [] } = node;
    const former = directives.find(({ name }) => name.value === 'preset');
    const others = directives.filter((one) => one !== former);
    const given = preset === undefined ? [] : [presetDirective(preset, input.type, former)];
    return { ...node, directives: [...others, ...given] };
  };
  return printed(
    definitions.map((one) => {
      if (nameOf(one) !== place.type) return one;
      if (one.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
        return {
          ...one,
          fields: (one.fields ?? []).map((field) => (field.name.value === place.member ? change(field) : field)),
        };
      }
      if (one.kind !== Kind.OBJECT_TYPE_DEFINITION && one.kind !== Kind.INTERFACE_TYPE_DEFINITION) return one;
      const fields = (one.fields ?? []).map((field) => {
        if (field.name.value !== place.member) return field;
        const own = (field.arguments ?? []).map((each) => (each.name.value === place.argument ? change(each) : each));
        return { ...field, arguments: own };
      });
      return { ...one, fields };
    }),
  );
}

/** Other arguments of the directive, such as `static`, are preserved. */
function presetDirective(
  text: string,
  type: GraphQLInputType,
  former: ConstDirectiveNode | undefined,
): ConstDirectiveNode {
  const others = former?.arguments?.filter(({ name }) => name.value !== 'value') ?? [];
  const value = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'value' }, value: literal(text, type) } as const;
  return { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'preset' }, arguments: [value, ...others] };
}

/** Text that is no value of the type becomes a string, such as the name of a session variable. */
function literal(text: string, type: GraphQLInputType) {
  const named = getNamedType(type);
  if (isEnumType(named) && named.getValue(text) !== undefined) return parseConstValue(text, { noLocation: true });
  const value = valueOfText(text, type);
  const asString = parseConstValue(JSON.stringify(text), { noLocation: true });
  if (typeof value === 'string' || value === null) return asString;
  try {
    return parseConstValue(text, { noLocation: true });
  } catch {
    return asString;
  }
}
