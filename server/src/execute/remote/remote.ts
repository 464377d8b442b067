/** Executes root fields of a remote schema in one request, and joins in one request for all keys. */
import { ServiceError } from '../../base/errors.ts';
import { fieldsOn } from '../../model/remote/remote-schemas.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import type { JoinPlan, RemoteTarget } from '../../plan/plan/query.ts';
import type { RemoteFieldPlan } from '../../plan/plan/remote.ts';
import { NoLiteral } from '../../schema/remote/literal.ts';
import type { ExecuteContext } from '../context/context.ts';
import { failed, PartialResult, type ResultError } from '../response/field-errors.ts';
import { callRemote } from './call.ts';
import { type CheckedValue, checkRemote, type RequestedValue } from './check-response.ts';
import { type RemoteDocument, rootDocument } from './document.ts';
import { errorsByAlias } from './errors.ts';
import { joinDocument } from './join-document.ts';
import { withSession } from './session-values.ts';

export interface RootField {
  readonly alias: string;
  readonly plan: RemoteFieldPlan<JoinPlan>;
}

/**
 * Returns the values of `fields`, which are all of one remote schema, in order, from one request. A failed field is a
 * `PartialResult`. All fields fail if an error has no path in them, or if there is no response.
 */
export async function runRemoteFields(
  fields: readonly RootField[],
  context: ExecuteContext,
): Promise<readonly unknown[]> {
  const [first] = fields;
  if (first === undefined) return [];
  const aliases = fields.map(({ alias }) => alias);
  try {
    const session = fields.flatMap(({ plan }) => plan.session);
    const document = rootDocument(fields, withSession(session, context), context.operationName);
    const response = await callRemote(first.plan.remote, document, context);
    const errors = errorsByAlias(response, aliases, (alias) => {
      return `$.selectionSet.${(fields.find((one) => one.alias === alias) ?? first).plan.field}`;
    });
    return fields.map(({ alias, plan }) => {
      const own = errors.get(alias);
      if (own?.whole === true) return new PartialResult(null, own.errors);
      return withReported(checkRoot(plan, member(response.data, alias)), own?.errors);
    });
  } catch (error) {
    const one = failed(error);
    return fields.map(() => one);
  }
}

/**
 * Returns the values for `keys`, in order, from one request. `keys` are distinct and contain no null. A failed value is a
 * `PartialResult`, as in `runRemoteFields`, and so is the value of a key that is invalid for its argument.
 */
export async function fetchRemoteJoin(
  target: RemoteTarget,
  keys: readonly (readonly unknown[])[],
  context: ExecuteContext,
): Promise<unknown[]> {
  if (keys.length === 0) return [];
  const { remote, path } = target;
  try {
    const mismatches = new Map<number, PartialResult>();
    const document = documentOf(target, keys, context, (index, reason) => {
      mismatches.set(index, failed(mismatch(remote, reason)));
    });
    if (document === undefined) return keys.map((_key, index) => mismatches.get(index));
    const response = await callRemote(remote, document, context);
    const aliases = keys.map((_key, index) => `f${index}`);
    const errors = errorsByAlias(response, aliases, () => '$', path.length - 1);
    return aliases.map((alias, index) => {
      const mismatch = mismatches.get(index);
      if (mismatch !== undefined) return mismatch;
      const own = errors.get(alias);
      if (own?.whole === true) return new PartialResult(null, own.errors);
      return withReported(checkJoined(target, valueAt(target, member(response.data, alias))), own?.errors);
    });
  } catch (error) {
    const one = failed(error);
    return keys.map(() => one);
  }
}

/** Adds the errors reported by the remote schema to those of the check. */
function withReported(checked: CheckedValue, reported: readonly ResultError[] = []): unknown {
  const { value, errors } = checked;
  return errors.length + reported.length === 0 ? value : new PartialResult(value, [...reported, ...errors]);
}

function checkRoot(plan: RemoteFieldPlan<JoinPlan>, value: unknown): CheckedValue {
  const requested = (): RequestedValue => {
    const { upstream } = plan.remote;
    const root = plan.operation === 'mutation' ? upstream.getMutationType() : upstream.getQueryType();
    const field = root?.getFields()[plan.field];
    if (field === undefined) throw new TypeError(`no field "${plan.field}" in the ${plan.operation} root`);
    return { ...plan, type: field.type };
  };
  return checkRemote(plan, requested, plan.remote, value);
}

/** Checks the value of a key. Null is valid, since a key need not match. */
function checkJoined(target: RemoteTarget, value: unknown): CheckedValue {
  if (value === null) return { value, errors: [] };
  const requested = (): RequestedValue => {
    const field = fieldsOn(target.remote.upstream, target.path).at(-1);
    if (field === undefined) throw new TypeError('a relationship to a remote schema has no field');
    return { ...target, type: field.type };
  };
  return checkRemote(target, requested, target.remote, value);
}

function documentOf(
  target: RemoteTarget,
  keys: readonly (readonly unknown[])[],
  context: ExecuteContext,
  onMismatch: (index: number, reason: NoLiteral) => void,
): RemoteDocument | undefined {
  try {
    return joinDocument(target, keys, withSession(target.session, context), onMismatch);
  } catch (error) {
    throw error instanceof NoLiteral ? mismatch(target.remote, error) : error;
  }
}

function mismatch(remote: RemoteSchema, cause: NoLiteral): ServiceError {
  const message = `a key cannot be sent to remote schema "${remote.name}": ${cause.message}`;
  return new ServiceError('remote-schema-error', message, { cause });
}

/** Returns the value at the end of the path; null if a value on the path is null. */
function valueAt({ path }: RemoteTarget, first: unknown): unknown {
  let value = first;
  for (let index = 1; index < path.length; index += 1) value = member(value, path[index]?.field ?? '');
  return value;
}

/** Returns an own member; null if it is absent. */
function member(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return null;
  return (object as Readonly<Record<string, unknown>>)[name] ?? null;
}
