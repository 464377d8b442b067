/** Remote schemas in a role's schema: their root fields, and the fields of rows that lead out of a table's source. */
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredInputField,
} from 'graphql';
import { selectAccess } from '../model/access.ts';
import { typeName } from '../model/customization.ts';
import { fieldsOn, offeredTypes } from '../model/remotes.ts';
import type { RemoteSchema, RemoteStep, RemoteTemplate, Table, TableJoin } from '../model/table-model.ts';
import { bound } from './binding.ts';
import type { RootFields, TypeRegistry } from './registry.ts';
import { remoteField, remoteInput, remoteType } from './remote-conversion.ts';
import { listOfRows } from './row-output.ts';

type Field = GraphQLFieldConfig<unknown, unknown>;
type Fields = GraphQLFieldConfigMap<unknown, unknown>;

import { comparedComputed } from './visible.ts';

/** The root fields of every remote schema. `types` are those that only an interface leads to. */
export function remoteFields(registry: TypeRegistry): Required<RootFields> {
  const query: Fields = {};
  const mutation: Fields = {};
  const types = new Set<GraphQLNamedType>();
  for (const remote of registry.model.remoteSchemas.values()) {
    Object.assign(query, rootFields(registry, remote, remote.upstream.getQueryType()));
    Object.assign(mutation, rootFields(registry, remote, remote.upstream.getMutationType()));
    for (const type of offeredTypes(remote.upstream).values())
      if (isObjectType(type)) types.add(remoteType(registry, type));
  }
  return { query, mutation, types: [...types] };
}

function rootFields(registry: TypeRegistry, remote: RemoteSchema, root: GraphQLObjectType | null | undefined): Fields {
  return Object.fromEntries(
    Object.values(root?.getFields() ?? {}).map((field) => [
      field.name,
      { ...remoteField(registry, field), extensions: bound({ kind: 'remote', remote, field: field.name }) },
    ]),
  );
}

/** One field for each join of `table` whose key columns the role may read; an array of rows has its aggregate beside it. */
export function joinFields(registry: TypeRegistry, table: Table): Fields {
  const access = selectAccess(table, registry.role);
  const fields: Fields = {};
  for (const join of table.joins.values()) {
    const computed = comparedComputed(registry, table);
    if (!join.keys.every((column) => access?.columns.has(column) || computed.includes(column))) continue;
    const { target } = join;
    Object.assign(fields, target.kind === 'table' ? tableFields(registry, join) : remoteJoin(registry, table, join));
  }
  return fields;
}

/** As a relationship within the source, but that nothing can be filtered or ordered by it. */
function tableFields(registry: TypeRegistry, join: TableJoin): Fields {
  if (join.target.kind !== 'table') return {};
  const { table, match, shape } = join.target;
  const access = selectAccess(table, registry.role);
  if (access === undefined || !match.every((column) => access.columns.has(column))) return {};
  const extensions = bound({ kind: 'tableJoin', join, access });
  const row = registry.row(table);
  const fields: Fields = {};
  if (row !== undefined) {
    fields[join.name] =
      shape === 'object' ? { type: row, extensions } : listField(registry, table, listOfRows(row), extensions);
  }
  const aggregate = shape === 'array' ? registry.aggregate(table) : undefined;
  if (aggregate !== undefined) {
    const aggregateBound = bound({ kind: 'tableJoinAggregate', join, access });
    fields[`${join.name}_aggregate`] = listField(registry, table, new GraphQLNonNull(aggregate), aggregateBound);
  }
  return fields;
}

function listField(
  registry: TypeRegistry,
  table: Table,
  type: Field['type'],
  extensions: ReturnType<typeof bound>,
): Field {
  return { type, args: registry.listArguments(table), extensions };
}

/** The last field on the way, nullable because a key may be null, with the arguments that are left to the client. */
function remoteJoin(registry: TypeRegistry, table: Table, join: TableJoin): Fields {
  if (join.target.kind !== 'remote') return {};
  const { remote, path } = join.target;
  const last = fieldsOn(remote.upstream, path).at(-1);
  const step = path.at(-1);
  if (last === undefined || step === undefined) return {};
  const field = remoteField(registry, last);
  return {
    [join.name]: {
      ...field,
      type: getNullableType(field.type),
      args: openArguments(registry, field.args ?? {}, last.args, step, typeName(table, `_${join.name}`)),
      extensions: bound({ kind: 'tableJoin', join, access: undefined }),
    },
  };
}

interface Open {
  readonly type: GraphQLInputType;
  readonly required: boolean;
}

/** `all` without what the relationship supplies; of an input object that it supplies in part, the other part. */
function openArguments(
  registry: TypeRegistry,
  all: GraphQLFieldConfigArgumentMap,
  declared: readonly { readonly name: string; readonly type: GraphQLInputType }[],
  step: RemoteStep,
  owner: string,
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
    const part = openPart(registry, type, template, `${owner}_${name}`);
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
  owner: string,
): Open | undefined {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const [item, ...others] = template.kind === 'list' ? template.items : [template];
    const part = item === undefined || others.length > 0 ? undefined : openPart(registry, nullable.ofType, item, owner);
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
    const part = openPart(registry, field.type, supplied, `${owner}_${field.name}`);
    if (part !== undefined)
      fields[field.name] = { ...withoutDefault(remoteInput(registry, field)), type: wrapped(part) };
  }
  if (Object.keys(fields).length === 0) return undefined;
  const rest = registry.named(
    `${nullable.name}_remote_rel_${owner}`,
    () => new GraphQLInputObjectType({ name: `${nullable.name}_remote_rel_${owner}`, fields }),
  );
  return { type: rest, required: Object.values(rest.getFields()).some(isRequiredInputField) };
}
