/** Remote schemas in an answer: root fields in one request to each, and joins in one request for all keys. */
import { ServiceError } from '../base/errors.ts';
import type { RemoteSchema } from '../model/table-model.ts';
import { firstMessage } from '../model/upstream.ts';
import type { RemoteFieldPlan } from '../plan/plan.ts';
import type { ExecuteContext } from './context.ts';
import { callRemote } from './remote-call.ts';
import { joinDocument, type RemoteDocument, type RemoteJoinTarget, rootDocument } from './remote-document.ts';
import { NoLiteral } from './remote-literal.ts';

interface RootField {
  readonly alias: string;
  readonly plan: RemoteFieldPlan;
}

/**
 * The values of `fields` by alias. All fields of one remote schema are one request; queries run at once, mutations of
 * different remote schemas one after the other. Throws the first error of a remote schema, whatever others came to.
 */
export async function runRemoteFields(
  fields: readonly RootField[],
  context: ExecuteContext,
): Promise<ReadonlyMap<string, unknown>> {
  const groups = new Map<RemoteSchema, RootField[]>();
  for (const field of fields) {
    const group = groups.get(field.plan.remote);
    if (group === undefined) groups.set(field.plan.remote, [field]);
    else group.push(field);
  }
  const values = new Map<string, unknown>();
  const run = async ([remote, group]: [RemoteSchema, RootField[]]): Promise<void> => {
    const document = rootDocument(group, context.variables);
    const data = await callRemote(remote, document, context, (errors) => refusedFields(group, errors));
    for (const { alias } of group) values.set(alias, member(data, alias));
  };
  if (fields[0]?.plan.operation === 'mutation') for (const group of groups) await run(group);
  else await Promise.all([...groups].map(run));
  return values;
}

/**
 * The values for `keys`, in their order, from one request. `keys` are distinct and hold no null. Throws as
 * `runRemoteFields` does, and `remote-schema-error` when a key does not fit the argument it is for.
 */
export async function fetchRemoteJoin(
  target: RemoteJoinTarget,
  keys: readonly (readonly unknown[])[],
  context: ExecuteContext,
): Promise<unknown[]> {
  if (keys.length === 0) return [];
  const { remote } = target;
  const document = documentOf(target, keys, context);
  const data = await callRemote(remote, document, context, (errors) => {
    return new ServiceError('unexpected', `Errors from remote server "${remote.name}"`, { internal: { errors } });
  });
  return keys.map((_key, index) => valueAt(target, member(data, `f${index}`)));
}

function documentOf(
  target: RemoteJoinTarget,
  keys: readonly (readonly unknown[])[],
  context: ExecuteContext,
): RemoteDocument {
  try {
    return joinDocument(target, keys, context.variables);
  } catch (error) {
    if (!(error instanceof NoLiteral)) throw error;
    const message = `a key cannot be sent to remote schema "${target.remote.name}": ${error.message}`;
    throw new ServiceError('remote-schema-error', message, { cause: error });
  }
}

/** What the last field of the way gave; null where the way ends before. */
function valueAt({ path }: RemoteJoinTarget, first: unknown): unknown {
  return path.slice(1).reduce((value, { field }) => member(value, field), first);
}

/** Null where there is no such member; none is inherited. */
function member(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return null;
  return (object as Readonly<Record<string, unknown>>)[name] ?? null;
}

/** Clients of a remote schema know its messages and extensions, so the first error reaches them, without stack traces. */
function refusedFields(group: readonly RootField[], errors: readonly unknown[]): ServiceError {
  const [first] = errors;
  const { extensions, path } = (typeof first === 'object' && first !== null ? first : {}) as Readonly<
    Record<string, unknown>
  >;
  const failed = Array.isArray(path) ? group.find(({ alias }) => alias === path[0]) : group[0];
  return new ServiceError('remote-schema-error', firstMessage(errors) ?? '', {
    path: `$.selectionSet.${(failed ?? group[0])?.plan.field}`,
    internal: { errors },
    ...shownExtensions(extensions),
  });
}

function shownExtensions(extensions: unknown): { readonly extensions?: Readonly<Record<string, unknown>> } {
  const { exception: _exception, stacktrace: _stacktrace, ...shown } = (extensions ?? {}) as Record<string, unknown>;
  return Object.keys(shown).length === 0 ? {} : { extensions: shown };
}
