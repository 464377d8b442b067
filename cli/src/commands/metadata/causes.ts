/** Groups inconsistent objects by their cause: a missing table is one error, not one for each of its permissions. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';

/** Objects that cannot be used for one reason. */
export interface Cause {
  /** The object to fix, or the first of those with the same reason. */
  readonly object: InconsistentObject;
  readonly others: readonly InconsistentObject[];
}

/**
 * Groups an object with the inconsistent table, source or remote schema that contains it or that its reason names. Other
 * objects of a table, and objects of one type outside of tables, are grouped if they have the same reason. With `metadata`, in
 * the form of an export, all tables of a source whose database has none of them are one group.
 */
export function groupByCause(given: readonly InconsistentObject[], metadata?: Sources): readonly Cause[] {
  const objects = [...emptySources(given, metadata), ...given];
  const groups = new Map<string, { readonly object: InconsistentObject; readonly others: InconsistentObject[] }>();
  const inconsistent = new Map(objects.filter(isContainer).map((one) => [one.name, one]));
  const containers = new Map([...inconsistent.values()].map((one) => [containerPath(one), one] as const));
  // Containers come first, because the objects in them may precede them in the list.
  for (const one of objects.filter((object) => cause(object) === undefined)) {
    const key = isContainer(one) ? one.name : `${tableOf(one) ?? one.type}\0${reasonOf(one)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { object: one, others: [] });
    else group.others.push(one);
  }
  for (const one of objects) {
    let container = cause(one);
    // A table of an inconsistent source belongs to the source.
    for (let next = container; next !== undefined; next = cause(next)) container = next;
    if (container !== undefined) groups.get(container.name)?.others.push(one);
  }
  return [...groups.values()];

  function cause(one: InconsistentObject): InconsistentObject | undefined {
    const paths = [sourceOf(one), tableOf(one), remoteSchemaOf(one)].filter((path) => path !== undefined);
    const container = paths.map((path) => containers.get(path)).find((found) => found !== undefined && found !== one);
    return container ?? (isContainer(one) ? undefined : inconsistent.get(namedContainer(one)));
  }
}

/** What is read of metadata in the form of an export. */
export interface Sources {
  readonly sources?: unknown;
}

/** Returns an inconsistent source for each source with several tables of which none exists. */
function emptySources(objects: readonly InconsistentObject[], metadata: Sources = {}): readonly InconsistentObject[] {
  const sources = (metadata.sources ?? []) as readonly {
    readonly name: string;
    readonly tables?: readonly unknown[];
  }[];
  return sources.flatMap(({ name, tables = [] }, index): readonly InconsistentObject[] => {
    const path = `$.sources[${index}]`;
    const missing = objects.filter((one) => one.type === 'table' && sourceOf(one) === path && isMissing(one));
    if (tables.length < 2 || missing.length < tables.length) return [];
    const reason = `none of its ${tables.length} tables exists in its database; apply the migrations of the source`;
    return [{ type: 'source', name: `source ${name}`, reason, path, definition: null }];
  });
}

function isMissing({ reason }: InconsistentObject): boolean {
  return reason.includes('no such table/view exists in source');
}

/** Returns `(and 11 more objects)` for a group with others. */
export function countOthers({ others }: Cause): string {
  if (others.length === 0) return '';
  return ` (and ${others.length} more object${others.length === 1 ? '' : 's'})`;
}

function isContainer({ type }: InconsistentObject): boolean {
  return type === 'source' || type === 'table' || type === 'remote_schema';
}

function containerPath(one: InconsistentObject): string | undefined {
  if (one.type === 'remote_schema') return remoteSchemaOf(one);
  return one.type === 'source' ? sourceOf(one) : tableOf(one);
}

function remoteSchemaOf({ path }: InconsistentObject): string | undefined {
  return /^\$\.remote_schemas\[\d+\]/.exec(path ?? '')?.[0];
}

function sourceOf({ path }: InconsistentObject): string | undefined {
  return /^\$\.sources\[\d+\]/.exec(path ?? '')?.[0];
}

function tableOf({ path }: InconsistentObject): string | undefined {
  return /^\$\.sources\[\d+\]\.tables\[\d+\]/.exec(path ?? '')?.[0];
}

/** Returns the name of the inconsistent table, source or remote schema that the reason names; an empty string if there is none. */
function namedContainer({ name, reason }: InconsistentObject): string {
  const source = /source "([^"]+)" could not be read/.exec(reason)?.[1];
  if (source !== undefined) return `source ${source}`;
  const remote = /remote schema "([^"]+)" was dropped or could not be read/.exec(reason)?.[1];
  if (remote !== undefined) return `remote schema ${remote}`;
  const table = /table "([^"]+)" is itself inconsistent/.exec(reason)?.[1];
  return table === undefined ? '' : `table ${table} in source ${/ in source (.+)$/.exec(name)?.[1] ?? 'default'}`;
}

/** Returns the reason without the object that it is about. */
function reasonOf({ reason }: InconsistentObject): string {
  return reason.replace(/^Inconsistent object: /, '').replace(/^(?:in [\w ]+ "[^"]*": )+/, '');
}
