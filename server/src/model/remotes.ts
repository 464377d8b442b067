/** The stage of resolve that takes remote schemas in: those that were read and whose names are free. */
import type { RemoteSchemaName } from '@joinery/metadata/names';
import type { RemoteSchemaDefinition, RemoteSchema as Written } from '@joinery/metadata/remotes';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSchema,
  isSpecifiedScalarType,
  isUnionType,
  parse,
  print,
  printType,
  visit,
} from 'graphql';
import { unusable, variablesIn } from '../base/environment.ts';
import { type ErrorCode, ServiceError } from '../base/errors.ts';
import type { Draft } from './draft.ts';
import type { RemoteStep } from './table-model.ts';
import { takenNames } from './taken-names.ts';
import { urlOf } from './upstream.ts';

/** Conflicts named in one report; a remote schema of the same make may have hundreds. */
const MOST_NAMED = 5;

/** Fills `draft.remoteSchemas`. A remote schema that cannot be used is dropped alone and reported. */
export function resolveRemoteSchemas(draft: Draft): void {
  const names = namesInUse(draft);
  for (const [index, remote] of (draft.input.metadata.remote_schemas ?? []).entries()) {
    const upstream = draft.input.upstreams.get(remote.name);
    const flaw = flawOf(remote, draft) ?? flawOfUpstream(upstream, names);
    if (flaw !== undefined) {
      const path = `$.remote_schemas[${index}]`;
      draft.report({ type: 'remote_schema', name: `remote schema ${remote.name}`, path, ...flaw, definition: remote });
    } else if (isSchema(upstream)) {
      names.take(remote.name, upstream);
      draft.remoteSchemas.set(remote.name, {
        name: remote.name,
        url: urlOf(remote.definition),
        headers: remote.definition.headers ?? [],
        forwardClientHeaders: remote.definition.forward_client_headers,
        timeoutMs: remote.definition.timeout_seconds * 1000,
        upstream,
      });
    }
  }
}

interface Flaw {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** What is wrong with a remote schema as written, before anyone is asked about it. */
function flawOf(remote: Written, draft: Draft): Flaw | undefined {
  if (draft.remoteSchemas.has(remote.name)) {
    return { code: 'already-exists', reason: `another remote schema has the name "${remote.name}"` };
  }
  const { customization } = remote.definition;
  if (typeof customization === 'object' && customization !== null && Object.keys(customization).length > 0) {
    return { code: 'not-supported', reason: '"customization" of a remote schema is not supported; take it out' };
  }
  const missing = variablesOf(remote.definition)
    .map((name) => unusable(name, draft.input.environment))
    .filter((reason) => reason !== undefined);
  return missing.length > 0 ? { code: 'invalid-configuration', reason: listed(missing) } : undefined;
}

/** What is wrong with the answer of its introspection. */
function flawOfUpstream(upstream: GraphQLSchema | ServiceError | undefined, names: NamesInUse): Flaw | undefined {
  if (upstream === undefined) {
    return { code: 'remote-schema-error', reason: 'it has not been introspected yet; reload the metadata' };
  }
  if (upstream instanceof ServiceError) return { code: upstream.code, reason: upstream.message };
  const conflicts = names.conflictsOf(upstream);
  return conflicts.length > 0 ? { code: 'remote-schema-conflicts', reason: listed(conflicts) } : undefined;
}

function variablesOf(definition: RemoteSchemaDefinition): string[] {
  const url = urlOf(definition);
  const ofHeaders = (definition.headers ?? []).flatMap((header) =>
    'value' in header ? variablesIn(header.value) : [header.value_from_env],
  );
  return [...new Set(['fromEnv' in url ? [url.fromEnv] : variablesIn(url.template), ofHeaders].flat())];
}

function listed(reasons: readonly string[]): string {
  const rest = reasons.length - MOST_NAMED;
  return reasons.slice(0, MOST_NAMED).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

interface NamesInUse {
  /** One sentence for each name that `upstream` cannot have. */
  conflictsOf(upstream: GraphQLSchema): string[];
  take(owner: RemoteSchemaName, upstream: GraphQLSchema): void;
}

/** Names of tables, of written actions and custom types (even of dropped ones), and of the remote schemas taken in. */
function namesInUse(draft: Draft): NamesInUse {
  const ofTables = takenNames(draft);
  const { actions = [], custom_types: custom } = draft.input.metadata;
  const customScalars = new Set<string>((custom?.scalars ?? []).map((type) => type.name));
  const customTypes = new Set<string>(
    [...(custom?.enums ?? []), ...(custom?.input_objects ?? []), ...(custom?.objects ?? [])].map((type) => type.name),
  );
  const fields = { query: new Map<string, string>(), mutation: new Map<string, string>() };
  const asynchronous = new Set<string>();
  for (const { name, definition } of actions) {
    const owner = `action "${name}"`;
    fields[definition.type].set(name, owner);
    if (definition.type === 'query' || definition.kind === 'synchronous') continue;
    fields.query.set(name, owner);
    asynchronous.add(name);
  }
  const types = new Map<string, { readonly type: GraphQLNamedType; readonly owner: string }>();

  const ownerOfType = (type: GraphQLNamedType): string | undefined => {
    const { name } = type;
    if (customTypes.has(name) || (customScalars.has(name) && !isScalarType(type))) return `the custom type "${name}"`;
    if (asynchronous.has(name)) return `the result of action "${name}"`;
    const other = types.get(name);
    if (other !== undefined && !sameType(other.type, type)) return other.owner;
    return isScalarType(type) ? ofTables.scalar(name) : ofTables.type(name);
  };
  return {
    conflictsOf: (upstream) => [
      ...[...offeredTypes(upstream).values()].flatMap((type) => conflict('type', type.name, ownerOfType(type))),
      ...fieldNames(upstream.getQueryType()).flatMap((name) =>
        conflict('query field', name, fields.query.get(name) ?? ofTables.queryField(name)),
      ),
      ...fieldNames(upstream.getMutationType()).flatMap((name) =>
        conflict('mutation field', name, fields.mutation.get(name)),
      ),
    ],
    take: (remote, upstream) => {
      const owner = `remote schema "${remote}"`;
      for (const [name, type] of offeredTypes(upstream)) types.set(name, { type, owner });
      for (const name of fieldNames(upstream.getQueryType())) fields.query.set(name, owner);
      for (const name of fieldNames(upstream.getMutationType())) fields.mutation.set(name, owner);
    },
  };
}

function conflict(what: string, name: string, owner: string | undefined): string[] {
  return owner === undefined ? [] : [`its ${what} "${name}" is taken by ${owner}`];
}

function fieldNames(root: GraphQLObjectType | null | undefined): string[] {
  return Object.keys(root?.getFields() ?? {});
}

/** Two remote schemas may bring the same type, such as `PageInfo`, when it is the same in all but its descriptions. */
function sameType(one: GraphQLNamedType, other: GraphQLNamedType): boolean {
  return (isScalarType(one) && isScalarType(other)) || shapeOf(one) === shapeOf(other);
}

function shapeOf(type: GraphQLNamedType): string {
  const bare = visit(parse(printType(type)), {
    enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
  });
  return print(bare);
}

/**
 * By name, every type that the query and mutation fields of `upstream` lead to, those behind interfaces among them,
 * without the five scalars of GraphQL. The root types are there only when some field leads back to them.
 */
export function offeredTypes(upstream: GraphQLSchema): ReadonlyMap<string, GraphQLNamedType> {
  const found = new Map<string, GraphQLNamedType>();
  const pending: GraphQLNamedType[] = [];
  const add = (type: GraphQLNamedType) => {
    if (found.has(type.name) || isSpecifiedScalarType(type)) return;
    found.set(type.name, type);
    pending.push(type);
  };
  const addFieldsOf = (type: Pick<GraphQLObjectType, 'getFields'>) => {
    for (const field of Object.values(type.getFields())) {
      add(getNamedType(field.type));
      for (const argument of field.args) add(getNamedType(argument.type));
    }
  };
  for (const root of [upstream.getQueryType(), upstream.getMutationType()]) if (root) addFieldsOf(root);
  for (let type = pending.pop(); type !== undefined; type = pending.pop()) {
    if (isObjectType(type) || isInterfaceType(type)) {
      addFieldsOf(type);
      type.getInterfaces().forEach(add);
    }
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) add(getNamedType(field.type));
    if (isInterfaceType(type) || isUnionType(type)) upstream.getPossibleTypes(type).forEach(add);
    if (isInterfaceType(type)) upstream.getImplementations(type).interfaces.forEach(add);
  }
  return found;
}

/**
 * The fields that the steps of a relationship name, from the query root down. Resolve has proved that they are there; a
 * TypeError means that `path` is of another schema.
 */
export function fieldsOn(
  upstream: GraphQLSchema,
  path: readonly RemoteStep[],
): readonly GraphQLField<unknown, unknown>[] {
  let parent: GraphQLNamedType | null | undefined = upstream.getQueryType();
  return path.map((step) => {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[step.field] : undefined;
    if (field === undefined) throw new TypeError(`no field "${step.field}" in type ${parent?.name}`);
    parent = getNamedType(field.type);
    return field;
  });
}
