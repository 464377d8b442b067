/** Output of the metadata commands: inconsistent objects and changes. */
import type { InconsistentObject, RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import type { Members } from '@joinery/metadata/sdl/actions';
import { type ErrorDetail, formatDetail, type Place } from '../../cli-error.ts';
import { paint, printLine, warn } from '../../print.ts';
import { keysOf } from '../../project/json-path.ts';
import type { LocalMetadata } from '../../project/metadata-directory.ts';
import type { Key } from '../../project/metadata-files.ts';
import { countOthers, groupByCause, type Sources } from './causes.ts';
import { type Change, identity, type ObjectChange } from './objects.ts';

/** The type of the entries for members that have no effect. */
const UNSUPPORTED = 'unsupported';

/** Splits the list into objects that cannot be used and members that have no effect. */
export function bySeverity(objects: readonly InconsistentObject[]): {
  readonly broken: readonly InconsistentObject[];
  readonly unsupported: readonly InconsistentObject[];
} {
  return {
    broken: objects.filter(({ type }) => type !== UNSUPPORTED),
    unsupported: objects.filter(({ type }) => type === UNSUPPORTED),
  };
}

/** Prints the members that have no effect, if there are any. */
export function warnUnsupported(warnings: readonly ErrorDetail[]): void {
  if (warnings.length === 0) return;
  warn('Warning: these members of the metadata have no effect:');
  printDetails(warnings, warn);
}

export type PlacedChange = Omit<ObjectChange, 'path'> & { readonly place?: Place };

/** Metadata of files, and the same in the form of an export; undefined for invalid files. */
export interface LocatedMetadata {
  readonly local: LocalMetadata;
  readonly sorted: Members | undefined;
}

/** Returns an error detail per inconsistent object, with its place in `located` if that is what the service has. */
export function inconsistencyErrors(
  objects: readonly InconsistentObject[],
  located?: LocatedMetadata,
): readonly ErrorDetail[] {
  return objects.map(({ type, name, reason, path }) => ({
    message: type === UNSUPPORTED ? reason : `${name}: ${reason.replace(/^Inconsistent object: /, '')}`,
    ...(path !== undefined && { path }),
    ...(path !== undefined && located !== undefined && { place: placeOf(path, located) }),
  }));
}

/** As `inconsistencyErrors`, with one error for each cause. `metadata` is an export, by default of `located`. */
export function causeErrors(
  objects: readonly InconsistentObject[],
  located?: LocatedMetadata,
  metadata: Sources | undefined = located?.sorted,
): readonly ErrorDetail[] {
  const causes = groupByCause(objects, metadata);
  const errors = inconsistencyErrors(
    causes.map(({ object }) => object),
    located,
  );
  return causes.flatMap((cause, index): ErrorDetail[] => {
    const error = errors[index];
    return error === undefined ? [] : [{ ...error, message: error.message + countOthers(cause) }];
  });
}

/** Resolves a path of the service, which refers to metadata with sorted lists. */
function placeOf(path: string, { local, sorted }: LocatedMetadata): Place {
  const keys = keysOf(path);
  // The last members may exist in only one of the two forms.
  for (let length = keys.length; sorted !== undefined && length > 0; length -= 1) {
    const written = writtenKeys(keys.slice(0, length), sorted, local.document);
    if (written !== undefined) return local.place([...written, ...keys.slice(length)]);
  }
  return local.place(keys);
}

/** Adds places in `local` to the changes; `sorted` is the same metadata in the form of an export. */
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

/** Converts a path into the sorted form to a path into the files. */
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

export function printChanges(
  changes: readonly PlacedChange[],
  schemas: readonly RoleSchemaChanges[] | undefined,
): void {
  for (const { object, change, members, place } of changes) {
    const where = place === undefined ? '' : paint('dim', `  ${place.file}:${place.line}:${place.column}`);
    printLine(`${signed(change, object)}${where}`);
    for (const one of members) printLine(`    ${signed(one.change, one.member)}`);
  }
  for (const { role, changes: list } of schemas ?? []) {
    printLine(`\n${paint('bold', `Schema of the role ${role}`)}`);
    for (const { at, change, from, to, breaking } of list) {
      const types = [from, to].filter((type) => type !== undefined).join(' -> ');
      const warning = breaking ? paint('red', '  breaks requests that use it') : '';
      printLine(`${signed(change, at)}${types === '' ? '' : `: ${types}`}${warning}`);
    }
  }
}

function signed(change: Change, text: string): string {
  const [sign, style] = signs[change];
  return paint(style, `${sign} ${text}`);
}

export function printDetails(details: readonly ErrorDetail[], print: (line: string) => void): void {
  for (const detail of details) print(`  ${formatDetail(detail)}`);
}
