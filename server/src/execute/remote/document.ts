/** GraphQL documents for remote schemas. */
import {
  type ArgumentNode,
  type ASTNode,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationTypeNode,
  print,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { fieldsOn } from '../../model/remote/remote-schemas.ts';
import type { RemoteStep, RemoteTemplate } from '../../model/types/table.ts';
import type { JoinPlan, RemoteTarget } from '../../plan/plan/query.ts';
import type { RemoteFieldPlan } from '../../plan/plan/remote.ts';
import { literalValue } from '../../schema/literal.ts';
import { NoLiteral, printLiteral } from '../../schema/remote/literal.ts';

export interface RemoteDocument {
  readonly query: string;
  /** The declared variables that have a value. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The name of the operation in the document; undefined if it has none. */
  readonly operationName?: string | undefined;
}

type Variables = Readonly<Record<string, unknown>>;

/** A placeholder for a part of a key in an explained document, printed as `<user_id>`. */
export class KeyName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Returns one operation with all `fields`, each under its alias, and with the name of the client's operation. */
export function rootDocument(
  fields: readonly { readonly alias: string; readonly plan: RemoteFieldPlan<JoinPlan> }[],
  variables: Variables,
  operationName?: string,
): RemoteDocument {
  const definitions = new Map<string, VariableDefinitionNode>();
  for (const { plan } of fields) {
    for (const definition of plan.variables) definitions.set(definition.variable.name.value, definition);
  }
  const query = print({
    kind: Kind.OPERATION_DEFINITION,
    operation: (fields[0]?.plan.operation ?? 'query') as OperationTypeNode,
    ...(operationName !== undefined && { name: { kind: Kind.NAME, value: operationName } }),
    variableDefinitions: [...definitions.values()],
    selectionSet: {
      kind: Kind.SELECTION_SET,
      selections: fields.map(({ alias, plan }) => ({
        kind: Kind.FIELD,
        ...(alias !== plan.field && { alias: { kind: Kind.NAME, value: alias } }),
        name: { kind: Kind.NAME, value: plan.field },
        arguments: plan.arguments,
        ...(plan.selection && { selectionSet: plan.selection }),
      })),
    },
  });
  return { query, variables: valuesOf(definitions.keys(), variables), operationName };
}

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
  const fields = fieldsOn(target.remote.upstream, target.path);
  const merged = target.path.map((step, index) => {
    const client = index === target.path.length - 1 ? target.arguments : [];
    return withArguments(step, [...(target.presets[index] ?? []), ...client], variables);
  });
  const given = merged.flatMap((one) => one.given);
  const steps = merged.map(({ step, given }, index) => {
    const types = new Map(fields[index]?.args.map((argument) => [argument.name, argument.type]));
    return stepWriter(step, types, given);
  });
  const last = fields.at(-1);
  const leaf = target.selection === undefined || last === undefined;
  const end = (leaf ? '' : '{...S}') + '}'.repeat(steps.length - 1);
  const rows = keys.flatMap((key, index) => {
    try {
      return [`f${index}:${steps.map((write) => write(key)).join('{')}${end}`];
    } catch (error) {
      if (!(error instanceof NoLiteral)) throw error;
      onMismatch(index, error);
      return [];
    }
  });
  if (rows.length === 0) return undefined;
  const fragment = leaf ? '' : `\nfragment S on ${getNamedType(last.type).name} ${print(target.selection)}`;
  const used = variablesIn([...given, ...(target.selection ? [target.selection] : [])]);
  const definitions = target.variables.filter((definition) => used.has(definition.variable.name.value));
  const declared = definitions.length === 0 ? '' : `(${definitions.map(print).join(', ')})`;
  return { query: `query${declared} {\n${rows.join('\n')}\n}${fragment}`, variables: valuesOf(used, variables) };
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
 * replaced, because the remote schema does not have the type of the client's part. Other arguments are unchanged.
 */
function withArguments(
  { field, arguments: supplied }: RemoteStep,
  others: readonly ArgumentNode[],
  variables: Variables,
): { readonly step: Step; readonly given: readonly ArgumentNode[] } {
  const merged: Record<string, Template> = { ...supplied };
  const given: ArgumentNode[] = [];
  for (const argument of others) {
    const template = Object.hasOwn(merged, argument.name.value) ? merged[argument.name.value] : undefined;
    if (template === undefined) {
      given.push(argument);
      continue;
    }
    const value = literalValue(argument.value, (variable) => variables[variable]);
    merged[argument.name.value] = merge(template, value);
  }
  return { step: { field, arguments: merged }, given };
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
function stepWriter(step: Step, types: ReadonlyMap<string, GraphQLInputType>, given: readonly ArgumentNode[]): Writer {
  const writers = Object.entries(step.arguments).map(([name, template]): Writer => {
    const type = types.get(name);
    if (type === undefined) throw new TypeError(`field "${step.field}" has no argument "${name}"`);
    const write = explained(() => templateWriter(template, type), name, step.field);
    return (key) => `${name}:${explained(() => write(key), name, step.field)}`;
  });
  const fixed = given.map(print);
  if (writers.length + fixed.length === 0) return () => step.field;
  return (key) => `${step.field}(${[...writers.map((write) => write(key)), ...fixed].join(' ')})`;
}

function explained<Written>(write: () => Written, argument: string, field: string): Written {
  try {
    return write();
  } catch (error) {
    if (error instanceof NoLiteral) error.message = `argument "${argument}" of "${field}": ${error.message}`;
    throw error;
  }
}

function templateWriter(template: Template, type: GraphQLInputType): Writer {
  const nullable = getNullableType(type);
  switch (template.kind) {
    case 'constant': {
      const text = printLiteral(template.value, type);
      return () => text;
    }
    case 'key':
      return (key) => {
        const part = key[template.index];
        return part instanceof KeyName ? `<${part.name}>` : printLiteral(part, type);
      };
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

function valuesOf(names: Iterable<string>, variables: Variables): Variables {
  const given = [...names].filter((name) => Object.hasOwn(variables, name) && variables[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, variables[name]]));
}
