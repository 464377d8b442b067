/** Documents of joins to remote schemas: text that is built once for a plan, with the literals of keys. */
import {
  type ArgumentNode,
  type ASTNode,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  print,
  visit,
} from 'graphql';
import { printJson } from '../../base/json-value.ts';
import { fieldsOn } from '../../model/remote/remote-schemas.ts';
import type { RemoteStep, RemoteTemplate } from '../../model/types/table.ts';
import type { RemoteTarget } from '../../plan/plan/query.ts';
import { literalValue } from '../../schema/literal.ts';
import { literalPrinter, NoLiteral, printLiteral } from '../../schema/remote/literal.ts';
import { type RemoteDocument, type Variables, valuesOf } from './document.ts';

/** A placeholder for a part of a key in an explained document, printed as `<user_id>`. */
export class KeyName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** What all requests of a plan share. */
interface Prepared {
  /** Prints a step of the path for a key. Undefined where values of the request are parts of supplied arguments. */
  readonly steps: readonly Writer[] | undefined;
  /** The text after the last step of a key: `{...S}}`. */
  readonly end: string;
  /** The text before the fields, and the text after them. */
  readonly head: string;
  readonly tail: string;
  /** The names of the variables that the document declares. */
  readonly names: readonly string[];
}

const prepared = new WeakMap<RemoteTarget, Prepared>();

/**
 * Returns one query with the fields `f0`, `f1`, ... , one for each of `keys`, with the selection as a fragment. A key that
 * is invalid for its argument has no field and is passed to `onMismatch`. Returns undefined if no key is valid. Throws
 * NoLiteral if a value of the relationship or the request is invalid.
 */
export function joinDocument(
  target: RemoteTarget,
  keys: readonly (readonly unknown[])[],
  variables: Variables,
  onMismatch: (index: number, reason: NoLiteral) => void,
): RemoteDocument | undefined {
  let parts = prepared.get(target);
  if (parts === undefined) {
    parts = prepare(target);
    prepared.set(target, parts);
  }
  const { steps = stepWriters(target, variables), end, head, tail, names } = parts;
  let rows = '';
  keys.forEach((key, index) => {
    try {
      rows += `\nf${index}:${rowOf(steps, key)}${end}`;
    } catch (error) {
      if (!(error instanceof NoLiteral)) throw error;
      onMismatch(index, error);
    }
  });
  if (rows === '') return undefined;
  const query = head + rows + tail;
  return { query, text: printJson(query), variables: valuesOf(names, variables) };
}

function rowOf(steps: readonly Writer[], key: readonly unknown[]): string {
  let row = '';
  for (let index = 0; index < steps.length; index += 1) row += (index === 0 ? '' : '{') + (steps[index]?.(key) ?? '');
  return row;
}

function prepare(target: RemoteTarget): Prepared {
  const { path, selection } = target;
  const last = fieldsOn(target.remote.upstream, path).at(-1);
  const isLeaf = selection === undefined || last === undefined;
  const all = path.map((step, index) => argumentsOf(target, step, index));
  const used = variablesIn([...all.flatMap(({ given }) => given), ...(selection ? [selection] : [])]);
  const definitions = target.variables.filter((definition) => used.has(definition.variable.name.value));
  const declared = definitions.length === 0 ? '' : `(${definitions.map(print).join(', ')})`;
  const isFixed = variablesIn(all.flatMap(({ merged }) => merged)).size === 0;
  return {
    steps: isFixed ? stepWriters(target, {}) : undefined,
    end: (isLeaf ? '' : '{...S}') + '}'.repeat(path.length - 1),
    head: `query${declared} {`,
    tail: `\n}${isLeaf ? '' : `\nfragment S on ${getNamedType(last.type).name} ${print(selection)}`}`,
    names: [...used],
  };
}

/** Returns the arguments of a step that are not supplied by the relationship, and those that are parts of supplied ones. */
function argumentsOf(
  { path, presets, arguments: client }: RemoteTarget,
  { arguments: supplied }: RemoteStep,
  index: number,
): { readonly given: readonly ArgumentNode[]; readonly merged: readonly ArgumentNode[] } {
  const others = [...(presets[index] ?? []), ...(index === path.length - 1 ? client : [])];
  return {
    given: others.filter(({ name }) => !Object.hasOwn(supplied, name.value)),
    merged: others.filter(({ name }) => Object.hasOwn(supplied, name.value)),
  };
}

function stepWriters(target: RemoteTarget, variables: Variables): readonly Writer[] {
  const fields = fieldsOn(target.remote.upstream, target.path);
  const steps = target.path.map((step, index) => {
    const { given, merged } = argumentsOf(target, step, index);
    return { field: step.field, arguments: withArguments(step, merged, variables), given };
  });
  return steps.map(({ given, ...step }, index) => {
    const types = new Map(fields[index]?.args.map((argument) => [argument.name, argument.type]));
    return stepWriter(step, types, given);
  });
}

/** A RemoteTemplate that can contain values given by the client. */
type Template =
  | { readonly kind: 'constant'; readonly value: unknown }
  | Extract<RemoteTemplate, { kind: 'key' }>
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Template>> };

interface Step {
  readonly field: string;
  readonly arguments: Readonly<Record<string, Template>>;
}

/**
 * Merges presets and values of the client into arguments that the relationship supplies in part. Variables in them are
 * replaced, because the remote schema does not have the type of the client's part.
 */
function withArguments(
  { arguments: supplied }: RemoteStep,
  others: readonly ArgumentNode[],
  variables: Variables,
): Step['arguments'] {
  const merged: Record<string, Template> = { ...supplied };
  for (const { name, value } of others) {
    const template = merged[name.value];
    if (template === undefined) continue;
    merged[name.value] = merge(
      template,
      literalValue(value, (variable) => variables[variable]),
    );
  }
  return merged;
}

/** Merges values of the client into a template. Supplied values are not overridden. */
function merge(template: Template, client: unknown): Template {
  if (client === null || client === undefined || template.kind === 'constant' || template.kind === 'key')
    return template;
  if (Array.isArray(client)) {
    const item = template.kind === 'list' ? template.items[0] : template;
    if (item === undefined || client.length === 0) return template;
    return { kind: 'list', items: client.map((one) => merge(item, one)) };
  }
  if (template.kind === 'list') return { kind: 'list', items: template.items.map((item) => merge(item, client)) };
  if (template.kind !== 'object' || typeof client !== 'object') return template;
  const fields: Record<string, Template> = { ...template.fields };
  for (const [name, value] of Object.entries(client)) {
    const own = Object.hasOwn(fields, name) ? fields[name] : undefined;
    fields[name] = own === undefined ? { kind: 'constant', value } : merge(own, value);
  }
  return { kind: 'object', fields };
}

type Writer = (key: readonly unknown[]) => string;

/** Returns a function that prints `field(arguments)` for a key. Constant parts are printed once. */
function stepWriter(
  { field, arguments: supplied }: Step,
  types: ReadonlyMap<string, GraphQLInputType>,
  given: readonly ArgumentNode[],
): Writer {
  const writers = Object.entries(supplied).map(([name, template], index): Writer => {
    const type = types.get(name);
    if (type === undefined) throw new TypeError(`field "${field}" has no argument "${name}"`);
    const before = `${index === 0 ? '' : ' '}${name}:`;
    const explained = (error: unknown): unknown => {
      if (error instanceof NoLiteral) error.message = `argument "${name}" of "${field}": ${error.message}`;
      return error;
    };
    let write: Writer;
    try {
      write = templateWriter(template, type);
    } catch (error) {
      throw explained(error);
    }
    return (key) => {
      try {
        return before + write(key);
      } catch (error) {
        throw explained(error);
      }
    };
  });
  const fixed = given.map(print).join(' ');
  if (writers.length === 0) {
    const text = fixed === '' ? field : `${field}(${fixed})`;
    return () => text;
  }
  const end = fixed === '' ? ')' : ` ${fixed})`;
  return (key) => {
    let text = `${field}(`;
    for (const write of writers) text += write(key);
    return text + end;
  };
}

function templateWriter(template: Template, type: GraphQLInputType): Writer {
  const nullable = getNullableType(type);
  switch (template.kind) {
    case 'constant': {
      const text = printLiteral(template.value, type);
      return () => text;
    }
    case 'key': {
      const print = literalPrinter(type);
      return (key) => {
        const part = key[template.index];
        return part instanceof KeyName ? `<${part.name}>` : print(part);
      };
    }
    case 'list': {
      const items = template.items.map((item) => templateWriter(item, isListType(nullable) ? nullable.ofType : type));
      return (key) => `[${items.map((write) => write(key)).join(',')}]`;
    }
    case 'object': {
      if (isListType(nullable)) return templateWriter(template, nullable.ofType);
      const declared = isInputObjectType(nullable) ? nullable.getFields() : undefined;
      const members = Object.entries(template.fields).map(([name, field]): Writer => {
        const write = templateWriter(field, declared?.[name]?.type ?? type);
        return (key) => `${name}:${write(key)}`;
      });
      return (key) => `{${members.map((write) => write(key)).join(',')}}`;
    }
    default:
      return template satisfies never;
  }
}

function variablesIn(nodes: readonly ASTNode[]): ReadonlySet<string> {
  const used = new Set<string>();
  for (const node of nodes) visit(node, { Variable: ({ name }) => void used.add(name.value) });
  return used;
}
