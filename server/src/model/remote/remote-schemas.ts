/** The stage of resolve for remote schemas. */
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
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isScalarType,
  isSchema,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { templateProblem, unusableReason, variablesIn } from '../../base/environment.ts';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import { takenNames } from '../names/taken-names.ts';
import type { Draft } from '../types/draft.ts';
import type { RemoteSchema, RemoteStep, RemoteTemplate } from '../types/table.ts';
import { customizationError, remoteNames, remoteNamespace } from './customized-names.ts';
import { remoteUrl, urlOf } from './introspection.ts';
import { permissionKey, readPermission } from './permissions.ts';
import { sameType } from './same-type.ts';
import { buildView, emptyTypes, holdsPresets, ownNames, upstreamName } from './schema-view.ts';

/** The most conflicts in one message. Similar remote schemas may have hundreds. */
const MOST_NAMED = 5;

/** Fills `draft.remoteSchemas`. Reports and leaves out remote schemas that were not introspected or have name conflicts. */
export function* resolveRemoteSchemas(draft: Draft): Steps<void> {
  const names = namesInUse(draft);
  for (const [index, remote] of (draft.input.metadata.remote_schemas ?? []).entries()) {
    yield;
    const upstream = draft.input.upstreams.get(remote.name);
    const path = `$.remote_schemas[${index}]`;
    const joined = new Set<string>((remote.remote_relationships ?? []).map(({ type_name }) => type_name));
    const error =
      definitionError(remote, draft) ?? introspectionError(upstream) ?? namingError(remote, upstream, names, joined);
    if (error !== undefined) {
      draft.report({ type: 'remote_schema', name: `remote schema ${remote.name}`, path, ...error, definition: remote });
    } else if (isSchema(upstream)) {
      const { customization } = remote.definition;
      const renaming = remoteNames(customization, upstream);
      const offered = renaming === undefined ? upstream : buildView(upstream, renaming);
      const namespace = remoteNamespace(customization, upstream);
      const offer = { offered, namespace, joined };
      names.take(remote.name, offer);
      draft.remoteSchemas.set(remote.name, {
        name: remote.name,
        url: urlOf(remote.definition),
        headers: remote.definition.headers ?? [],
        forwardClientHeaders: remote.definition.forward_client_headers,
        timeoutMs: remote.definition.timeout_seconds * 1000,
        upstream,
        offered,
        namespace,
        shared: names.sharedBy(offer),
        joins: new Map(),
        permissions: yield* resolvePermissions(draft, remote, upstream, path),
      });
    }
  }
}

/** The schema that each role sees; undefined if permissions are disabled and every role sees everything. */
function* resolvePermissions(
  draft: Draft,
  remote: Written,
  upstream: GraphQLSchema,
  path: string,
): Steps<RemoteSchema['permissions']> {
  const views = new Map<RoleName, GraphQLSchema>();
  // Equal permissions share a view, so that inherited roles can compare them.
  const byMeaning = new Map<string, GraphQLSchema>();
  const names = remoteNames(remote.definition.customization, upstream) ?? ownNames;
  for (const [index, permission] of (remote.permissions ?? []).entries()) {
    yield;
    const { role, definition } = permission;
    const { permitted, problems } = readPermission(definition.schema, upstream, draft.input.sessionPrefix);
    const key = permissionKey(permitted);
    const view = problems.length > 0 ? undefined : (byMeaning.get(key) ?? buildView(upstream, names, permitted));
    const errors = view === undefined ? problems : emptyTypes(view);
    if (view !== undefined && errors.length === 0) {
      views.set(role, view);
      byMeaning.set(key, view);
      continue;
    }
    draft.report({
      type: 'remote_schema_permission',
      name: `permission for role ${role} in remote schema ${remote.name}`,
      path: `${path}.permissions[${index}].definition.schema`,
      code: 'validation-failed',
      reason: `the schema for role "${role}" is not part of remote schema "${remote.name}": ${listed(errors)}`,
      definition: permission,
    });
  }
  return draft.input.remoteSchemaPermissions === true ? views : undefined;
}

interface ResolveError {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** The error in the definition of a remote schema. */
function definitionError(remote: Written, draft: Draft): ResolveError | undefined {
  if (draft.remoteSchemas.has(remote.name)) {
    return { code: 'already-exists', reason: `another remote schema has the name "${remote.name}"` };
  }
  const missing = variablesOf(remote.definition)
    .map((name) => unusableReason(name, draft.input.environment))
    .filter((reason) => reason !== undefined);
  if (missing.length > 0) return { code: 'invalid-params', reason: listed(missing) };
  const written = urlOf(remote.definition);
  const malformed = 'template' in written ? templateProblem(written.template) : undefined;
  if (malformed !== undefined) return { code: 'invalid-params', reason: `the URL of the remote schema ${malformed}` };
  const url = remoteUrl(written, draft.input.environment);
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return undefined;
  // The expanded URL may contain secrets.
  return { code: 'invalid-params', reason: 'the URL of the remote schema is not an http or https URL' };
}

/** The error of its introspection. */
function introspectionError(upstream: GraphQLSchema | ServiceError | undefined): ResolveError | undefined {
  if (upstream === undefined) {
    return { code: 'remote-schema-error', reason: 'it has not been introspected yet; reload the metadata' };
  }
  return upstream instanceof ServiceError ? { code: upstream.code, reason: upstream.message } : undefined;
}

/** The error in its customized names. */
function namingError(
  { definition: { customization } }: Written,
  upstream: GraphQLSchema | ServiceError | undefined,
  names: NamesInUse,
  joined: ReadonlySet<string>,
): ResolveError | undefined {
  if (!isSchema(upstream)) return undefined;
  const renaming = remoteNames(customization, upstream);
  const error = renaming && customizationError(upstream, renaming, customization);
  if (error !== undefined) return error;
  const offered = renaming === undefined ? upstream : buildView(upstream, renaming);
  const conflicts = names.conflictsOf({ offered, namespace: remoteNamespace(customization, upstream), joined });
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

/** A remote schema under the names that clients use. */
interface Offer {
  readonly offered: GraphQLSchema;
  readonly namespace: RemoteSchema['namespace'];
  /** The upstream names of types with relationships. */
  readonly joined: ReadonlySet<string>;
}

interface NamesInUse {
  /** The names of types that the service may have as well, if both are equal. */
  sharedBy(offer: Offer): ReadonlySet<string>;
  /** A message for each name that is in use. */
  conflictsOf(offer: Offer): string[];
  take(owner: RemoteSchemaName, offer: Offer): void;
}

/** The names of tables, of actions and custom types including dropped ones, and of earlier remote schemas. */
function namesInUse(draft: Draft): NamesInUse {
  const ofTables = takenNames(draft);
  const { actions = [], custom_types: custom } = draft.input.metadata;
  const customScalars = new Set<string>((custom?.scalars ?? []).map((type) => type.name));
  const customEnums = new Set<string>((custom?.enums ?? []).map((type) => type.name));
  const customInputs = new Set<string>((custom?.input_objects ?? []).map((type) => type.name));
  const customObjects = new Set<string>((custom?.objects ?? []).map((type) => type.name));
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
  const isCustom = (name: string) => customEnums.has(name) || customInputs.has(name) || customObjects.has(name);
  /** Whether the service has a type of that name and kind, whose fields are compared where its schema is built. */
  const isShared = (type: GraphQLNamedType, joined: ReadonlySet<string>): boolean => {
    const { name } = type;
    if (isEnumType(type)) return customEnums.has(name) || ofTables.common(name) === 'enum';
    if (isInputObjectType(type)) return customInputs.has(name) || ofTables.common(name) === 'input';
    return isObjectType(type) && customObjects.has(name) && !joined.has(upstreamName(type));
  };
  const ownerOfType = (type: GraphQLNamedType, joined: ReadonlySet<string>): string | undefined => {
    const { name } = type;
    const custom = isCustom(name) || (customScalars.has(name) && !isScalarType(type));
    if (custom && !isShared(type, joined)) return `the custom type "${name}"`;
    if (asynchronous.has(name)) return `the result of action "${name}"`;
    const namespace = namespaces.get(name);
    if (namespace !== undefined) return namespace;
    const other = types.get(name);
    if (other !== undefined && !sameType(other.type, type)) return other.owner;
    if (isShared(type, joined)) return undefined;
    return isScalarType(type) ? ofTables.scalar(name) : ofTables.type(name);
  };
  return {
    sharedBy: ({ offered, joined }) => {
      const types = [...offeredTypes(offered).values()].filter((type) => isShared(type, joined));
      return new Set(types.map(({ name }) => name));
    },
    conflictsOf: (offer) => [
      ...[...offeredTypes(offer.offered).values()].flatMap((type) =>
        conflict('type', type.name, ownerOfType(type, offer.joined)),
      ),
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

/**
 * The types that query and mutation fields of `upstream` reach, by name, including implementations of interfaces, without
 * the built-in scalars. Includes root types only if a field has that type.
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
 * The fields of `path` in a view of the schema; undefined if the view does not have a field, or an argument or member that
 * the relationship sets.
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

/** Whether a caller may set all members of the template. A key in place of an object would replace its presets. */
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
 * The fields of the steps of a relationship, from the query root. `resolve` has checked that they exist; a TypeError means
 * that `path` belongs to another schema.
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
