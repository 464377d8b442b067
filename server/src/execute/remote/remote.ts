/** Remote schemas in an answer: root fields in one request to each, and joins in one request for all keys. */
import { ServiceError } from '../../base/errors.ts';
import { fieldsOn } from '../../model/remote/remote-schemas.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import type { JoinPlan, RemoteTarget } from '../../plan/plan/query.ts';
import type { RemoteFieldPlan } from '../../plan/plan/remote.ts';
import { NoLiteral } from '../../schema/remote/literal.ts';
import type { ExecuteContext } from '../context/context.ts';
import { type Fault, Flawed, failed } from '../response/field-errors.ts';
import { callRemote } from './call.ts';
import { type AskedValue, type CheckedValue, checkRemote } from './check-response.ts';
import { joinDocument, type RemoteDocument, rootDocument } from './document.ts';
import { faultsByKey } from './errors.ts';
import { withSession } from './members.ts';

export interface RootField {
  readonly alias: string;
  readonly plan: RemoteFieldPlan<JoinPlan>;
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
    return fields.map(({ alias, plan }) => {
      const own = faults.get(alias);
      if (own?.whole === true) return new Flawed(null, own.faults);
      return withFaults(checkRoot(plan, member(answer.data, alias)), own?.faults);
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
      const misfit = misfits.get(index);
      if (misfit !== undefined) return misfit;
      const own = faults.get(alias);
      if (own?.whole === true) return new Flawed(null, own.faults);
      return withFaults(checkJoined(target, valueAt(target, member(answer.data, alias))), own?.faults);
    });
  } catch (error) {
    const one = failed(error);
    return keys.map(() => one);
  }
}

/** Where the remote schema reported errors, it nulled what they void itself. */
function withFaults(checked: CheckedValue, reported: readonly Fault[] = []): unknown {
  const { value, faults } = checked;
  return faults.length + reported.length === 0 ? value : new Flawed(value, [...reported, ...faults]);
}

function checkRoot(plan: RemoteFieldPlan<JoinPlan>, value: unknown): CheckedValue {
  const asked = (): AskedValue => {
    const { upstream } = plan.remote;
    const root = plan.operation === 'mutation' ? upstream.getMutationType() : upstream.getQueryType();
    const field = root?.getFields()[plan.field];
    if (field === undefined) throw new TypeError(`no field "${plan.field}" in the ${plan.operation} root`);
    return { ...plan, type: field.type };
  };
  return checkRemote(plan, asked, plan.remote, value);
}

/** A key may find nothing: null is a value of every relationship. */
function checkJoined(target: RemoteTarget, value: unknown): CheckedValue {
  if (value === null) return { value, faults: [] };
  const asked = (): AskedValue => {
    const field = fieldsOn(target.remote.upstream, target.path).at(-1);
    if (field === undefined) throw new TypeError('a relationship to a remote schema has no field');
    return { ...target, type: field.type };
  };
  return checkRemote(target, asked, target.remote, value);
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
