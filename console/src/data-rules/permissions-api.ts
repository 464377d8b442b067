/** Permissions of tables through the metadata API. Every function throws Failure. */
import type { Client } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { type PermissionEntry, readSources } from '../data/data-api.ts';
import { sameTable, type TableName, tableLabel } from '../data/table-paths.ts';
import { entryOf, type Operation } from './access.ts';
import type { Members } from './rule.ts';

export interface PermissionTarget {
  readonly source: string;
  readonly table: TableName;
  readonly role: string;
  readonly operation: Operation;
}

export interface WrittenPermission {
  readonly permission: Members;
  /** Empty for none. */
  readonly comment: string;
}

/**
 * In one step, so that the role is never without the permission that it had. Refused where somebody else has changed the
 * permission since `before` was read.
 */
export async function savePermission(
  client: Client,
  target: PermissionTarget,
  { permission, comment }: WrittenPermission,
  before: PermissionEntry | undefined,
): Promise<void> {
  await refuseStale(client, target, before);
  const { source, table, role, operation } = target;
  const named = { source, table: nameOf(table), role };
  const said = comment.trim() === '' ? null : comment;
  if (before !== undefined && isSame(before.permission, permission)) {
    await client.command('pg_set_permission_comment', { ...named, type: operation, comment: said });
    return;
  }
  const args = { ...named, permission, comment: said };
  const create = { type: `pg_create_${operation}_permission`, args };
  if (before === undefined) await client.command(create.type, args);
  else await client.command('bulk', [{ type: `pg_drop_${operation}_permission`, args: named }, create]);
}

export async function removePermission(client: Client, target: PermissionTarget): Promise<void> {
  const { source, table, role, operation } = target;
  await client.command(`pg_drop_${operation}_permission`, { source, table: nameOf(table), role });
}

async function refuseStale(
  client: Client,
  { source, table, role, operation }: PermissionTarget,
  before: PermissionEntry | undefined,
): Promise<void> {
  const sources = await readSources(client, new AbortController().signal);
  const entry = sources.find((one) => one.name === source)?.tables.find((one) => sameTable(one.table, table));
  if (entry === undefined || isSame(entryOf(entry, operation, role), before)) return;
  const message = `Somebody else has changed the ${operation} permission of ${role} on ${tableLabel(table)} since this form was opened. Open it again to see it; what stands here is not saved.`;
  throw new Failure({ code: 'conflict', message });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Without what else may be known of it. */
function nameOf({ schema, name }: TableName): TableName {
  return { schema, name };
}
