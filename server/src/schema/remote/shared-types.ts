/**
 * Types that the service and a remote schema have under one name. Equal ones are one type in the schema of a role; it must be
 * that of the service, whose fields have bindings.
 */
import { ADMIN_ROLE, type RemoteSchemaName } from '@joinery/metadata/names';
import type { GraphQLNamedType } from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import type { Model } from '../../model/model.ts';
import { builtInTypes } from '../../model/predicate/column-types.ts';
import { sameType } from '../../model/remote/same-type.ts';
import { remoteView } from '../../model/remote/schema-view.ts';
import type { InputField, InputNamed, OutputField, OutputNamed, TypeRef } from '../../model/types/action.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import { leaf, namedInput } from '../actions/action-inputs.ts';
import { comparison } from '../inputs/comparison.ts';
import { direction } from '../inputs/order.ts';
import { outputObject } from '../output-types.ts';
import { createRegistry, type TypeRegistry } from '../registry.ts';
import { cursorOrdering } from '../tables/subscription-roots.ts';

/** Creates the shared types that the role sees in a remote schema. Later requests for these names return them. */
export function createSharedTypes({ plain }: TypeRegistry): void {
  const names = new Set<string>();
  for (const remote of plain.model.remoteSchemas.values()) {
    const view = remoteView(remote, plain.role);
    for (const name of remote.shared ?? []) if (view?.getType(name) !== undefined) names.add(name);
  }
  createTypes(plain, names);
}

/** The remote schemas with types that differ from those of the service, and the errors. */
export function sharedTypeConflicts(model: Model): ReadonlyMap<RemoteSchemaName, ServiceError> {
  const conflicts = new Map<RemoteSchemaName, ServiceError>();
  const remotes = [...model.remoteSchemas.values()].filter(({ shared }) => shared !== undefined && shared.size > 0);
  if (remotes.length === 0) return conflicts;
  const types = new Map<string, GraphQLNamedType>();
  const local = { ...model, remoteSchemas: new Map() };
  const registry = createRegistry({ model: local, role: ADMIN_ROLE, backend: true }, types);
  createTypes(registry, new Set(remotes.flatMap(({ shared }) => [...(shared ?? [])])));
  for (const remote of remotes) {
    const different = [...(remote.shared ?? [])].find((name) => {
      const own = types.get(name);
      return own !== undefined && viewsOf(remote, name).some((type) => !sameType(type, own));
    });
    if (different === undefined) continue;
    const reason = `its type "${different}" differs from the type of that name of the service; rename it by "customization"`;
    conflicts.set(remote.name, new ServiceError('remote-schema-conflicts', reason));
  }
  return conflicts;
}

/** The type as admin and the roles with a permission see it. */
function viewsOf({ offered, upstream, permissions }: RemoteSchema, name: string): readonly GraphQLNamedType[] {
  const views = [offered ?? upstream, ...(permissions?.values() ?? [])];
  return views.map((view) => view.getType(name)).filter((type) => type !== undefined);
}

function createTypes(registry: TypeRegistry, names: ReadonlySet<string>): void {
  if (names.size === 0) return;
  if (names.has('order_by')) direction(registry);
  if (names.has('cursor_ordering')) cursorOrdering(registry);
  const scalars = new Set(
    [...names].flatMap((name) => /^(.+?)(?:_array)?_(?:comparison|cast)_exp$/.exec(name)?.[1] ?? []),
  );
  const spatial = [...names].some((name) => name.startsWith('st_'));
  for (const type of columnTypes(registry.model)) {
    // The fields create the types of casts and of the operators' arguments.
    if (scalars.has(type.scalar) || (spatial && /^geo|^raster/.test(type.scalar)))
      comparison(registry, type).getFields();
  }
  for (const type of customTypes(registry.model)) {
    if (!names.has(type.name)) continue;
    if (type.kind === 'input') namedInput(registry, type);
    else if (type.kind === 'object') outputObject(registry, type);
    else if (type.kind === 'enum') leaf(registry, type);
  }
}

function* columnTypes({ sources }: Model): Iterable<ColumnType> {
  for (const name of ['Int', 'Float', 'String', 'Boolean']) {
    const type = builtInTypes.get(name);
    if (type !== undefined) yield type;
  }
  for (const { tables, nativeQueries } of sources.values()) {
    for (const { columns, computedFields } of [...tables.values(), ...(nativeQueries?.values() ?? [])]) {
      for (const { type } of columns.values()) yield* withElement(type);
      for (const { result } of computedFields?.values() ?? []) {
        if (result.kind === 'scalar') yield* withElement(result.column.type);
      }
    }
  }
}

function* withElement(type: ColumnType): Iterable<ColumnType> {
  yield type;
  if (type.element !== undefined) yield* withElement(type.element);
}

/** The types of arguments and outputs of actions. */
function customTypes({ actions }: Model): ReadonlySet<InputNamed | OutputNamed> {
  const found = new Set<InputNamed | OutputNamed>();
  const add = (type: InputNamed | OutputNamed): void => {
    if (found.has(type)) return;
    found.add(type);
    if (type.kind === 'abstract') for (const member of type.members) add(member);
    if (type.kind !== 'scalar' && type.kind !== 'enum') addFields(type.fields.values());
  };
  const addFields = (fields: Iterable<InputField | OutputField>): void => {
    for (const field of fields) add(named(field.type));
  };
  for (const action of actions.values()) {
    addFields(action.arguments);
    add(named(action.output));
  }
  return found;
}

function named(type: TypeRef<InputNamed | OutputNamed>): InputNamed | OutputNamed {
  return type.kind === 'named' ? type.type : named(type.of);
}
