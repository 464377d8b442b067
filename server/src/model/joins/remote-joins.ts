/** The stage of resolve for relationships of remote schemas' types. */

import type { RemoteSchema as Written } from '@joinery/metadata/schema/remote-schemas';
import {
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import type { Steps } from '../../base/steps.ts';
import { postgresScalars } from '../actions/postgres-scalars.ts';
import { arrayOf, textType } from '../predicate/column-types.ts';
import { keyMismatch, typeOfKey } from '../predicate/key-types.ts';
import { choice } from '../remote/arguments.ts';
import { composites, upstreamName } from '../remote/schema-view.ts';
import type { OutputNamed } from '../types/action.ts';
import type { Draft } from '../types/draft.ts';
import type { Join, JoinKey, RemoteSchema } from '../types/table.ts';
import { fieldNames, hasAggregate, type JoinOwner, resolveJoin } from './join-target.ts';

/** A field of a remote type as a part of a key. */
interface RemoteKey extends JoinKey {
  readonly named: OutputNamed | undefined;
}

/** Fills `joins` of every remote schema. Reports and leaves out invalid relationships. */
export function* resolveRemoteJoins(draft: Draft): Steps<void> {
  for (const [index, written] of (draft.input.metadata.remote_schemas ?? []).entries()) {
    const remote = draft.remoteSchemas.get(written.name);
    for (const [position, type] of (written.remote_relationships ?? []).entries()) {
      const path = `$.remote_schemas[${index}].remote_relationships[${position}]`;
      yield* resolveType(draft, remote, type, { path, remote: written.name });
    }
  }
}

type WrittenType = NonNullable<Written['remote_relationships']>[number];

function* resolveType(
  draft: Draft,
  remote: RemoteSchema | undefined,
  { type_name, relationships }: WrittenType,
  place: { readonly path: string; readonly remote: string },
): Steps<void> {
  const joins = new Map<string, Join>();
  const owner = remote && ownerOf(draft, remote, type_name);
  const taken = new Set(owner?.fields);
  for (const [index, written] of relationships.entries()) {
    yield;
    const problems: string[] = [];
    if (remote === undefined)
      problems.push(`remote schema "${place.remote}" was dropped or could not be read; fix it first`);
    else if (owner === undefined) problems.push(`the remote schema has no object type "${type_name}"`);
    else if (isOnlyRoot(remote.upstream, type_name)) {
      problems.push('it is the type of root fields and no field returns it, so the relationship would have no effect');
    }
    const join = owner && resolveJoin(draft, written.name, written.definition, owner, problems);
    const names = join === undefined ? [] : fieldNames(written.name, hasAggregate(join));
    for (const name of names.filter((one) => taken.has(one))) {
      problems.push(`the type has a field or relationship "${name}" already; choose another name`);
    }
    if (join !== undefined && problems.length === 0) {
      joins.set(written.name, join);
      for (const name of names) taken.add(name);
      continue;
    }
    draft.report({
      type: 'remote_schema_remote_relationship',
      name: `remote_relationship ${written.name} of type ${type_name} in remote schema ${place.remote}`,
      path: `${place.path}.relationships[${index}]`,
      code: 'invalid-configuration',
      reason: `remote relationship "${written.name}" of type "${type_name}": ${problems.join('; ')}`,
      definition: written,
    });
  }
  if (joins.size > 0) remote?.joins?.set(type_name, joins);
}

/** Whether the type has the root fields of an operation, and no field can return an object of it. */
function isOnlyRoot(upstream: GraphQLSchema, name: string): boolean {
  const roots = [upstream.getQueryType(), upstream.getMutationType(), upstream.getSubscriptionType()];
  const root = roots.find((type) => type?.name === name);
  if (!root) return false;
  const returned = composites(upstream).flatMap((type) => {
    return Object.values(type.getFields()).map((field) => getNamedType(field.type));
  });
  return !returned.some((type) => type === root || (isAbstractType(type) && upstream.isSubType(type, root)));
}

/** `fields`: the names of the type's fields under which clients see them. */
type Owner = JoinOwner<RemoteKey> & { readonly fields: readonly string[] };

function ownerOf(draft: Draft, { upstream, offered = upstream }: RemoteSchema, typeName: string): Owner | undefined {
  const type = upstream.getType(typeName);
  if (!isObjectType(type)) return undefined;
  const scalars = postgresScalars(draft);
  const fields = Object.values(type.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const shown = Object.values(offered.getTypeMap()).find((one) => isObjectType(one) && upstreamName(one) === typeName);
  return {
    noun: 'field',
    keys: new Map(fields.map((field) => [field.name, keyOf(field.name, field.type, scalars)])),
    missing: (name) =>
      `type "${typeName}" has no field "${name}" without arguments${choice(fields.map((one) => one.name))}`,
    mismatch: (key, other) => {
      const problem =
        key.named === undefined
          ? 'the field is an object or a list of lists, and a key is a scalar, an enum or a list of them'
          : keyMismatch(key.named, other.type, other.what);
      return problem && `"${key.name}" cannot be mapped to ${other.what} "${other.name}": ${problem}`;
    },
    fields: isObjectType(shown) ? Object.keys(shown.getFields()) : [],
  };
}

function keyOf(name: string, type: GraphQLOutputType, scalars: ReturnType<typeof postgresScalars>): RemoteKey {
  const nullable = getNullableType(type);
  const item = isListType(nullable) ? getNullableType(nullable.ofType) : nullable;
  const named = isListType(item) ? undefined : namedOf(item, scalars);
  const own = (named && typeOfKey(named)) ?? textType;
  return isListType(nullable) ? { name, named, type: arrayOf(own), list: true } : { name, named, type: own };
}

function namedOf(type: GraphQLOutputType, scalars: ReturnType<typeof postgresScalars>): OutputNamed | undefined {
  const named = getNamedType(type);
  const name = named.name as Extract<OutputNamed, { kind: 'scalar' }>['name'];
  if (isEnumType(named)) {
    return {
      kind: 'enum',
      name: name as Extract<OutputNamed, { kind: 'enum' }>['name'],
      description: undefined,
      values: [],
    };
  }
  if (!isScalarType(named)) return undefined;
  if (isSpecifiedScalarType(named)) return { kind: 'scalar', name, origin: 'graphql', description: undefined };
  return scalars.get(name) ?? { kind: 'scalar', name, origin: 'custom', description: undefined };
}
