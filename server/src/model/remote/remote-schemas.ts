/** The stage of resolve that takes remote schemas in: those that were read and whose names are free. */
import type { RemoteSchemaName, RoleName } from '@joinery/metadata/names';
import type { RemoteSchemaDefinition, RemoteSchema as Written } from '@joinery/metadata/schema/remote-schemas';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isScalarType,
  isSchema,
  isSpecifiedScalarType,
  isUnionType,
  parse,
  print,
  printType,
  validateSchema,
  visit,
} from 'graphql';
import { unusableReason, variablesIn } from '../../base/environment.ts';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import { takenNames } from '../names/taken-names.ts';
import type { Draft } from '../types/draft.ts';
import type { RemoteSchema, RemoteStep, RemoteTemplate } from '../types/table.ts';
import { flawOfNames, remoteNames, remoteNamespace } from './customized-names.ts';
import { urlOf } from './introspection.ts';
import { readPermission } from './permissions.ts';
import { buildView, holdsPresets, ownNames, upstreamName } from './schema-view.ts';

/** Conflicts named in one report; a remote schema of the same make may have hundreds. */
const MOST_NAMED = 5;

/** Fills `draft.remoteSchemas`. A remote schema that cannot be used is dropped alone and reported. */
export function* resolveRemoteSchemas(draft: Draft): Steps<void> {
  const names = namesInUse(draft);
  for (const [index, remote] of (draft.input.metadata.remote_schemas ?? []).entries()) {
    yield;
    const upstream = draft.input.upstreams.get(remote.name);
    const path = `$.remote_schemas[${index}]`;
    const flaw = flawOf(remote, draft) ?? flawOfUpstream(upstream) ?? flawOfOffer(remote, upstream, names);
    if (flaw !== undefined) {
      draft.report({ type: 'remote_schema', name: `remote schema ${remote.name}`, path, ...flaw, definition: remote });
    } else if (isSchema(upstream)) {
      const { customization } = remote.definition;
      const renaming = remoteNames(customization);
      const offered = renaming === undefined ? upstream : buildView(upstream, renaming);
      const namespace = remoteNamespace(customization);
      names.take(remote.name, { offered, namespace });
      draft.remoteSchemas.set(remote.name, {
        name: remote.name,
        url: urlOf(remote.definition),
        headers: remote.definition.headers ?? [],
        forwardClientHeaders: remote.definition.forward_client_headers,
        timeoutMs: remote.definition.timeout_seconds * 1000,
        upstream,
        offered,
        namespace,
        joins: new Map(),
        permissions: yield* resolvePermissions(draft, remote, upstream, path),
      });
    }
  }
}

/** What each role sees. Undefined where permissions are not asked for: every role sees all. */
function* resolvePermissions(
  draft: Draft,
  remote: Written,
  upstream: GraphQLSchema,
  path: string,
): Steps<RemoteSchema['permissions']> {
  const views = new Map<RoleName, GraphQLSchema>();
  // Roles with the same text share a view, so that they are seen not to disagree.
  const made = new Map<string, GraphQLSchema>();
  const names = remoteNames(remote.definition.customization) ?? ownNames;
  for (const [index, permission] of (remote.permissions ?? []).entries()) {
    yield;
    const { role, definition } = permission;
    const { permitted, problems } = readPermission(definition.schema, upstream, draft.input.sessionPrefix);
    const view =
      problems.length > 0 ? undefined : (made.get(definition.schema) ?? buildView(upstream, names, permitted));
    const flaws = view === undefined ? problems : validateSchema(view).map(({ message }) => message);
    if (view !== undefined && flaws.length === 0) {
      views.set(role, view);
      made.set(definition.schema, view);
      continue;
    }
    draft.report({
      type: 'remote_schema_permission',
      name: `permission for role ${role} in remote schema ${remote.name}`,
      path: `${path}.permissions[${index}].definition.schema`,
      code: 'validation-failed',
      reason: `the schema for role "${role}" is no part of remote schema "${remote.name}": ${listed(flaws)}`,
      definition: permission,
    });
  }
  return draft.input.remoteSchemaPermissions === true ? views : undefined;
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
  const missing = variablesOf(remote.definition)
    .map((name) => unusableReason(name, draft.input.environment))
    .filter((reason) => reason !== undefined);
  return missing.length > 0 ? { code: 'invalid-configuration', reason: listed(missing) } : undefined;
}

/** What is wrong with the answer of its introspection. */
function flawOfUpstream(upstream: GraphQLSchema | ServiceError | undefined): Flaw | undefined {
  if (upstream === undefined) {
    return { code: 'remote-schema-error', reason: 'it has not been introspected yet; reload the metadata' };
  }
  return upstream instanceof ServiceError ? { code: upstream.code, reason: upstream.message } : undefined;
}

/** What is wrong with the names that it would have here. */
function flawOfOffer(
  { definition: { customization } }: Written,
  upstream: GraphQLSchema | ServiceError | undefined,
  names: NamesInUse,
): Flaw | undefined {
  if (!isSchema(upstream)) return undefined;
  const renaming = remoteNames(customization);
  const flaw = renaming && flawOfNames(upstream, renaming, customization);
  if (flaw !== undefined) return flaw;
  const offered = renaming === undefined ? upstream : buildView(upstream, renaming);
  const conflicts = names.conflictsOf({ offered, namespace: remoteNamespace(customization) });
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

/** What a remote schema brings, under the names that clients use. */
interface Offer {
  readonly offered: GraphQLSchema;
  readonly namespace: RemoteSchema['namespace'];
}

interface NamesInUse {
  /** One sentence for each name that what is offered cannot have. */
  conflictsOf(offer: Offer): string[];
  take(owner: RemoteSchemaName, offer: Offer): void;
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
  const namespaces = new Map<string, string>();

  const ownerOfName = (name: string): string | undefined =>
    types.get(name)?.owner ?? namespaces.get(name) ?? ofTables.type(name);
  const ownerOfType = (type: GraphQLNamedType): string | undefined => {
    const { name } = type;
    if (customTypes.has(name) || (customScalars.has(name) && !isScalarType(type))) return `the custom type "${name}"`;
    if (asynchronous.has(name)) return `the result of action "${name}"`;
    const namespace = namespaces.get(name);
    if (namespace !== undefined) return namespace;
    const other = types.get(name);
    if (other !== undefined && !sameType(other.type, type)) return other.owner;
    return isScalarType(type) ? ofTables.scalar(name) : ofTables.type(name);
  };
  return {
    conflictsOf: (offer) => [
      ...[...offeredTypes(offer.offered).values()].flatMap((type) => conflict('type', type.name, ownerOfType(type))),
      ...(offer.namespace === undefined ? [] : Object.values(offer.namespace.types)).flatMap((name) =>
        conflict('namespace type', name, ownerOfName(name)),
      ),
      ...rootNames(offer, 'query').flatMap((name) =>
        conflict('query field', name, fields.query.get(name) ?? ofTables.queryField(name)),
      ),
      ...rootNames(offer, 'mutation').flatMap((name) =>
        conflict('mutation field', name, fields.mutation.get(name) ?? ofTables.mutationField(name)),
      ),
    ],
    take: (remote, offer) => {
      const owner = `remote schema "${remote}"`;
      for (const [name, type] of offeredTypes(offer.offered)) types.set(name, { type, owner });
      for (const name of Object.values(offer.namespace?.types ?? {})) namespaces.set(name, owner);
      for (const name of rootNames(offer, 'query')) fields.query.set(name, owner);
      for (const name of rootNames(offer, 'mutation')) fields.mutation.set(name, owner);
    },
  };
}

function conflict(what: string, name: string, owner: string | undefined): string[] {
  return owner === undefined ? [] : [`its ${what} "${name}" is taken by ${owner}`];
}

function rootNames({ offered, namespace }: Offer, kind: 'query' | 'mutation'): string[] {
  const own = fieldNames(kind === 'query' ? offered.getQueryType() : offered.getMutationType());
  return namespace === undefined || own.length === 0 ? own : [namespace.name];
}

function fieldNames(root: GraphQLObjectType | null | undefined): string[] {
  return Object.keys(root?.getFields() ?? {});
}

/** Two remote schemas may bring the same type, such as `PageInfo`, when it is the same in all but its descriptions. */
export function sameType(one: GraphQLNamedType, other: GraphQLNamedType): boolean {
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
 * The same steps in a view of the schema; undefined when the view lacks one of the fields, or does not let the caller give
 * what the relationship supplies: an argument, or a member of an input object.
 */
export function viewFieldsOn(
  view: GraphQLSchema,
  path: readonly RemoteStep[],
): readonly GraphQLField<unknown, unknown>[] | undefined {
  let parent: GraphQLNamedType | null | undefined = view.getQueryType();
  const found: GraphQLField<unknown, unknown>[] = [];
  for (const step of path) {
    const fields: readonly GraphQLField<unknown, unknown>[] =
      isObjectType(parent) || isInterfaceType(parent) ? Object.values(parent.getFields()) : [];
    const field = fields.find((one) => upstreamName(one) === step.field);
    const supplied = Object.entries(step.arguments);
    const isOpen = ([name, template]: (typeof supplied)[number]): boolean => {
      const argument = field?.args.find((one) => one.name === name);
      return argument !== undefined && fitsView(template, argument.type);
    };
    if (field === undefined || !supplied.every(isOpen)) return undefined;
    found.push(field);
    parent = getNamedType(field.type);
  }
  return found;
}

/** Whether a caller may give all members of the template. One key in place of an object with presets would replace them. */
function fitsView(template: RemoteTemplate, type: GraphQLInputType): boolean {
  const nullable = getNullableType(type);
  if (template.kind === 'key') return !holdsPresets(type);
  if (isListType(nullable)) {
    const items = template.kind === 'list' ? template.items : [template];
    return items.every((item) => fitsView(item, nullable.ofType));
  }
  if (template.kind !== 'object' || !isInputObjectType(nullable)) return true;
  const fields = nullable.getFields();
  return Object.entries(template.fields).every(([name, member]) => {
    const field = fields[name];
    return field !== undefined && fitsView(member, field.type);
  });
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
