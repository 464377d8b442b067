/** Prints and parses actions and their types as SDL. Pure. */
import {
  argumentsOf,
  descriptionOf,
  type Named,
  type ParsedActions,
  readActionsSdl,
  SdlError,
  type TypeKind,
} from '@joinery/metadata/sdl/actions';
import { type PrintContext, printSignature, printType } from '@joinery/metadata/sdl/print-actions';
import { type DefinitionNode, getLocation, print, visit } from 'graphql';
import type { Action, CustomTypes } from '../actions-api.ts';
import { innerName, namesIn } from './action-types.ts';

export interface ReadAction {
  readonly name: string;
  readonly type: 'query' | 'mutation';
  readonly arguments: readonly object[];
  readonly output_type: string;
  /** Description of the field. */
  readonly comment?: string;
}

export type ReadTypes = Readonly<Record<TypeKind, readonly Named[]>>;

const typeKinds = ['objects', 'input_objects', 'enums', 'scalars', 'interfaces', 'unions'] as const;

/** A syntax error with its line. */
export interface SdlProblem {
  readonly problem: string;
}

/** Parses one field of `type Query` or `type Mutation`. */
export function readActionSdl(text: string): ReadAction | SdlProblem {
  return reading(text, ({ actions, definitions }) => {
    const [found, another] = actions;
    if (definitions.length !== 1 || (actions.size === 0 && !isRoot(definitions[0]))) {
      return { problem: definitions.length === 0 ? 'must not be empty' : 'must be one type, Query or Mutation' };
    }
    if (found === undefined || another !== undefined) return { problem: 'must have one field, which is the action' };
    const [name, { type, field }] = found;
    const comment = descriptionOf(field);
    return {
      name,
      type: type === 'query' ? 'query' : 'mutation',
      arguments: argumentsOf(field),
      output_type: print(field.type),
      ...(comment !== undefined && { comment }),
    };
  });
}

/** Parses types, interfaces, unions, inputs, enums and scalars. */
export function readTypesSdl(text: string): ReadTypes | SdlProblem {
  return reading(text, ({ actions, types }) =>
    actions.size > 0 ? { problem: 'the action has a field of its own, above' } : types,
  );
}

function isRoot(definition: DefinitionNode | undefined): boolean {
  return definition !== undefined && 'name' in definition && /^(Query|Mutation)$/.test(definition.name?.value ?? '');
}

function reading<Read>(text: string, use: (parsed: ParsedActions) => Read | SdlProblem): Read | SdlProblem {
  try {
    const parsed = readActionsSdl(text);
    for (const definition of parsed.definitions) rejectDirectives(definition);
    return use(parsed);
  } catch (error) {
    if (!(error instanceof SdlError)) throw error;
    return { problem: `${error.message}, in line ${error.line}` };
  }
}

/** The metadata cannot hold other directives. */
function rejectDirectives(definition: DefinitionNode): void {
  visit(definition, {
    Directive: ({ name, loc }) => {
      if (name.value === 'deprecated') return;
      const place = loc === undefined ? { line: 1, column: 1 } : getLocation(loc.source, loc.start);
      throw new SdlError(`@${name.value} is not known here`, place);
    },
  });
}

/** Replaces types of the metadata by parsed ones. Members that SDL cannot express are preserved. */
export function mergeTypes(before: CustomTypes, read: ReadTypes): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = { ...before };
  for (const kind of typeKinds) {
    const old = before[kind] ?? [];
    if (before[kind] === undefined && read[kind].length === 0) continue;
    const changed = new Map(read[kind].map((one) => [one.name, one]));
    merged[kind] = [
      ...old.map((one) => mergeType(one, changed.get(one.name))),
      ...read[kind].filter(({ name }) => !old.some((one) => one.name === name)),
    ];
  }
  return merged;
}

/** SDL expresses all members of a type except relationships. */
function mergeType(old: object, read: Named | undefined): object {
  if (read === undefined) return old;
  return { ...read, ...('relationships' in old && { relationships: old.relationships }) };
}

/** Prints `type Mutation { place(name: String!): Placed }`. */
export function printAction({ name, definition }: Action, types: CustomTypes): string {
  const signature = {
    type: definition.type ?? 'mutation',
    arguments: (definition.arguments ?? []).map(asNamed),
    output_type: definition.output_type,
  };
  const root = definition.type === 'query' ? 'Query' : 'Mutation';
  return `type ${root} {\n${printSignature(name, signature, contextOf(types))}\n}`;
}

/** Prints the types that an action uses, at any depth. */
export function printTypes({ definition }: Action, types: CustomTypes): string {
  const context = contextOf(types);
  const printed = new Map<string, string>();
  const waiting = [definition.output_type, ...(definition.arguments ?? []).map(({ type }) => type)].map(innerName);
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (printed.has(name)) continue;
    const kind = typeKinds.find((one) => types[one]?.some((type) => type.name === name));
    const type = kind && types[kind]?.find((one) => one.name === name);
    if (kind === undefined || type === undefined) continue;
    printed.set(name, printType(kind, asNamed(type), context));
    waiting.push(...namesIn(name, types));
  }
  return [...printed.values()].join('\n\n');
}

function asNamed(written: { readonly name: string }): Named {
  return written as Named;
}

function contextOf(types: CustomTypes): PrintContext {
  return {
    enums: new Set(types.enums?.map(({ name }) => name)),
    inputs: new Map(types.input_objects?.map(({ name, fields }) => [name, fields.map(asNamed)])),
    kept: new Map(),
  };
}
