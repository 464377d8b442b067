/** Actions and their types as SDL: written for the editor, and read from it. Pure. */
import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InputValueDefinitionNode,
  Kind,
  parse,
  print,
  type StringValueNode,
  valueFromASTUntyped,
} from 'graphql';
import type { Action, CustomTypes } from './actions-api.ts';
import { innerName } from './types-of.ts';

export interface ReadAction {
  readonly name: string;
  readonly type: 'query' | 'mutation';
  readonly arguments: readonly object[];
  readonly output_type: string;
}

type Named = { readonly name: string } & Readonly<Record<string, unknown>>;
type Kinds = 'objects' | 'input_objects' | 'enums' | 'scalars';
export type ReadTypes = Readonly<Record<Kinds, readonly Named[]>>;

/** What cannot be read, in words with its line. */
export interface SdlFault {
  readonly fault: string;
}

/** One field of `type Query` or `type Mutation`. */
export function readActionSdl(text: string): ReadAction | SdlFault {
  return reading(text, () => {
    const definitions = parse(text).definitions;
    const [only, another] = definitions;
    if (
      another !== undefined ||
      only?.kind !== Kind.OBJECT_TYPE_DEFINITION ||
      !/^(Query|Mutation)$/.test(only.name.value)
    ) {
      return { fault: 'must be one type, Query or Mutation' };
    }
    const [field, second] = only.fields ?? [];
    if (field === undefined || second !== undefined) return { fault: 'must have one field, which is the action' };
    refuseDirectives(field.directives);
    return {
      name: field.name.value,
      type: only.name.value === 'Query' ? 'query' : 'mutation',
      arguments: (field.arguments ?? []).map(inputOf),
      output_type: print(field.type),
    };
  });
}

/** Types, inputs, enums and scalars. */
export function readTypesSdl(text: string): ReadTypes | SdlFault {
  const found: Record<Kinds, Named[]> = { objects: [], input_objects: [], enums: [], scalars: [] };
  if (text.replace(/#.*/g, '').trim() === '') return found;
  return reading(text, () => {
    for (const node of parse(text).definitions) {
      switch (node.kind) {
        case Kind.OBJECT_TYPE_DEFINITION:
          if (/^(Query|Mutation)$/.test(node.name.value)) return { fault: 'the action has a field of its own, above' };
          found.objects.push({ ...named(node), fields: (node.fields ?? []).map(fieldOf) });
          break;
        case Kind.INPUT_OBJECT_TYPE_DEFINITION:
          found.input_objects.push({ ...named(node), fields: (node.fields ?? []).map(inputOf) });
          break;
        case Kind.ENUM_TYPE_DEFINITION:
          found.enums.push({
            ...named(node),
            values: (node.values ?? []).map(({ name, description }) => ({ value: name.value, ...told(description) })),
          });
          break;
        case Kind.SCALAR_TYPE_DEFINITION:
          found.scalars.push(named(node));
          break;
        default:
          return { fault: `${node.kind} is not known here: write type, input, enum or scalar` };
      }
    }
    return found;
  });
}

function reading<Read>(text: string, work: () => Read | SdlFault): Read | SdlFault {
  if (text.trim() === '') return { fault: 'must not be empty' };
  try {
    return work();
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const line = error.locations?.[0]?.line;
    return { fault: `${error.message}${line === undefined ? '' : `, in line ${line}`}` };
  }
}

function refuseDirectives(directives: readonly ConstDirectiveNode[] | undefined): void {
  const [first] = directives ?? [];
  if (first === undefined) return;
  throw new GraphQLError(`@${first.name.value} is not known here`, { nodes: first });
}

function told(description: StringValueNode | undefined) {
  return description === undefined ? {} : { description: description.value };
}

interface Definition {
  readonly name: { readonly value: string };
  readonly description?: StringValueNode | undefined;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

function named({ name, description, directives }: Definition): Named {
  refuseDirectives(directives);
  return { name: name.value, ...told(description) };
}

function fieldOf(node: FieldDefinitionNode): Named {
  return { ...named(node), type: print(node.type) };
}

function inputOf(node: InputValueDefinitionNode): Named {
  const given = node.defaultValue === undefined ? {} : { default_value: valueFromASTUntyped(node.defaultValue) };
  return { ...named(node), type: print(node.type), ...given };
}

/** The metadata's types with those that were read in place of their namesakes. What SDL does not say of them is kept. */
export function mergeTypes(before: CustomTypes, read: ReadTypes): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = { ...before };
  for (const kind of ['objects', 'input_objects', 'enums', 'scalars'] as const) {
    const old = (before[kind] ?? []) as readonly Named[];
    const changed = new Map(read[kind].map((one) => [one.name, one]));
    merged[kind] = [
      ...old.map((one) => mergeType(one, changed.get(one.name))),
      ...read[kind].filter(({ name }) => !old.some((one) => one.name === name)),
    ];
  }
  return merged;
}

function mergeType(old: Named, read: Named | undefined): Named {
  if (read === undefined) return old;
  return { ...old, ...read, ...(Array.isArray(read.fields) && { fields: mergeNamed(old.fields, read.fields) }) };
}

/** Members that were read, each with what else was known of the one of its name. */
export function mergeNamed(old: unknown, read: readonly unknown[]): readonly unknown[] {
  const known = new Map((Array.isArray(old) ? (old as readonly Named[]) : []).map((one) => [one.name, one]));
  return (read as readonly Named[]).map((one) => ({ ...known.get(one.name), ...one }));
}

/** `type Mutation { place(name: String!): Placed }` */
export function printAction({ name, definition }: Action): string {
  const given = (definition.arguments ?? []).map((one) => `    ${one.name}: ${one.type}`).join('\n');
  const list = given === '' ? '' : `(\n${given}\n  )`;
  const root = definition.type === 'query' ? 'Query' : 'Mutation';
  return `type ${root} {\n  ${name}${list}: ${definition.output_type}\n}`;
}

/** The types that an action names, at any depth. */
export function printTypes({ definition }: Action, types: CustomTypes): string {
  const printed = new Map<string, string>();
  const waiting = [definition.output_type, ...(definition.arguments ?? []).map(({ type }) => type)].map(innerName);
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (printed.has(name)) continue;
    const object = types.objects?.find((one) => one.name === name);
    const input = types.input_objects?.find((one) => one.name === name);
    const fields = (object ?? input)?.fields;
    const values = types.enums?.find((one) => one.name === name)?.values;
    if (fields !== undefined) {
      const lines = fields.map((field) => `  ${field.name}: ${field.type}`).join('\n');
      printed.set(name, `${object === undefined ? 'input' : 'type'} ${name} {\n${lines}\n}`);
      waiting.push(...fields.map(({ type }) => innerName(type)));
    } else if (values !== undefined) {
      printed.set(name, `enum ${name} {\n${values.map(({ value }) => `  ${value}`).join('\n')}\n}`);
    } else if (types.scalars?.some((one) => one.name === name) === true) {
      printed.set(name, `scalar ${name}`);
    }
  }
  return [...printed.values()].join('\n\n');
}
