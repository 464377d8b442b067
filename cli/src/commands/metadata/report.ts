/** How the metadata commands tell inconsistent objects and changes. */
import type { InconsistentObject, RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import type { Members } from '@joinery/metadata/sdl/actions';
import { type Fault, type Place, ProjectError, writeFault } from '../../cli-error.ts';
import { paint, say, warn } from '../../print.ts';
import { keysOf } from '../../project/json-path.ts';
import type { LocalMetadata } from '../../project/metadata-directory.ts';
import type { Key } from '../../project/metadata-files.ts';
import { canonical } from './canonical.ts';
import { type Change, identity, type ObjectChange } from './objects.ts';

/** The type of entries that say that a member of the metadata has no effect; nothing is broken by them. */
const UNSUPPORTED = 'unsupported';

/** The objects that cannot be used, and the members that have no effect. */
export function bySeverity(objects: readonly InconsistentObject[]): {
  readonly broken: readonly InconsistentObject[];
  readonly unsupported: readonly InconsistentObject[];
} {
  return {
    broken: objects.filter(({ type }) => type !== UNSUPPORTED),
    unsupported: objects.filter(({ type }) => type === UNSUPPORTED),
  };
}

/** Prints the members that have no effect; nothing where there are none. */
export function warnUnsupported(warnings: readonly Fault[]): void {
  if (warnings.length === 0) return;
  warn('Warning: these members of the metadata have no effect:');
  sayFaults(warnings, warn);
}

export type PlacedChange = Omit<ObjectChange, 'path'> & { readonly place?: Place };

/** Each inconsistent object as a fault at the place where it was written, where `local` is what the service has. */
export function inconsistencyFaults(objects: readonly InconsistentObject[], local?: LocalMetadata): readonly Fault[] {
  const sorted = local === undefined || objects.length === 0 ? undefined : sortedForm(local);
  return objects.map(({ type, name, reason, path }) => ({
    message: type === UNSUPPORTED ? reason : `${name}: ${reason.replace(/^Inconsistent object: /, '')}`,
    ...(path !== undefined && { path }),
    ...(path !== undefined && local !== undefined && { place: placeOf(path, sorted, local) }),
  }));
}

/** The service sorts the lists of the metadata: its paths lead into the sorted form. */
function placeOf(path: string, sorted: Members | undefined, local: LocalMetadata): Place {
  const keys = keysOf(path);
  // The last members may be in one of the two forms alone.
  for (let length = keys.length; sorted !== undefined && length > 0; length -= 1) {
    const written = writtenKeys(keys.slice(0, length), sorted, local.document);
    if (written !== undefined) return local.place([...written, ...keys.slice(length)]);
  }
  return local.place(keys);
}

/** Undefined for files that are not well-formed. */
function sortedForm(local: LocalMetadata): Members | undefined {
  try {
    return canonical(local);
  } catch (error) {
    if (error instanceof ProjectError) return undefined;
    throw error;
  }
}

/** With the places of what is written in `local`; `sorted` is the same metadata in the form of an export. */
export function placed(
  changes: readonly ObjectChange[],
  local: LocalMetadata,
  sorted: Members,
): readonly PlacedChange[] {
  return changes.map(({ path, ...change }) => {
    const keys = change.change === 'removed' ? undefined : writtenKeys(path, sorted, local.document);
    return keys === undefined ? change : { ...change, place: local.place(keys) };
  });
}

/** Exports sort their lists: the path of the same object where it was written. */
function writtenKeys(path: readonly Key[], sorted: unknown, written: Members): readonly Key[] | undefined {
  const isSourceless = !('sources' in written) && path[0] === 'sources';
  const [known, from]: [Key[], number] = isSourceless ? [path.slice(0, 2) as Key[], 2] : [[], 0];
  let [there, here] = [path.slice(0, from).reduce<unknown>(memberOf, sorted), written as unknown];
  for (const key of path.slice(from)) {
    const next = memberOf(there, key);
    let index = key;
    if (typeof key === 'number' && Array.isArray(here)) {
      const name = identity(next);
      index = here.findIndex((element) => name !== undefined && identity(element) === name);
      if (index < 0) return undefined;
    }
    [there, here] = [next, memberOf(here, index)];
    if (here === undefined) return undefined;
    known.push(index);
  }
  return known;
}

function memberOf(value: unknown, key: Key): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<Key, unknown>)[key] : undefined;
}

const signs = { added: ['+', 'green'], removed: ['-', 'red'], changed: ['~', 'yellow'] } as const;

export function sayChanges(changes: readonly PlacedChange[], schemas: readonly RoleSchemaChanges[] | undefined): void {
  for (const { object, change, members, place } of changes) {
    const where = place === undefined ? '' : paint('dim', `  ${place.file}:${place.line}:${place.column}`);
    say(`${signed(change, object)}${where}`);
    for (const one of members) say(`    ${signed(one.change, one.member)}`);
  }
  for (const { role, changes: list } of schemas ?? []) {
    say(`\n${paint('bold', `Schema of the role ${role}`)}`);
    for (const { at, change, from, to, breaking } of list) {
      const types = [from, to].filter((type) => type !== undefined).join(' -> ');
      const warning = breaking ? paint('red', '  breaks requests that use it') : '';
      say(`${signed(change, at)}${types === '' ? '' : `: ${types}`}${warning}`);
    }
  }
}

function signed(change: Change, text: string): string {
  const [sign, style] = signs[change];
  return paint(style, `${sign} ${text}`);
}

export function sayFaults(faults: readonly Fault[], tell: (line: string) => void): void {
  for (const fault of faults) tell(`  ${writeFault(fault)}`);
}
