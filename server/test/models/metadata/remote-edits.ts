/** What each command on remote schemas does to a document. */
import { type Document, type Entry, type RemoteSchema, replaced, withTable } from './documents.ts';
import { addUnless, type EditOf, find, hasRelationship, members, rejected, tableOf } from './edit.ts';

function changeRemote(
  document: Document,
  name: unknown,
  change: (remote: RemoteSchema) => RemoteSchema | undefined,
): Document {
  const remote = find(document.remotes, 'name', name);
  return { ...document, remotes: replaced(document.remotes, remote, change(remote)) };
}

/** Changes the relationships of a type. A type without relationships has no entry. */
export function withTypeRelationships(
  remote: RemoteSchema,
  type_name: unknown,
  change: (list: readonly Entry[]) => readonly Entry[],
): RemoteSchema {
  const types = remote.remote_relationships ?? [];
  const known = types.find((one) => one.type_name === type_name);
  const relationships = change(known?.relationships ?? []);
  const type = { type_name: String(type_name), relationships };
  const remote_relationships =
    known === undefined ? [...types, type] : replaced(types, known, relationships.length === 0 ? undefined : type);
  return { ...remote, remote_relationships };
}

function changeTypeRelationships(change: (list: readonly Entry[], args: Entry) => readonly Entry[]): EditOf {
  return (document, args) =>
    changeRemote(document, args.remote_schema, (remote) =>
      withTypeRelationships(remote, args.type_name, (list) => change(list, args)),
    );
}

function changeTableRelationship(change: (args: Entry) => Entry | undefined): EditOf {
  return (document, args) => {
    const table = tableOf(document, args);
    const list = table.remote_relationships ?? [];
    const entry = find(list, 'name', args.name);
    return withTable(document, table, { ...table, remote_relationships: replaced(list, entry, change(args)) });
  };
}

const relationshipOf = (args: Entry): Entry => members(args, 'name', 'definition');

/** The edits by the names of their commands. */
export const remoteEdits: Readonly<Record<string, EditOf>> = {
  add_remote_schema: (document, args) => ({
    ...document,
    remotes: addUnless(document.remotes, args as RemoteSchema, 'name'),
  }),
  update_remote_schema: (document, args) =>
    changeRemote(document, args.name, ({ comment: before, ...rest }) => {
      const comment = args.comment === undefined ? before : args.comment;
      const definition = args.definition as RemoteSchema['definition'];
      return { ...rest, definition, ...(typeof comment === 'string' && { comment }) };
    }),
  remove_remote_schema: (document, { name }) => changeRemote(document, name, () => undefined),
  add_remote_schema_permissions: (document, { remote_schema, role, definition }) =>
    changeRemote(document, remote_schema, (remote) => {
      if (role === 'admin') rejected('constraint-violation');
      return { ...remote, permissions: addUnless(remote.permissions ?? [], { role, definition }, 'role') };
    }),
  drop_remote_schema_permissions: (document, { remote_schema, role }) =>
    changeRemote(document, remote_schema, (remote) => {
      const permissions = remote.permissions ?? [];
      return { ...remote, permissions: replaced(permissions, find(permissions, 'role', role), undefined) };
    }),
  create_remote_relationship: (document, args) => {
    const table = tableOf(document, args);
    if (hasRelationship(table, args)) rejected('already-exists');
    const remote_relationships = [...(table.remote_relationships ?? []), relationshipOf(args)];
    return withTable(document, table, { ...table, remote_relationships });
  },
  update_remote_relationship: changeTableRelationship(relationshipOf),
  delete_remote_relationship: changeTableRelationship(() => undefined),
  create_remote_schema_remote_relationship: changeTypeRelationships((list, args) =>
    addUnless(list, relationshipOf(args), 'name'),
  ),
  update_remote_schema_remote_relationship: changeTypeRelationships((list, args) =>
    replaced(list, find(list, 'name', args.name), relationshipOf(args)),
  ),
  delete_remote_schema_remote_relationship: changeTypeRelationships((list, { name }) =>
    replaced(list, find(list, 'name', name), undefined),
  ),
};
