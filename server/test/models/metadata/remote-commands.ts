/** Random commands on remote schemas, over few names and servers. */
import fc from 'fast-check';
import type { Command } from './edit.ts';
import { schemaOf, serverNames, servers, urlOf } from './remote-servers.ts';

const remoteName = fc.constantFrom('first', 'second');
const server = fc.constantFrom(...serverNames);
/** Two servers, a port where nothing listens, and a variable that the environment does not have. */
const url = fc.oneof(
  { weight: 8, arbitrary: server.map(urlOf) },
  fc.constantFrom('http://127.0.0.1:9/', '{{MISSING_URL}}'),
);
const tableName = fc.constantFrom('author', 'article', 'tag');
const relationshipName = fc.constantFrom('copy', 'other');

const schemaCommands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        type: fc.constantFrom('add_remote_schema', 'update_remote_schema'),
        name: remoteName,
        url,
        comment: fc.constantFrom(undefined, 'one', 'two'),
      })
      .map(({ type, name, url: to, comment }) => ({
        type,
        args: { name, definition: { url: to, timeout_seconds: 30 }, ...(comment !== undefined && { comment }) },
      })),
  },
  fc.record({ name: remoteName, cascade: fc.boolean() }).map((args) => ({ type: 'remove_remote_schema', args })),
);

const permissionCommands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({
        remote_schema: remoteName,
        // Different permissions of the parents of a role would be an inconsistency of that role.
        role: fc.oneof({ weight: 8, arbitrary: fc.constant('user') }, fc.constant('admin')),
        of: server,
        extent: fc.constantFrom('full' as const, 'reduced' as const),
      })
      .map(({ of, extent, ...args }) => ({
        type: 'add_remote_schema_permissions',
        args: { ...args, definition: { schema: schemaOf(of, extent) } },
      })),
  },
  remoteName.map((remote_schema) => ({
    type: 'drop_remote_schema_permissions',
    args: { remote_schema, role: 'user' },
  })),
);

const tableRelationshipCommands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({
        type: fc.constantFrom('create_remote_relationship', 'create_remote_relationship', 'update_remote_relationship'),
        table: tableName,
        name: relationshipName,
        remote_schema: remoteName,
        to: server,
      })
      .map(({ type, table, name, remote_schema, to }) => ({
        type,
        args: {
          table,
          name,
          definition: {
            to_remote_schema: {
              remote_schema,
              lhs_fields: ['id'],
              remote_field: { [servers[to].field]: { arguments: { id: '$id' } } },
            },
          },
        },
      })),
  },
  fc.record({ table: tableName, name: relationshipName }).map((args) => ({ type: 'delete_remote_relationship', args })),
);

const typeName = server.map((of) => servers[of].type);
const typeRelationshipCommands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({
        type: fc.constantFrom(
          'create_remote_schema_remote_relationship',
          'create_remote_schema_remote_relationship',
          'update_remote_schema_remote_relationship',
        ),
        remote_schema: remoteName,
        type_name: typeName,
        name: relationshipName,
        table: fc.constantFrom('author', 'tag'),
      })
      .map(({ type, table, ...args }) => ({
        type,
        args: {
          ...args,
          definition: {
            to_source: {
              source: 'default',
              table: { name: table, schema: 'public' },
              relationship_type: 'object',
              field_mapping: { authorId: 'id' },
            },
          },
        },
      })),
  },
  fc
    .record({ remote_schema: remoteName, type_name: typeName, name: relationshipName })
    .map((args) => ({ type: 'delete_remote_schema_remote_relationship', args })),
);

/** Commands that edit remote schemas, their permissions and relationships. */
export const remoteCommands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: schemaCommands },
  { weight: 2, arbitrary: permissionCommands },
  { weight: 2, arbitrary: tableRelationshipCommands },
  { weight: 2, arbitrary: typeRelationshipCommands },
);

/** Reads one remote schema again. */
export const reloadCommand: fc.Arbitrary<Command> = remoteName.map((name) => ({
  type: 'reload_remote_schema',
  args: { name },
}));

/** A remote schema with a permission, and relationships from and to it. The table `author` must exist. */
export const fullRemotes: readonly Command[] = [
  { type: 'add_remote_schema', args: { name: 'first', definition: { url: urlOf('BOOKS'), timeout_seconds: 30 } } },
  {
    type: 'add_remote_schema_permissions',
    args: { remote_schema: 'first', role: 'user', definition: { schema: schemaOf('BOOKS', 'full') } },
  },
  {
    type: 'create_remote_relationship',
    args: {
      table: 'author',
      name: 'copy',
      definition: {
        to_remote_schema: {
          remote_schema: 'first',
          lhs_fields: ['id'],
          remote_field: { book: { arguments: { id: '$id' } } },
        },
      },
    },
  },
  {
    type: 'create_remote_schema_remote_relationship',
    args: {
      remote_schema: 'first',
      type_name: 'Book',
      name: 'other',
      definition: {
        to_source: {
          source: 'default',
          table: { name: 'author', schema: 'public' },
          relationship_type: 'object',
          field_mapping: { authorId: 'id' },
        },
      },
    },
  },
];
