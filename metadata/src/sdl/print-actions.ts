/** Writes definitions of `actions.graphql`: the signature of an action, a type. */
import { type ConstDirectiveNode, Kind, parseConstValue, print } from 'graphql';
import type { Members, Named, TypeKind } from './actions.ts';

/** What the file says of an action. */
export interface Signature {
  readonly type: string;
  readonly arguments: readonly Named[];
  readonly output_type: string;
  readonly description?: string | undefined;
}

/** Directives that the metadata does not know, by the path of names within the definition. */
export type KeptDirectives = ReadonlyMap<string, readonly ConstDirectiveNode[]>;

export interface PrintContext {
  readonly enums: ReadonlySet<string>;
  readonly inputs: ReadonlyMap<string, readonly Named[]>;
  readonly kept: KeptDirectives;
}

/** One field of Query or Mutation, indented; each argument on a line of its own. */
export function printSignature(name: string, signature: Signature, context: PrintContext): string {
  const lines = signature.arguments.map((one) => printInput(one, '    ', `${name}.${one.name}`, context));
  const list = lines.length === 0 ? '' : `(\n${lines.join('\n')}\n  )`;
  const directives = keptOf(name, context);
  return `${printDescription(signature.description, '  ')}  ${name}${list}: ${signature.output_type}${directives}`;
}

export function printType(kind: TypeKind, type: Named, context: PrintContext): string {
  const { name } = type;
  const description = printDescription(type.description, '');
  const directives = keptOf(name, context);
  const members = (list: unknown, one: (member: Named) => string) =>
    ` {\n${((list as readonly Named[] | undefined) ?? []).map(one).join('\n')}\n}`;
  switch (kind) {
    case 'scalars':
      return `${description}scalar ${name}${directives}`;
    case 'unions':
      return `${description}union ${name}${directives} = ${(type.types as readonly string[]).join(' | ')}`;
    case 'enums': {
      const value = (one: Members) =>
        `${printDescription(one.description, '  ')}  ${String(one.value)}${deprecated(one)}${keptOf(`${name}.${String(one.value)}`, context)}`;
      return `${description}enum ${name}${directives}${members(type.values, value)}`;
    }
    case 'input_objects': {
      const field = (one: Named) => printInput(one, '  ', `${name}.${one.name}`, context);
      return `${description}input ${name}${directives}${members(type.fields, field)}`;
    }
    case 'objects':
    case 'interfaces': {
      const interfaces = (type.implements as readonly string[] | undefined) ?? [];
      const parents = interfaces.length === 0 ? '' : ` implements ${interfaces.join(' & ')}`;
      const field = (one: Named) =>
        `${printDescription(one.description, '  ')}  ${one.name}: ${String(one.type)}${deprecated(one)}${keptOf(`${name}.${one.name}`, context)}`;
      const keyword = kind === 'objects' ? 'type' : 'interface';
      return `${description}${keyword} ${name}${parents}${directives}${members(type.fields, field)}`;
    }
    default:
      return kind satisfies never;
  }
}

function printInput(input: Named, indent: string, path: string, context: PrintContext): string {
  const { default_value: value } = input;
  const type = String(input.type);
  const fallback = value === undefined ? '' : ` = ${printValue(value, type, context)}`;
  const directives = `${deprecated(input)}${keptOf(path, context)}`;
  return `${printDescription(input.description, indent)}${indent}${input.name}: ${type}${fallback}${directives}`;
}

/** JSON as a value of `type`: a string is a member where the type is an enum. */
function printValue(value: unknown, type: string, context: PrintContext): string {
  const named = type.replace(/[[\]!]/g, '');
  if (Array.isArray(value)) return `[${value.map((one) => printValue(one, named, context)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = context.inputs.get(named) ?? [];
    const members = Object.entries(value).map(([name, member]) => {
      const field = fields.find((one) => one.name === name);
      return `${name}: ${printValue(member, String(field?.type ?? ''), context)}`;
    });
    return `{${members.join(', ')}}`;
  }
  if (typeof value === 'string') return context.enums.has(named) ? value : printString(value);
  return JSON.stringify(value);
}

function printString(value: string): string {
  return print({ kind: Kind.STRING, value });
}

function printDescription(description: unknown, indent: string): string {
  if (typeof description !== 'string') return '';
  const text = print({ kind: Kind.STRING, value: description, block: true });
  const block = text
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join('\n');
  // A block string cannot hold every text: it has no blank lines at its ends, for example.
  return `${isBlockOf(block, description) ? block : indent + printString(description)}\n`;
}

function isBlockOf(block: string, value: string): boolean {
  try {
    const read = parseConstValue(block);
    return read.kind === Kind.STRING && read.value === value;
  } catch {
    return false;
  }
}

const standardReason = 'No longer supported';

function deprecated({ is_deprecated, deprecation_reason: reason }: Members): string {
  if (typeof reason === 'string' && reason !== standardReason) return ` @deprecated(reason: ${printString(reason)})`;
  return is_deprecated === true || typeof reason === 'string' ? ' @deprecated' : '';
}

function keptOf(path: string, { kept }: PrintContext): string {
  return (kept.get(path) ?? []).map((directive) => ` ${print(directive)}`).join('');
}
