/** Remote schemas in an answer: root fields in one request to each, and joins in one request for all keys. */
import { ServiceError } from '../base/errors.ts';
import type { RemoteSchema } from '../model/table-model.ts';
import type { RemoteFieldPlan, RemoteTarget } from '../plan/plan.ts';
import { NoLiteral } from '../schema/remote-literal.ts';
import type { ExecuteContext } from './context.ts';
import { Flawed, failed } from './failures.ts';
import { callRemote } from './remote-call.ts';
import { joinDocument, type RemoteDocument, rootDocument } from './remote-document.ts';
import { faultsByKey } from './remote-faults.ts';
import { withSession } from './remote-members.ts';

export interface RootField {
  readonly alias: string;
  readonly plan: RemoteFieldPlan;
}

/**
 * The values of `fields`, which are all of one remote schema, in their order: one request. What failed is Flawed: a
 * field of which the remote schema tells an error, and every field where it tells an error without saying of which, or
 * does not answer at all.
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
    const document = rootDocument(fields, withSession(session, context));
    const answer = await callRemote(first.plan.remote, document, context);
    const faults = faultsByKey(answer, aliases, (alias) => {
      return `$.selectionSet.${(fields.find((one) => one.alias === alias) ?? first).plan.field}`;
    });
    return fields.map(({ alias }) => {
      const value = member(answer.data, alias);
      const own = faults.get(alias);
      return own === undefined ? value : new Flawed(own.whole ? null : value, own.faults);
    });
  } catch (error) {
    const one = failed(error);
    return fields.map(() => one);
  }
}

/**
 * The values for `keys`, in their order, from one request. `keys` are distinct and hold no null. What failed is Flawed,
 * as `runRemoteFields` has it, and so is a key that does not fit the argument it is for.
 */
export async function fetchRemoteJoin(
  target: RemoteTarget,
  keys: readonly (readonly unknown[])[],
  context: ExecuteContext,
): Promise<unknown[]> {
  if (keys.length === 0) return [];
  const { remote, path } = target;
  try {
    const misfits = new Map<number, Flawed>();
    const document = documentOf(target, keys, context, (index, reason) => {
      misfits.set(index, failed(misfit(remote, reason)));
    });
    if (document === undefined) return keys.map((_key, index) => misfits.get(index));
    const answer = await callRemote(remote, document, context);
    const aliases = keys.map((_key, index) => `f${index}`);
    const faults = faultsByKey(answer, aliases, () => '$', path.length - 1);
    return aliases.map((alias, index) => {
      const value = misfits.get(index) ?? valueAt(target, member(answer.data, alias));
      const own = faults.get(alias);
      return own === undefined || value instanceof Flawed ? value : new Flawed(own.whole ? null : value, own.faults);
    });
  } catch (error) {
    const one = failed(error);
    return keys.map(() => one);
  }
}

function documentOf(
  target: RemoteTarget,
  keys: readonly (readonly unknown[])[],
  context: ExecuteContext,
  onMisfit: (index: number, reason: NoLiteral) => void,
): RemoteDocument | undefined {
  try {
    return joinDocument(target, keys, withSession(target.session, context), onMisfit);
  } catch (error) {
    throw error instanceof NoLiteral ? misfit(target.remote, error) : error;
  }
}

function misfit(remote: RemoteSchema, cause: NoLiteral): ServiceError {
  const message = `a key cannot be sent to remote schema "${remote.name}": ${cause.message}`;
  return new ServiceError('remote-schema-error', message, { cause });
}

/** What the last field of the way gave; null where the way ends before. */
function valueAt({ path }: RemoteTarget, first: unknown): unknown {
  return path.slice(1).reduce((value, { field }) => member(value, field), first);
}

/** Null where there is no such member; none is inherited. */
function member(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return null;
  return (object as Readonly<Record<string, unknown>>)[name] ?? null;
}
