/** The stage of resolve for members of the metadata that have no effect. They are reported and stay in the metadata. */

import { Metadata } from '@joinery/metadata/metadata';
import { type Key, type StrayMember, strayMembers } from '@joinery/metadata/schema/members';
import { jsonPath } from '../../base/json-value.ts';
import type { Steps } from '../../base/steps.ts';
import type { Draft } from '../types/draft.ts';
import { type Inconsistency, UNSUPPORTED } from '../types/inconsistency.ts';

/** Unknown members occur only in metadata that an earlier version stored. */
export function* reportUnsupported({ input, report }: Draft): Steps<void> {
  for (const member of strayMembers(Metadata, input.metadata)) {
    yield;
    report(unsupportedMember(member, input.metadata));
  }
}

/** Returns the inconsistency for a member of `metadata` that has no effect. */
export function unsupportedMember(member: StrayMember, metadata: unknown): Inconsistency {
  const name = String(member.path.at(-1));
  const owner = ownerOf(member, metadata);
  return {
    type: UNSUPPORTED,
    name: `${name} of ${owner}`,
    path: jsonPath(member.path),
    code: 'not-supported',
    reason:
      member.kind === 'unknown'
        ? `in ${owner}: the member "${name}" is unknown and has no effect; remove it`
        : `in ${owner}: the member "${name}" has no effect; ${member.advice}`,
    definition: member.value,
  };
}

const nouns: Readonly<Record<string, string>> = {
  tables: 'table',
  functions: 'function',
  native_queries: 'native query',
  logical_models: 'logical model',
  sources: 'source',
  remote_schemas: 'remote schema',
  actions: 'action',
  cron_triggers: 'cron trigger',
  insert_permissions: 'insert permission',
  select_permissions: 'select permission',
  update_permissions: 'update permission',
  delete_permissions: 'delete permission',
  permissions: 'permission',
};

/** The enclosing objects, innermost first: `select permission "user", table "author", source "default"`. */
function ownerOf({ path }: StrayMember, metadata: unknown): string {
  const objects: string[] = [];
  let value = metadata;
  for (const [index, key] of path.slice(0, -1).entries()) {
    const list = path[index - 1];
    value = (value as Readonly<Record<Key, unknown>>)[key];
    const noun = typeof key === 'number' && typeof list === 'string' ? nouns[list] : undefined;
    if (noun !== undefined) objects.unshift(`${noun} "${labelOf(value)}"`);
  }
  return objects.length === 0 ? 'the metadata' : objects.join(', ');
}

function labelOf(value: unknown): string {
  const {
    name,
    role,
    table,
    function: routine,
  } = value as {
    readonly name?: string;
    readonly role?: string;
    readonly table?: QualifiedName | string;
    readonly function?: QualifiedName | string;
  };
  const qualified = table ?? routine;
  if (qualified === undefined) return name ?? role ?? '';
  if (typeof qualified === 'string') return qualified;
  return (qualified.schema ?? 'public') === 'public' ? qualified.name : `${qualified.schema}.${qualified.name}`;
}

interface QualifiedName {
  readonly schema?: string;
  readonly name: string;
}
