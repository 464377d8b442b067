/** What was dropped from the metadata because it could not be used, as the cause of something missing. */
import type { RoleName } from '@joinery/metadata/names';
import type { Model } from '../../model/model.ts';
import type { Inconsistency } from '../../model/types/inconsistency.ts';
import type { Table } from '../../model/types/table.ts';

/** That an inconsistent object would bring the field, and why it is inconsistent. */
export function droppedField(
  { inconsistencies }: Model,
  table: Table | undefined,
  type: string,
  field: string,
): string | undefined {
  const names = [field, ...bareNames(field)];
  const found = inconsistencies.find((one) =>
    table === undefined ? isRoot(one, names) || isOutput(one, type, field) : isMember(one, table, names),
  );
  return found && `${found.name} is inconsistent: ${found.reason}`;
}

/** The same of a permission, to be put behind the sentence that there is none. */
export function droppedPermission({ inconsistencies }: Model, verb: string, role: RoleName, table: Table): string {
  const begin = `${verb}_permission ${role} in table `;
  const found = inconsistencies.find(({ name }) => name.startsWith(begin) && isOf(name.slice(begin.length), table));
  return found === undefined ? '' : `; ${found.name} is inconsistent: ${found.reason}`;
}

/** The table's name in those of its roots. */
function bareNames(field: string): string[] {
  const read = /^(.+)_(by_pk|aggregate|stream)$/.exec(field)?.[1];
  const written = /^(?:insert|update|delete)_(.+?)(?:_one|_by_pk|_many)?$/.exec(field)?.[1];
  return [read, written].filter((name) => name !== undefined);
}

function isRoot({ name, type }: Inconsistency, names: readonly string[]): boolean {
  if (type === 'action') return names.some((one) => name === `action ${one}` || name.startsWith(`action ${one} at `));
  const written = /^(?:table|function) (\S+) in source /.exec(name)?.[1];
  return written !== undefined && names.includes(written.replace('.', '_'));
}

function isOutput({ name }: Inconsistency, type: string, field: string): boolean {
  return name.startsWith(`relationship ${field} of object type ${type}`);
}

const members = /^(?:object_relation|array_relation|remote_relationship|computed_field) (\S+) in (?:table )?(.+)$/;

function isMember({ name }: Inconsistency, table: Table, names: readonly string[]): boolean {
  const [, member = '', place = ''] = members.exec(name) ?? [];
  return names.includes(member) && isOf(place.replace(/^table /, ''), table);
}

/** `author in source default` or `shop.author in source default`. */
function isOf(place: string, { schema, name, source }: Table): boolean {
  return [name, `${schema}.${name}`].some((one) => place === `${one} in source ${source}`);
}
