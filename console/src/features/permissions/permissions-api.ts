/** Commands on permissions. All functions throw Failure. */
import type { Client } from '../../api/client.ts';
import type { Reading } from '../../api/edit-conflict.ts';
import type { JsonObject } from '../../api/json.ts';
import type { PermissionEntry } from '../../shared/sources/sources-api.ts';
import type { TableName } from '../../shared/sources/table-paths.ts';
import type { Operation } from './access.ts';

export interface PermissionTarget {
  readonly source: string;
  readonly table: TableName;
  readonly role: string;
  readonly operation: Operation;
}

export interface WrittenPermission {
  readonly permission: JsonObject;
  /** Empty for no comment. */
  readonly comment: string;
}

/**
 * Replaces a permission in one command, so that the role always has one. Fails with a conflict when the metadata
 * changed since `before` was read.
 */
export async function savePermission(
  client: Client,
  target: PermissionTarget,
  { permission, comment }: WrittenPermission,
  { shown: before, version }: Reading<PermissionEntry | undefined>,
): Promise<void> {
  const { source, table, role, operation } = target;
  const named = { source, table: nameOf(table), role };
  const trimmed = comment.trim() === '' ? null : comment;
  if (before !== undefined && isSame(before.permission, permission)) {
    const change = { ...named, type: operation, comment: trimmed };
    await client.command('pg_set_permission_comment', change, { basedOn: version });
    return;
  }
  const args = { ...named, permission, comment: trimmed };
  const create = { type: `pg_create_${operation}_permission` as const, args };
  if (before === undefined) {
    await client.command(create.type, JSON.stringify(args), { basedOn: version });
    return;
  }
  const drop = { type: `pg_drop_${operation}_permission` as const, args: named };
  await client.command('bulk', [drop, create], { basedOn: version });
}

export async function removePermission(client: Client, target: PermissionTarget): Promise<void> {
  const { source, table, role, operation } = target;
  await client.command(`pg_drop_${operation}_permission`, { source, table: nameOf(table), role });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns only the schema and name. */
function nameOf({ schema, name }: TableName): TableName {
  return { schema, name };
}
