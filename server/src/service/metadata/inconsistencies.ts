/** The inconsistencies that a change causes, found by comparing models, and the errors that report them. */
import type { CommandWarning, InconsistentObject } from '@joinery/metadata/api/metadata';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import { runInSlices, type Steps } from '../../base/steps.ts';
import type { Model } from '../../model/model.ts';
import type { Inconsistency } from '../../model/types/inconsistency.ts';
import { isBroken, isRejected } from '../../model/types/inconsistency.ts';

/**
 * Returns the inconsistencies of `after` that `before` does not have, or has for another definition. Conflicting parents
 * of a role, unsupported members and accepted objects are left out: they break nothing.
 */
export async function newInconsistencies(before: Model, after: Model): Promise<readonly Inconsistency[]> {
  return (await unknownTo(before, after.inconsistencies)).filter(
    (one) => isRejected(one) && one.type !== 'inherited_role_permission',
  );
}

/** Returns the members without effect and the accepted objects in no schema that `after` has and `before` does not. */
export async function newWarnings(before: Model, after: Model): Promise<readonly Inconsistency[]> {
  return (await unknownTo(before, after.inconsistencies)).filter((one) => !isRejected(one));
}

async function unknownTo(before: Model, list: readonly Inconsistency[]): Promise<readonly Inconsistency[]> {
  if (list === before.inconsistencies) return [];
  return runInSlices(unknownSteps(before, list));
}

function* unknownSteps(before: Model, list: readonly Inconsistency[]): Steps<readonly Inconsistency[]> {
  const known = new Map<string, Inconsistency[]>();
  for (const one of before.inconsistencies) {
    yield;
    const same = known.get(objectOf(one));
    if (same === undefined) known.set(objectOf(one), [one]);
    else same.push(one);
  }
  const unknown: Inconsistency[] = [];
  for (const one of list) {
    yield;
    // Definitions may be large: they are printed only to compare them.
    const same = known.get(objectOf(one)) ?? [];
    const written = same.length === 0 ? '' : printJson(one.definition);
    if (!same.some(({ definition }) => printJson(definition) === written)) unknown.push(one);
  }
  return unknown;
}

/** Returns `warnings` of a response, for a spread; an empty object where there are none. */
export function writeWarnings(list: readonly Inconsistency[]): { readonly warnings?: readonly CommandWarning[] } {
  if (list.length === 0) return {};
  return { warnings: list.map(({ type, name, path, code, reason }) => ({ message: reason, type, name, code, path })) };
}

/** The error for a caller who does not accept warnings. */
export function metadataWarningsError(list: readonly Inconsistency[]): ServiceError {
  const count = `${list.length} member${list.length === 1 ? ' has' : 's have'} no effect`;
  return new ServiceError('metadata-warnings', `${count}: ${list.map(({ path }) => path).join(', ')}`, {
    path: '$.args',
    internal: writeInconsistencies(list),
  });
}

function objectOf({ type, name }: Inconsistency): string {
  return `${type}\0${name}`;
}

/** As `get_inconsistent_metadata` lists them. */
export function writeInconsistencies(list: readonly Inconsistency[]): readonly InconsistentObject[] {
  return list.map((one) => ({
    type: one.type,
    name: one.name,
    definition: one.definition,
    reason: isBroken(one) ? `Inconsistent object: ${one.reason}` : one.reason,
    path: one.path,
  }));
}

/** Objects that an error lists; `get_inconsistent_metadata` lists all. */
const MAX_LISTED = 1_000;

/** Returns the error for a command with `args` that would make `fresh` inconsistent. */
export function inconsistencyError(fresh: readonly Inconsistency[], args: unknown): ServiceError {
  const [first] = fresh;
  const rest = fresh.length - 1;
  const code: ErrorCode = first !== undefined && rest === 0 ? first.code : 'invalid-configuration';
  const more = rest > 0 ? `; and ${rest} more inconsistent object${rest === 1 ? '' : 's'}` : '';
  // As in Hasura v2, the error of a remote schema has no prefix.
  const what = first?.type === 'remote_schema' && rest === 0 ? '' : 'Inconsistent object: ';
  return new ServiceError(code, `${what}${first?.reason ?? 'none'}${more}`, {
    path: first === undefined ? '$.args' : pathInArguments(first.path, args),
    internal: writeInconsistencies(fresh.slice(0, MAX_LISTED)),
  });
}

/** Returns the error for a command that would drop what `dependents` need. */
export function dependencyError(dependents: readonly Inconsistency[]): ServiceError {
  const names = dependents.slice(0, MAX_LISTED).map(dependentName).join(', ');
  const rest = dependents.length - MAX_LISTED;
  const more = rest > 0 ? `, and ${rest} more` : '';
  return new ServiceError('dependency-error', `cannot drop due to the following dependent objects: ${names}${more}`, {
    path: '$.args',
    internal: writeInconsistencies(dependents.slice(0, MAX_LISTED)),
  });
}

/** The names that Hasura v2 uses in this error, also for parts of native queries and logical models. */
function dependentName({ type, name }: Inconsistency): string {
  const [, object, owner, source] =
    /^\w+ (.+) in (?:table|native_query|logical_model) (.+) in source (.+)$/.exec(name) ?? [];
  const within = ` in source "${source}"`;
  switch (type) {
    case 'object_relation':
    case 'array_relation':
      return `relationship ${owner}.${object}${within}`;
    case 'computed_field':
      return `computed field ${owner}.${object}${within}`;
    case 'remote_relationship':
      return `remote relationship ${owner}.${object}${within}`;
    case 'insert_permission':
    case 'select_permission':
    case 'update_permission':
    case 'delete_permission':
      return `permission ${owner}.${object}.${type.slice(0, -'_permission'.length)}${within}`;
    case 'event_trigger':
      return `event-trigger ${owner}.${object}${within}`;
    case 'function':
      return name.replace(/ in source (.+)$/, ' in source "$1"');
    default:
      return name;
  }
}

/** Matches the path of an object; the rest of a path leads into the arguments that wrote the object. */
const objectStart =
  /^\$(?:\.sources\[\d+\](?:\.(?:functions\[\d+\]|tables\[\d+\](?:\.\w+_(?:relationships|permissions|fields)\[\d+\]|\.event_triggers\[\d+\](?:\.definition)?)?))?|\.(?:remote_schemas|actions|query_collections|rest_endpoints|allowlist|cron_triggers)\[\d+\]|\.custom_types)/;

function pathInArguments(path: string, args: unknown): string {
  const inside = path.replace(objectStart, '');
  if (inside === path) return '$.args';
  let value = args;
  let known = '$.args';
  for (const [step, name, index] of inside.matchAll(/\.(\w+)|\[(\d+)\]/g)) {
    const key = name ?? Number(index);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) break;
    value = (value as Record<string | number, unknown>)[key];
    known += step;
  }
  return known;
}
