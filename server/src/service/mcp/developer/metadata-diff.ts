/** The differences of two exported metadata documents. */
import { isJsonObject } from '../../../base/json-value.ts';

export interface MetadataDifference {
  /** `sources[default].tables[public.author].select_permissions[user]`. */
  readonly at: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** Returns the smallest objects and values that differ. Members of lists are compared by their names. */
export function metadataDifferences(before: unknown, after: unknown, at = ''): readonly MetadataDifference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (before === undefined) return [{ at, change: 'added', after }];
  if (after === undefined) return [{ at, change: 'removed', before }];
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === undefined || now === undefined || old.named !== now.named) {
    return [{ at, change: 'changed', before, after }];
  }
  const names = [...new Set([...old.members.keys(), ...now.members.keys()])];
  const found = names.flatMap((name) => {
    const place = old.named ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`;
    return metadataDifferences(old.members.get(name), now.members.get(name), place);
  });
  // Equal members in another order.
  return found.length === 0 ? [{ at, change: 'changed', before, after }] : found;
}

interface NamedMembers {
  /** Whether they are those of a list. */
  readonly named: boolean;
  readonly members: ReadonlyMap<string, unknown>;
}

/** Returns the members of an object, or those of a list by their names; undefined for any other value. */
function membersOf(value: unknown): NamedMembers | undefined {
  if (isJsonObject(value)) return { named: false, members: new Map(Object.entries(value)) };
  if (!Array.isArray(value)) return undefined;
  const members = new Map<string, unknown>();
  for (const element of value as readonly unknown[]) {
    const name = isJsonObject(element) ? nameOf(element) : undefined;
    if (name === undefined || members.has(name)) return undefined;
    members.set(name, element);
  }
  return { named: true, members };
}

function nameOf({ name, table, function: called, role, role_name, collection, type }: Members): string | undefined {
  for (const given of [name, table, called, role, role_name, collection, type]) {
    if (typeof given === 'string') return given;
    if (isJsonObject(given) && typeof given.name === 'string') {
      return typeof given.schema === 'string' ? `${given.schema}.${given.name}` : given.name;
    }
  }
  return undefined;
}
