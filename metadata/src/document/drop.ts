/** Removes objects from the metadata by the paths of inconsistencies. */
import type { Metadata } from '../metadata.ts';

/** Matches objects that can be removed: the longest match at the start of a path is the object. */
const object =
  /^\$(?:\.sources\[\d+\](?:\.tables\[\d+\](?:\.(?!configuration)\w+\[\d+\])?|\.functions\[\d+\](?:\.permissions\[\d+\])?|\.logical_models\[\d+\](?:\.select_permissions\[\d+\])?|\.native_queries\[\d+\](?:\.(?:object|array)_relationships\[\d+\])?)?|\.(?:remote_schemas|actions)\[\d+\](?:\.permissions\[\d+\]|\.remote_relationships\[\d+\](?:\.relationships\[\d+\])?)?|\.inherited_roles\[\d+\](?!\.role_set)|\.(?:allowlist|rest_endpoints|cron_triggers)\[\d+\]|\.query_collections\[\d+\](?:\.definition\.queries\[\d+\])?|\.custom_types(?:\.\w+\[\d+\](?:\.relationships\[\d+\])?)?)/;

/** A column of a table's configuration; the rest of the path is its name, which may contain dots. */
const columnSetting =
  /^(\$\.sources\[\d+\]\.tables\[\d+\]\.configuration\.(?:column_config|custom_column_names))\.(.+)$/s;

type Key = string | number;

/**
 * Removes each object that one of `paths` points to or into. The default source and objects that cannot be removed stay.
 * Returns the number of removed objects.
 */
export function dropObjects(
  metadata: Metadata,
  paths: Iterable<string>,
): { readonly metadata: Metadata; readonly dropped: number } {
  const targets = new Map<string, readonly Key[]>();
  for (const path of paths) {
    const keys = droppable(metadata, path);
    if (keys !== undefined) targets.set(JSON.stringify(keys), keys);
  }
  // In reverse order, so that removals do not shift the indexes of later ones.
  const ordered = [...targets.values()].sort((one, other) => compare(other, one));
  const result = ordered.reduce<unknown>((current, keys) => without(current, keys), metadata) as Metadata;
  const dropsOfTypes = ordered.some(
    ([list, , member]) => list === 'remote_schemas' && member === 'remote_relationships',
  );
  return { metadata: dropsOfTypes ? withoutEmptyTypes(result) : result, dropped: ordered.length };
}

/** A type of a remote schema whose last relationship was dropped has no entry, as after the command that deletes it. */
function withoutEmptyTypes(metadata: Metadata): Metadata {
  const remote_schemas = metadata.remote_schemas?.map((remote) => {
    const types = remote.remote_relationships?.filter(({ relationships }) => relationships.length > 0);
    return types === undefined ? remote : { ...remote, remote_relationships: types };
  });
  return { ...metadata, ...(remote_schemas && { remote_schemas }) };
}

function droppable(metadata: Metadata, path: string): readonly Key[] | undefined {
  const setting = columnSetting.exec(path);
  if (setting !== null) return [...keysOf(setting[1] ?? ''), setting[2] ?? ''];
  const whole = object.exec(path)?.[0];
  if (whole === undefined) return undefined;
  const keys = keysOf(whole);
  const source = keys.length === 2 && keys[0] === 'sources' ? metadata.sources[Number(keys[1])] : undefined;
  return source?.name === 'default' ? undefined : keys;
}

function keysOf(path: string): Key[] {
  return [...path.matchAll(/\.(\w+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
}

function compare(one: readonly Key[], other: readonly Key[]): number {
  for (const [position, left] of one.entries()) {
    const right = other[position];
    if (right === undefined) return 1;
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    return String(left) < String(right) ? -1 : 1;
  }
  return one.length - other.length;
}

function without(value: unknown, keys: readonly Key[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.filter((_element, index) => index !== key);
    return value.map((element: unknown, index) => (index === key ? without(element, rest) : element));
  }
  const { [key]: member, ...others } = value as Record<Key, unknown>;
  return rest.length === 0 ? others : { ...value, [key]: without(member, rest) };
}
