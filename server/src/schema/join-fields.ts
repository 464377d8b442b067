/** Relationships in a role's schema whose values are fetched apart: what a join of any owner looks like to a client. */

import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNullableType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql';
import { typeName } from '../model/names/source-names.ts';
import { functionAccess, selectAccess } from '../model/permissions/access.ts';
import { viewFieldsOn } from '../model/remote/remote-schemas.ts';
import { remoteView, upstreamName } from '../model/remote/schema-view.ts';
import type { OutputObject } from '../model/types/action.ts';
import type { Join, JoinDestination, RemoteStep, RemoteTemplate, SelectAccess, Table } from '../model/types/table.ts';
import { argumentsOf, outputType } from './actions/action-types.ts';
import { bound } from './binding.ts';
import type { TypeRegistry } from './registry.ts';
import { remoteField, remoteInput } from './remote/conversion.ts';
import { openArgumentFields } from './tables/function-arguments.ts';
import { listOfRows } from './tables/row-output.ts';
import { comparedComputed } from './tables/visible.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;
type Target<Kind extends JoinDestination['kind']> = Extract<JoinDestination, { kind: Kind }>;

/** One field for each join of `table` whose key columns the role may read; a list of rows has its aggregate beside it. */
export function tableJoinFields(registry: TypeRegistry, table: Table): Fields {
  const access = selectAccess(table, registry.role);
  const computed = comparedComputed(registry, table);
  const fields: Fields = {};
  for (const join of table.joins.values()) {
    if (!join.keys.every((column) => access?.columns.has(column) || computed.includes(column))) continue;
    // As in the reference, the columns that are matched must be seen on both sides.
    if (join.target.kind === 'table' && !sees(registry, join.target)) continue;
    Object.assign(fields, joinFields(registry, join, typeName(table, '')));
  }
  return fields;
}

function sees({ role }: TypeRegistry, { table, match }: Target<'table'>): boolean {
  const access = selectAccess(table, role);
  return access !== undefined && match.every((column) => access.columns.has(column));
}

/** One field for each relationship of an output object. The role needs no permission on the columns that are matched. */
export function outputJoinFields(registry: TypeRegistry, object: OutputObject): Fields {
  const fields: Fields = {};
  for (const join of registry.model.outputJoins.get(object)?.values() ?? []) {
    Object.assign(fields, joinFields(registry, join, object.name));
  }
  return fields;
}

/** One field for each relationship of a remote schema's type whose keys the role sees. */
export function remoteJoinFields(registry: TypeRegistry, type: GraphQLObjectType): Fields {
  const fields: Fields = {};
  for (const remote of registry.model.remoteSchemas.values()) {
    const joins = remote.joins?.get(upstreamName(type));
    // Another remote schema may have a type of the same name, but not this very one.
    if (joins === undefined || remoteView(remote, registry.role)?.getType(type.name) !== type) continue;
    const seen = new Set(Object.values(type.getFields()).map(upstreamName));
    for (const join of joins.values()) {
      if (!join.keys.every(({ name }) => seen.has(name))) continue;
      Object.assign(fields, joinFields(registry, join, type.name));
    }
  }
  return fields;
}

/** Nothing when the role may not go where the join leads. `owner` is the type that has the join. */
export function joinFields(registry: TypeRegistry, join: Join, owner: string): Fields {
  const { target } = join;
  switch (target.kind) {
    case 'table':
      return rowFields(registry, join, target.shape, target.table, selectAccess(target.table, registry.role));
    case 'function': {
      const { function: called, shape } = target;
      const access = functionAccess(called, registry.role);
      const args = access === undefined ? {} : callArguments(registry, join, target, owner);
      return rowFields(registry, join, shape, called.table, access, args);
    }
    case 'remote':
      return remoteFields(registry, join, target, owner);
    case 'action':
      return actionFields(registry, join, target);
    default:
      return target satisfies never;
  }
}

/** The arguments of the function that the relationship does not pass. */
function callArguments(
  registry: TypeRegistry,
  join: Join,
  { function: { routine }, passed }: Target<'function'>,
  owner: string,
): GraphQLFieldConfigArgumentMap {
  const fields = openArgumentFields(registry, routine, passed);
  if (Object.keys(fields).length === 0) return {};
  const place = { owner, join: join.name, way: [], within: [] };
  const type = restType(registry, routine.argumentsType, place, fields);
  return { args: { type, description: `input parameters for function "${routine.name}"` } };
}

/** As a relationship within the source, but that nothing can be filtered or ordered by it. `called`: what a function takes. */
function rowFields(
  registry: TypeRegistry,
  join: Join,
  shape: 'object' | 'array',
  table: Table,
  access: SelectAccess | undefined,
  called: GraphQLFieldConfigArgumentMap = {},
): Fields {
  if (access === undefined) return {};
  const row = registry.row(table);
  const fields: Fields = {};
  const args = { ...called, ...registry.listArguments(table) };
  if (row !== undefined) {
    const extensions = bound({ kind: 'join', join, access });
    // A list of keys has a place for each row.
    const one = join.keys.some(({ list }) => list) && join.target.kind === 'table' ? new GraphQLList(row) : row;
    fields[join.name] =
      shape === 'object' ? { type: one, args: called, extensions } : { type: listOfRows(row), args, extensions };
  }
  const aggregate = shape === 'array' ? registry.aggregate(table) : undefined;
  if (aggregate !== undefined) {
    const extensions = bound({ kind: 'joinAggregate', join, access });
    fields[`${join.name}_aggregate`] = { type: new GraphQLNonNull(aggregate), args, extensions };
  }
  return fields;
}

/** Nullable, because a key may be null, with the arguments that are left to the client. */
function actionFields(registry: TypeRegistry, join: Join, { action, arguments: supplied }: Target<'action'>): Fields {
  if (registry.role !== ADMIN_ROLE && !action.roles.has(registry.role)) return {};
  const args = Object.entries(argumentsOf(registry, action)).filter(([name]) => !Object.hasOwn(supplied, name));
  const field: GraphQLFieldConfig<unknown, unknown> = {
    type: getNullableType(outputType(registry, action.output)),
    args: Object.fromEntries(args),
    extensions: bound({ kind: 'join', join, access: undefined }),
    ...(action.comment !== undefined && { description: action.comment }),
  };
  return { [join.name]: field };
}

/** The last field on the way, nullable because a key may be null, with the arguments that are left to the client. */
function remoteFields(registry: TypeRegistry, join: Join, { remote, path }: Target<'remote'>, owner: string): Fields {
  const view = remoteView(remote, registry.role);
  const last = view && viewFieldsOn(view, path)?.at(-1);
  const step = path.at(-1);
  if (last === undefined || step === undefined) return {};
  const field = remoteField(registry, last);
  return {
    [join.name]: {
      ...field,
      type: getNullableType(field.type),
      args: openArguments(registry, field.args ?? {}, last.args, step, { owner, join: join.name, way: [], within: [] }),
      extensions: bound({ kind: 'join', join, access: undefined }),
    },
  };
}

interface Open {
  readonly type: GraphQLInputType;
  readonly required: boolean;
}

/** Where an input object stands that a relationship supplies in part. */
interface Place {
  /** The type that has the relationship. */
  readonly owner: string;
  readonly join: string;
  /** The argument, and the fields from there. */
  readonly way: readonly string[];
  /** The input types on the way. */
  readonly within: readonly string[];
}

/** `all` without what the relationship supplies; of an input object that it supplies in part, the other part. */
function openArguments(
  registry: TypeRegistry,
  all: GraphQLFieldConfigArgumentMap,
  declared: readonly { readonly name: string; readonly type: GraphQLInputType }[],
  step: RemoteStep,
  place: Place,
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
    const part = openPart(registry, type, template, { ...place, way: [name] });
    if (part !== undefined) open[name] = { ...withoutDefault(whole), type: wrapped(part) };
  }
  return open;
}

function withoutDefault({ defaultValue: _, ...rest }: GraphQLFieldConfigArgumentMap[string]) {
  return rest;
}

function wrapped({ type, required }: Open): GraphQLInputType {
  return required ? new GraphQLNonNull(type) : type;
}

/** What the client may add to `template`; undefined when there is nothing. */
function openPart(
  registry: TypeRegistry,
  type: GraphQLInputType,
  template: RemoteTemplate,
  place: Place,
): Open | undefined {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const [item, ...others] = template.kind === 'list' ? template.items : [template];
    const part = item === undefined || others.length > 0 ? undefined : openPart(registry, nullable.ofType, item, place);
    return part && { type: new GraphQLList(new GraphQLNonNull(part.type)), required: part.required };
  }
  if (template.kind !== 'object' || !isInputObjectType(nullable) || nullable.isOneOf) return undefined;
  const fields: Record<string, { readonly type: GraphQLInputType }> = {};
  for (const field of Object.values(nullable.getFields())) {
    const supplied = Object.hasOwn(template.fields, field.name) ? template.fields[field.name] : undefined;
    if (supplied === undefined) {
      fields[field.name] = remoteInput(registry, field);
      continue;
    }
    const inside = { ...place, way: [...place.way, field.name], within: [...place.within, nullable.name] };
    const part = openPart(registry, field.type, supplied, inside);
    if (part !== undefined)
      fields[field.name] = { ...withoutDefault(remoteInput(registry, field)), type: wrapped(part) };
  }
  if (Object.keys(fields).length === 0) return undefined;
  const rest = restType(registry, nullable.name, place, fields);
  return { type: rest, required: Object.values(rest.getFields()).some(isRequiredInputField) };
}

/** For which place a type was made. */
const places = new WeakMap<GraphQLInputObjectType, string>();

/** Named as in the reference, which leaves out the place in the arguments; with it where that name is another's. */
function restType(
  registry: TypeRegistry,
  type: string,
  { owner, join, way, within }: Place,
  fields: GraphQLInputFieldConfigMap,
): GraphQLInputObjectType {
  const place = [type, owner, join, ...way].join(' ');
  const make = (name: string) => () => {
    const made = new GraphQLInputObjectType({ name, fields });
    places.set(made, place);
    return made;
  };
  const short = `${type}_remote_rel_${owner}${join}`;
  const found = within.includes(type) ? undefined : registry.named(short, make(short));
  if (found !== undefined && places.get(found) === place) return found;
  const long = `${type}_remote_rel_${owner}_${[join, ...way].join('_')}`;
  return registry.named(long, make(long));
}
