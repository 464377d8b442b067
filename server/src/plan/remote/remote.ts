/** Fields that are forwarded to remote schemas: root fields, and targets of remote relationships. */
import { getNamedType, isNullableType } from 'graphql';
import { fieldsOn, viewFieldsOn } from '../../model/remote/remote-schemas.ts';
import { remoteView } from '../../model/remote/schema-view.ts';
import type { RemoteSchema, RemoteStep } from '../../model/types/table.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import type { RemoteTarget } from '../plan/query.ts';
import type { ForwardedPlan, RemoteFieldPlan } from '../plan/remote.ts';
import { presetArguments, type SessionInput, sessionValues, suppliedPresets } from './presets.ts';
import { forwardRemote, type SelectedJoin } from './selection.ts';

/** Rewrites the root field `field`, which is the field `name` of `remote`. */
export function selectRemoteField(
  context: PlanContext,
  field: SelectedField,
  remote: RemoteSchema,
  operation: 'query' | 'mutation',
  name: string,
): RemoteFieldPlan<SelectedJoin> {
  const view = viewFor(context, remote);
  const root = operation === 'query' ? view.getQueryType() : view.getMutationType();
  const target = root?.getFields()[field.name];
  if (root === null || root === undefined || target === undefined) {
    throw new TypeError(`remote schema "${remote.name}" offers no field "${field.name}"`);
  }
  const nullable = isNullableType(field.definition?.type);
  const forwarded = forwardRemote(context, field, { remote, view }, root, target);
  return { remote, operation, field: name, nullable, ...forwarded };
}

/** Rewrites the selection at the end of `path`, and returns the presets of its steps. */
export function selectRemotePath(
  context: PlanContext,
  field: SelectedField,
  remote: RemoteSchema,
  path: readonly RemoteStep[],
): ForwardedPlan<SelectedJoin> & Pick<RemoteTarget, 'presets'> {
  const view = viewFor(context, remote);
  const fields = viewFieldsOn(view, path) ?? fieldsOn(remote.upstream, path);
  const parents = [view.getQueryType(), ...fields.map(({ type }) => getNamedType(type))];
  const [last, parent] = [fields.at(-1), parents.at(-2)];
  if (last === undefined || parent === undefined || parent === null) throw new TypeError('the path is empty');
  const session = new Map<string, SessionInput>();
  const presets = path.map((step, index) => {
    const [owner, one] = [parents[index], fields[index]];
    if (!owner || one === undefined) return [];
    const supplied = suppliedPresets(context, remote, one, step, session);
    return index === path.length - 1 ? supplied : [...presetArguments(remote, owner, one, session), ...supplied];
  });
  const forwarded = forwardRemote(context, field, { remote, view }, parent, last);
  if (session.size === 0) return { ...forwarded, presets };
  const own = [...session.values()].filter(
    ({ variable }) => !forwarded.session.some((one) => one.variable === variable),
  );
  return {
    ...forwarded,
    presets,
    session: [...forwarded.session, ...sessionValues(own, view)],
    variables: [...forwarded.variables, ...own.map(({ definition }) => definition)],
  };
}

function viewFor({ role }: PlanContext, remote: RemoteSchema) {
  const view = remoteView(remote, role);
  if (view === undefined) throw new TypeError(`role "${role}" has no access to remote schema "${remote.name}"`);
  return view;
}
