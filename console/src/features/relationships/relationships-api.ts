/** Commands on relationships. All functions throw Failure. */
import type { Client } from '../../api/client.ts';
import type { Reading } from '../../api/edit-conflict.ts';
import type { TableName } from '../../shared/sources/table-paths.ts';

export interface RelationshipOwner {
  readonly source: string;
  readonly table: TableName;
}

export interface NewRelationship {
  readonly type: 'object' | 'array';
  readonly name: string;
  readonly comment: string;
  /** Source of the target table. */
  readonly source: string;
  readonly target: TableName;
  /** Columns of this table to columns of the target. */
  readonly mapping: Readonly<Record<string, string>>;
}

/**
 * Creates a relationship. Within a source it is a table relationship, which rules can use; to another source a remote
 * one.
 */
export async function createRelationship(
  client: Client,
  owner: RelationshipOwner,
  relationship: NewRelationship,
): Promise<void> {
  const { type, name, source, target, mapping } = relationship;
  const { schema, name: table } = target;
  if (source === owner.source) {
    await client.command(`pg_create_${type}_relationship`, { ...owner, ...relationshipArguments(relationship) });
    return;
  }
  const to_source = { source, table: { schema, name: table }, relationship_type: type, field_mapping: mapping };
  await client.command('pg_create_remote_relationship', { ...owner, name, definition: { to_source } });
}

/** Returns the members of a relationship to a table of the same source. */
export function relationshipArguments({ name, comment, target, mapping }: NewRelationship) {
  const remote_table = { schema: target.schema, name: target.name };
  const using = { manual_configuration: { remote_table, column_mapping: mapping } };
  return { name, using, ...(comment.trim() !== '' && { comment }) };
}

interface Described {
  readonly name: string;
  readonly comment: string;
}

/** Renames a relationship, also in row rules, and sets its comment in one command. */
export async function updateRelationship(
  client: Client,
  owner: RelationshipOwner,
  { shown: before, version }: Reading<Described>,
  after: Described,
): Promise<void> {
  const renaming = { ...owner, name: before.name, new_name: after.name };
  const comment = after.comment.trim() === '' ? null : after.comment;
  const commenting = { ...owner, name: after.name, comment };
  const options = { basedOn: version };
  const isRenamed = before.name !== after.name;
  const isDescribed = before.comment !== after.comment;
  if (isRenamed && isDescribed) {
    const commands = [
      { type: 'pg_rename_relationship' as const, args: renaming },
      { type: 'pg_set_relationship_comment' as const, args: commenting },
    ];
    await client.command('bulk', commands, options);
  } else if (isRenamed) await client.command('pg_rename_relationship', renaming, options);
  else if (isDescribed) await client.command('pg_set_relationship_comment', commenting, options);
}

/** Removes a relationship. Fails when other objects depend on it, unless `cascade` removes those too. */
export async function dropRelationship(
  client: Client,
  owner: RelationshipOwner,
  name: string,
  cascade: boolean,
): Promise<void> {
  await client.command('pg_drop_relationship', { ...owner, relationship: name, cascade });
}

/** Saves a remote relationship in place of `before`. `definition` is JSON text. */
export async function saveRemoteRelationship(
  client: Client,
  { source, table }: RelationshipOwner,
  name: string,
  definition: string,
  { shown: before, version }: Reading<{ readonly name: string } | undefined>,
): Promise<void> {
  const named = (called: string): string => JSON.stringify({ source, table, name: called }).slice(0, -1);
  const args = `${named(name)},"definition":${definition}}`;
  if (before === undefined) await client.command('pg_create_remote_relationship', args);
  else if (before.name === name) await client.command('pg_update_remote_relationship', args, { basedOn: version });
  else {
    const drop = `{"type":"pg_delete_remote_relationship","args":${named(before.name)}}}`;
    const creation = `{"type":"pg_create_remote_relationship","args":${args}}`;
    await client.command('bulk', `[${drop},${creation}]`, { basedOn: version });
  }
}

export async function dropRemoteRelationship(client: Client, owner: RelationshipOwner, name: string): Promise<void> {
  await client.command('pg_delete_remote_relationship', { ...owner, name });
}
