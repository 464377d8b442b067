/** What a change has broken: found by comparing models, told as one error. */
import { type ErrorCode, ServiceError } from '../base/errors.ts';
import { printJson } from '../base/json.ts';
import type { Inconsistency, Model } from '../model/model.ts';

/**
 * The inconsistencies of `after` that `before` does not have, or has for an object that was written otherwise. That the
 * parents of a role disagree is listed and breaks nothing.
 */
export function freshInconsistencies(before: Model, after: Model): readonly Inconsistency[] {
  const known = new Set(before.inconsistencies.map(identity));
  return after.inconsistencies.filter((one) => one.type !== 'inherited_role_permission' && !known.has(identity(one)));
}

function identity({ type, name, definition }: Inconsistency): string {
  return `${type}\0${name}\0${printJson(definition)}`;
}

/** As `get_inconsistent_metadata` lists them. */
export function writeInconsistencies(list: readonly Inconsistency[]): readonly Readonly<Record<string, unknown>>[] {
  return list.map(({ type, name, path, reason, definition }) => ({
    type,
    name,
    definition,
    reason: `Inconsistent object: ${reason}`,
    path,
  }));
}

/** The error for a command that would leave `fresh` broken. `args` are those of the command. */
export function inconsistent(fresh: readonly Inconsistency[], args: unknown): ServiceError {
  const [first] = fresh;
  const rest = fresh.length - 1;
  const code: ErrorCode = first !== undefined && rest === 0 ? first.code : 'invalid-configuration';
  const more = rest > 0 ? `; and ${rest} more inconsistent object${rest === 1 ? '' : 's'}` : '';
  // As in the reference, what a remote schema says of itself is told as it is.
  const what = first?.type === 'remote_schema' && rest === 0 ? '' : 'Inconsistent object: ';
  return new ServiceError(code, `${what}${first?.reason ?? 'none'}${more}`, {
    path: first === undefined ? '$.args' : pathInArguments(first.path, args),
    internal: writeInconsistencies(fresh),
  });
}

/** The error for a command that would drop what `dependents` need. */
export function dependencies(dependents: readonly Inconsistency[]): ServiceError {
  const names = dependents.map(dependentName).join(', ');
  return new ServiceError('dependency-error', `cannot drop due to the following dependent objects: ${names}`, {
    path: '$.args',
    internal: writeInconsistencies(dependents),
  });
}

/** In the words of the reference, where it has them. */
function dependentName({ type, name }: Inconsistency): string {
  const [, object, table, source] = /^\w+ (.+) in table (.+) in source (.+)$/.exec(name) ?? [];
  if (type === 'object_relation' || type === 'array_relation') {
    return `relationship ${table}.${object} in source "${source}"`;
  }
  if (type === 'computed_field') return `computed field ${table}.${object} in source "${source}"`;
  if (type === 'remote_relationship') return `remote relationship ${table}.${object} in source "${source}"`;
  if (type === 'select_permission') return `permission ${table}.${object}.select in source "${source}"`;
  return name;
}

/** Where an object starts in the metadata; what follows in a path is a path into the arguments that wrote it. */
const objectStart =
  /^\$(?:\.sources\[\d+\](?:\.(?:functions\[\d+\]|tables\[\d+\](?:\.\w+_(?:relationships|permissions|fields)\[\d+\])?))?|\.(?:remote_schemas|actions|query_collections|rest_endpoints|allowlist|cron_triggers)\[\d+\]|\.custom_types)/;

function pathInArguments(path: string, args: unknown): string {
  const within = path.replace(objectStart, '');
  if (within === path) return '$.args';
  let value = args;
  let known = '$.args';
  for (const [step, name, index] of within.matchAll(/\.(\w+)|\[(\d+)\]/g)) {
    const key = name ?? Number(index);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) break;
    value = (value as Record<string | number, unknown>)[key];
    known += step;
  }
  return known;
}
