/** Compares two schemas by schema coordinate, and marks changes that may break requests. */
import type { SchemaChange } from '@joinery/metadata/api/metadata';
import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  print,
} from 'graphql';

interface Part {
  readonly text: string;
  /** The field of an argument; the type of other members; undefined for a type. */
  readonly owner: string | undefined;
  readonly use: 'type' | 'output' | 'input' | 'member';
  /** Whether an input is required. */
  readonly required: boolean;
}

/** The changes in order of coordinates. The members of an added or removed type or field are not listed. */
export function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): readonly SchemaChange[] {
  const [old, now] = [partsOf(before), partsOf(after)];
  const places = [...new Set([...old.keys(), ...now.keys()])].sort();
  return places.flatMap((at): SchemaChange[] => {
    const [from, to] = [old.get(at), now.get(at)];
    if (from === undefined && to !== undefined) {
      if (to.owner !== undefined && !old.has(to.owner)) return [];
      return [{ at, change: 'added', ...shown('to', to), breaking: to.use === 'input' && to.required }];
    }
    if (from === undefined) return [];
    if (to === undefined) {
      if (from.owner !== undefined && !now.has(from.owner)) return [];
      return [{ at, change: 'removed', ...shown('from', from), breaking: true }];
    }
    if (from.text === to.text) return [];
    return [{ at, change: 'changed', ...shown('from', from), ...shown('to', to), breaking: !isHarmless(from, to) }];
  });
}

function shown<Key extends 'from' | 'to'>(key: Key, { use, text }: Part): Partial<Record<Key, string>> {
  return use === 'member' ? {} : ({ [key]: text } as Record<Key, string>);
}

/** Whether an output became non-null, or an input became optional. */
function isHarmless(from: Part, to: Part): boolean {
  if (to.use === 'output') return to.text === `${from.text}!`;
  return to.use === 'input' && !to.required && typeOnly(from.text) === typeOnly(to.text);
}

function typeOnly(text: string): string | undefined {
  return text.split(' = ')[0]?.replace(/!$/, '');
}

function partsOf(schema: GraphQLSchema): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    parts.set(type.name, { text: kindOf(type), owner: undefined, use: 'type', required: false });
    for (const [at, part] of membersOf(type)) parts.set(at, { owner: type.name, ...part });
  }
  return parts;
}

type Member = readonly [at: string, part: Omit<Part, 'owner'> & Partial<Pick<Part, 'owner'>>];

function membersOf(type: GraphQLNamedType): readonly Member[] {
  const { name } = type;
  if (isEnumType(type)) return type.getValues().map((value) => [`${name}.${value.name}`, aMember]);
  if (isUnionType(type)) return type.getTypes().map((one) => [`${name} = ${one.name}`, aMember]);
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((field) => [`${name}.${field.name}`, input(field)]);
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const interfaces = type.getInterfaces().map((one): Member => [`${name} implements ${one.name}`, aMember]);
  const fields = Object.values(type.getFields()).flatMap((field): Member[] => {
    const at = `${name}.${field.name}`;
    return [[at, output(field.type)], ...field.args.map((arg) => argument(at, arg))];
  });
  return [...interfaces, ...fields];
}

function argument(field: string, arg: GraphQLArgument): Member {
  return [`${field}(${arg.name}:)`, { ...input(arg), owner: field }];
}

const aMember = { text: '', use: 'member', required: false } as const;

function output(type: GraphQLOutputType): Omit<Part, 'owner'> {
  return { text: String(type), use: 'output', required: false };
}

function input({ type, defaultValue }: GraphQLArgument | GraphQLInputField): Omit<Part, 'owner'> {
  const written = defaultValue === undefined ? undefined : printed(defaultValue, type);
  return {
    text: written === undefined ? String(type) : `${type} = ${written}`,
    use: 'input',
    required: isNonNullType(type) && defaultValue === undefined,
  };
}

function printed(value: unknown, type: GraphQLInputType): string | undefined {
  const node = astFromValue(value, type);
  return node ? print(node) : undefined;
}

function kindOf(type: GraphQLNamedType): string {
  if (isEnumType(type)) return 'enum';
  if (isUnionType(type)) return 'union';
  if (isInputObjectType(type)) return 'input';
  if (isInterfaceType(type)) return 'interface';
  return isObjectType(type) ? 'type' : 'scalar';
}
