/** The arguments of a relationship field that its definition does not set, so that the client may give them. */
import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  getNullableType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql';
import type { Join, JoinDestination, RemoteStep, RemoteTemplate } from '../model/types/table.ts';
import type { TypeRegistry } from './registry.ts';
import { remoteInput } from './remote/remote-inputs.ts';
import { openArgumentFields } from './tables/function-arguments.ts';

interface OpenInput {
  readonly type: GraphQLInputType;
  readonly required: boolean;
}

/** The position of an input object that a relationship sets in part. */
interface Position {
  /** The type that has the relationship. */
  readonly owner: string;
  readonly join: string;
  /** The argument and the members below it. */
  readonly path: readonly string[];
  /** The input types on that path. */
  readonly within: readonly string[];
}

/** `args` with the arguments of the function that the relationship does not set. */
export function callArguments(
  registry: TypeRegistry,
  join: Join,
  { function: { routine }, passed }: Extract<JoinDestination, { kind: 'function' }>,
  owner: string,
): GraphQLFieldConfigArgumentMap {
  const fields = openArgumentFields(registry, routine, passed);
  if (Object.keys(fields).length === 0) return {};
  const position = { owner, join: join.name, path: [], within: [] };
  const type = restType(registry, routine.argumentsType, position, fields);
  return { args: { type, description: `input parameters for function "${routine.name}"` } };
}

/** `all` without the values that the relationship sets. Of an input object that it sets in part, the rest remains. */
export function openArguments(
  registry: TypeRegistry,
  all: GraphQLFieldConfigArgumentMap,
  declared: readonly { readonly name: string; readonly type: GraphQLInputType }[],
  step: RemoteStep,
  position: Position,
): GraphQLFieldConfigArgumentMap {
  const open: GraphQLFieldConfigArgumentMap = {};
  for (const { name, type } of declared) {
    const template = Object.hasOwn(step.arguments, name) ? step.arguments[name] : undefined;
    const whole = all[name];
    if (whole === undefined) continue;
    if (template === undefined) {
      open[name] = whole;
      continue;
    }
    const part = openPart(registry, type, template, { ...position, path: [name] });
    if (part !== undefined) open[name] = { ...withoutDefault(whole), type: typeOf(part) };
  }
  return open;
}

function withoutDefault({ defaultValue: _, ...rest }: GraphQLFieldConfigArgumentMap[string]) {
  return rest;
}

function typeOf({ type, required }: OpenInput): GraphQLInputType {
  return required ? new GraphQLNonNull(type) : type;
}

/** The part of `type` that `template` does not set; undefined when it sets all of it. */
function openPart(
  registry: TypeRegistry,
  type: GraphQLInputType,
  template: RemoteTemplate,
  position: Position,
): OpenInput | undefined {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const [item, ...others] = template.kind === 'list' ? template.items : [template];
    const part =
      item === undefined || others.length > 0 ? undefined : openPart(registry, nullable.ofType, item, position);
    return part && { type: new GraphQLList(new GraphQLNonNull(part.type)), required: part.required };
  }
  if (template.kind !== 'object' || !isInputObjectType(nullable) || nullable.isOneOf) return undefined;
  const fields: Record<string, { readonly type: GraphQLInputType }> = {};
  for (const field of Object.values(nullable.getFields())) {
    const set = Object.hasOwn(template.fields, field.name) ? template.fields[field.name] : undefined;
    if (set === undefined) {
      fields[field.name] = remoteInput(registry, field);
      continue;
    }
    const below = { ...position, path: [...position.path, field.name], within: [...position.within, nullable.name] };
    const part = openPart(registry, field.type, set, below);
    if (part !== undefined)
      fields[field.name] = { ...withoutDefault(remoteInput(registry, field)), type: typeOf(part) };
  }
  if (Object.keys(fields).length === 0) return undefined;
  const rest = restType(registry, nullable.name, position, fields);
  return { type: rest, required: Object.values(rest.getFields()).some(isRequiredInputField) };
}

const positionKey = 'joineryPosition';

/** Named as in Hasura v2, without the path; with the path where a type of that name exists for another position. */
function restType(
  registry: TypeRegistry,
  type: string,
  { owner, join, path, within }: Position,
  fields: GraphQLInputFieldConfigMap,
): GraphQLInputObjectType {
  const position = [type, owner, join, ...path].join(' ');
  const config = () => ({ fields, extensions: { [positionKey]: position } });
  const short = `${type}_remote_rel_${owner}${join}`;
  const found = within.includes(type) ? undefined : registry.input(short, config);
  if (found !== undefined && found.extensions[positionKey] === position) return found;
  return registry.input(`${type}_remote_rel_${owner}_${[join, ...path].join('_')}`, config);
}
