/** The inconsistencies of remote schemas, their permissions, and relationships from and to them. */
import type { Document, Entry, Problem, RemoteSchema, Upstreams } from './documents.ts';
import { replaced, withTable } from './documents.ts';
import { withTypeRelationships } from './remote-edits.ts';
import { type Server, schemaOf, serverOf, servers, typeOf } from './remote-servers.ts';

/** Lists the problems of remote schemas and of what needs them. `usable`: the names of the tables that are usable. */
export function remoteProblemsOf(document: Document, usable: ReadonlySet<string>): readonly Problem[] {
  const found: Problem[] = [];
  const targets = new Map<string, Server>();
  const byName = [...document.remotes].sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const remote of byName) {
    const server = serverOf(remote.definition.url);
    // The second remote schema of a server has the same root fields.
    if (server === undefined || [...targets.values()].includes(server)) {
      found.push({
        type: 'remote_schema',
        key: `remote ${JSON.stringify(remote)}`,
        remove: (from) => ({ ...from, remotes: from.remotes.filter(({ name }) => name !== remote.name) }),
      });
      continue;
    }
    targets.set(remote.name, server);
    found.push(...problemsOfPermissions(remote, server, document.upstreams));
  }
  for (const remote of document.remotes) {
    found.push(...problemsOfTypes(remote, targets.get(remote.name), document.upstreams, usable));
  }
  return [...found, ...problemsOfTables(document, targets, usable)];
}

function changed(name: string, change: (remote: RemoteSchema) => RemoteSchema): Problem['remove'] {
  return (from) => {
    const remote = from.remotes.find((one) => one.name === name);
    return remote === undefined ? from : { ...from, remotes: replaced(from.remotes, remote, change(remote)) };
  };
}

function problemsOfPermissions(
  { name, permissions = [] }: RemoteSchema,
  server: Server,
  upstreams: Upstreams,
): readonly Problem[] {
  const permitted = [schemaOf(server, 'reduced'), ...(upstreams[server] === 'full' ? [schemaOf(server, 'full')] : [])];
  return permissions.flatMap((one): readonly Problem[] => {
    const { schema } = one.definition as { readonly schema: string };
    if (permitted.includes(schema)) return [];
    const remove = changed(name, (remote) => ({
      ...remote,
      permissions: (remote.permissions ?? []).filter(({ role }) => role !== one.role),
    }));
    return [{ type: 'remote_schema_permission', key: `remote permission ${name} ${JSON.stringify(one)}`, remove }];
  });
}

/** Relationships of types use the field `authorId`, which a reduced schema does not have. */
function problemsOfTypes(
  { name, remote_relationships = [] }: RemoteSchema,
  server: Server | undefined,
  upstreams: Upstreams,
  usable: ReadonlySet<string>,
): readonly Problem[] {
  return remote_relationships.flatMap(({ type_name, relationships }) => {
    const hasKey = server !== undefined && typeOf(server) === type_name && upstreams[server] === 'full';
    return relationships.flatMap((one): readonly Problem[] => {
      const { to_source } = one.definition as { readonly to_source: { readonly table: { readonly name: string } } };
      if (hasKey && usable.has(to_source.table.name)) return [];
      const remove = changed(name, (remote) =>
        withTypeRelationships(remote, type_name, (list) => list.filter((other) => other.name !== one.name)),
      );
      const key = `relationship ${name}.${type_name} ${JSON.stringify(one)}`;
      return [{ type: 'remote_schema_remote_relationship', key, remove }];
    });
  });
}

function problemsOfTables(
  { tables }: Document,
  targets: ReadonlyMap<string, Server>,
  usable: ReadonlySet<string>,
): readonly Problem[] {
  return tables.flatMap((table) => {
    const { name } = table.table;
    return (table.remote_relationships ?? []).flatMap((one): readonly Problem[] => {
      if (usable.has(name) && hasTarget(one, targets)) return [];
      const remove: Problem['remove'] = (from) => {
        const entry = from.tables.find((other) => other.table.name === name);
        if (entry === undefined) return from;
        const remote_relationships = (entry.remote_relationships ?? []).filter((other) => other.name !== one.name);
        return withTable(from, entry, { ...entry, remote_relationships });
      };
      return [{ type: 'remote_relationship', key: `relationship ${name} ${JSON.stringify(one)}`, remove }];
    });
  });
}

function hasTarget({ definition }: Entry, targets: ReadonlyMap<string, Server>): boolean {
  const { remote_schema, remote_field } = (
    definition as { readonly to_remote_schema: { readonly remote_schema: string; readonly remote_field: Entry } }
  ).to_remote_schema;
  const server = targets.get(remote_schema);
  return server !== undefined && servers[server].field in remote_field;
}
