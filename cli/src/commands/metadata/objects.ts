/** The objects of the metadata, labeled for users, and the differences of two metadata. */
import type { Members } from '@joinery/metadata/sdl/actions';
import type { Key } from '../../project/metadata-files.ts';

export interface MetadataObject {
  /** Example: `table public.author in source default`. */
  readonly name: string;
  /** Path into the metadata. */
  readonly path: readonly Key[];
  readonly value: unknown;
}

export type Change = 'added' | 'removed' | 'changed';

export interface ObjectChange {
  readonly object: string;
  readonly change: Change;
  /** Path into the current metadata. */
  readonly path: readonly Key[];
  /** The changed members of an object that is in both. */
  readonly members: readonly { readonly member: string; readonly change: Change }[];
}

/** Returns the added, removed and changed objects; both arguments in the form of an export. */
export function objectChanges(before: Members, after: Members): readonly ObjectChange[] {
  const [old, now] = [objectsOf(before), objectsOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names.flatMap((object): ObjectChange[] => {
    const [from, to] = [old.get(object), now.get(object)];
    if (to === undefined) return [{ object, change: 'removed', path: from?.path ?? [], members: [] }];
    if (from === undefined) return [{ object, change: 'added', path: to.path, members: [] }];
    if (isSame(from.value, to.value)) return [];
    return [{ object, change: 'changed', path: to.path, members: memberChanges(from.value, to.value) }];
  });
}

/** Lists whose elements are reported as objects. */
const kinds: Readonly<Record<string, string>> = {
  remote_schemas: 'remote schema',
  actions: 'action',
  cron_triggers: 'cron trigger',
  query_collections: 'query collection',
  allowlist: 'allowed collection',
  rest_endpoints: 'REST endpoint',
  inherited_roles: 'inherited role',
};
const typeKinds: Readonly<Record<string, string>> = {
  objects: 'type',
  input_objects: 'input type',
  enums: 'enum',
  scalars: 'scalar',
  interfaces: 'interface',
  unions: 'union',
};

function objectsOf(metadata: Members): ReadonlyMap<string, MetadataObject> {
  const objects = new Map<string, MetadataObject>();
  const add = (name: string, path: readonly Key[], value: unknown) => objects.set(name, { name, path, value });
  const addAll = (kind: string, path: readonly Key[], list: unknown, suffix = ''): void => {
    for (const [index, element] of listOf(list).entries()) {
      add(`${kind} ${identity(element) ?? index}${suffix}`, [...path, index], element);
    }
  };
  for (const [member, value] of Object.entries(metadata)) {
    const kind = kinds[member];
    if (member === 'version') continue;
    if (kind !== undefined) addAll(kind, [member], value);
    else if (member === 'custom_types') {
      for (const [list, types] of Object.entries(value as Members)) {
        addAll(typeKinds[list] ?? list, [member, list], types);
      }
    } else if (member === 'sources') {
      for (const [index, source] of listOf(value).entries()) {
        const { tables, functions, ...settings } = source as Members;
        const name = String(settings.name);
        add(`source ${name}`, [member, index], settings);
        addAll('table', [member, index, 'tables'], tables, ` in source ${name}`);
        addAll('function', [member, index, 'functions'], functions, ` in source ${name}`);
      }
    } else add(member, [member], value);
  }
  return objects;
}

function memberChanges(from: unknown, to: unknown): ObjectChange['members'] {
  const [old, now] = [partsOf(from), partsOf(to)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((member): ObjectChange['members'] => {
    if (!now.has(member)) return [{ member, change: 'removed' }];
    if (!old.has(member)) return [{ member, change: 'added' }];
    if (isSame(old.get(member), now.get(member))) return [];
    if (!member.startsWith('event_triggers ')) return [{ member, change: 'changed' }];
    const changes = memberChanges(old.get(member), now.get(member));
    return changes.map((one) => ({ ...one, member: `${member}: ${one.member}` }));
  });
}

/** Returns the members of an object; named elements of lists count as members, such as `select_permissions user`. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> {
  const parts = new Map<string, unknown>();
  if (typeof value !== 'object' || value === null) return parts;
  for (const [name, member] of Object.entries(value)) {
    const elements = Array.isArray(member) ? identities(member) : undefined;
    if (elements === undefined) parts.set(name, member);
    for (const [index, element] of (elements ?? []).entries()) {
      parts.set(`${name} ${element}`, (member as unknown[])[index]);
    }
  }
  return parts;
}

/** Returns the identity of an element within its list; undefined where it has none. */
export function identities(list: readonly unknown[]): readonly string[] | undefined {
  const found = list.map(identity);
  return found.every((one) => one !== undefined) && new Set(found).size === found.length ? found : undefined;
}

/** Returns the name of a table as `schema.name`, of a string itself, and otherwise of the member that holds the name. */
export function identity(element: unknown): string | undefined {
  if (typeof element === 'string') return element;
  if (typeof element !== 'object' || element === null) return undefined;
  const members = element as Members;
  for (const key of ['table', 'function']) {
    const named = members[key];
    if (typeof named === 'string') return `public.${named}`;
    if (typeof named === 'object' && named !== null) {
      const { schema = 'public', name } = named as Members;
      return `${String(schema)}.${String(name)}`;
    }
  }
  for (const key of ['name', 'role', 'role_name', 'collection', 'type_name', 'value']) {
    if (typeof members[key] === 'string') return members[key];
  }
  return undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether two values are equal regardless of the order of members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [Object.keys(one), Object.keys(other)];
  if (left.length !== right.length) return false;
  return left.every((key) => Object.hasOwn(other, key) && isSame((one as Members)[key], (other as Members)[key]));
}
