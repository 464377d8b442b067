/** The path of a request to an action: client, permissions, handler, output, and what the output is joined to. Pure. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import { tableNamed } from '../../../shared/relationships/relationship-target.ts';
import { remoteRelationshipText } from '../../../shared/relationships/relationship-text.ts';
import type { RemoteRelationshipDefinition } from '../../../shared/remote-relationships/definition-text.ts';
import { sameTable, sourcePath, tableLabel, tablePath } from '../../../shared/sources/table-paths.ts';
import type { StatusDotProps } from '../../../ui/feedback/status-dot.tsx';
import { counted } from '../../../ui/format.ts';
import { type ActionTab, actionPath } from '../action-paths.ts';
import type { Action, ActionsMetadata, ObjectType } from '../actions-api.ts';
import { definitionOf, outputTypes, signatureOf } from '../sdl/action-types.ts';

export interface BoxState {
  readonly tone: StatusDotProps['tone'];
  readonly word: string;
  /** The reason of an error. */
  readonly about?: string;
}

export interface PathBox {
  readonly key: string;
  /** What the box is, such as `Handler` or `Table`. */
  readonly kind: string;
  readonly title: string;
  readonly detail?: string;
  /** A path within the console. */
  readonly to: string;
  /** The tab that the box opens. Undefined for another page. */
  readonly tab?: ActionTab;
  readonly state?: BoxState | undefined;
  /** What the box is joined to. */
  readonly next: readonly PathBox[];
}

export interface RequestPath {
  readonly steps: readonly PathBox[];
  readonly joined: readonly PathBox[];
}

/** What is known of the parts of the path. Undefined until it is read. */
export interface PathState {
  readonly handler: BoxState | undefined;
  readonly inconsistent: readonly InconsistentObject[] | undefined;
  /** The problem of each remote schema that is not available, by name. */
  readonly remotes: ReadonlyMap<string, BoxState> | undefined;
}

export function requestPath(action: Action, metadata: ActionsMetadata, state: PathState): RequestPath {
  const { name, definition, permissions = [] } = action;
  const step = (tab: ActionTab, kind: string, title: string, detail: string, own?: BoxState): PathBox => ({
    key: tab,
    kind,
    title,
    detail,
    to: actionPath(name, tab),
    tab,
    ...(own !== undefined && { state: own }),
    next: [],
  });
  const roles = permissions.map(({ role }) => role);
  const outputs = outputTypes(action, metadata.types);
  const problems = relationshipProblems(metadata, state.inconsistent ?? []);
  return {
    steps: [
      step('run', 'Client', `${definition.type ?? 'mutation'} ${name}`, 'Try it'),
      step('permissions', 'Permissions', roles.length === 0 ? 'admin alone' : roles.join(', '), rolesText(roles)),
      step('handler', 'Handler', definition.handler, kindText(action), state.handler),
      step('definition', 'Output', definition.output_type, signatureOf(action)),
    ],
    joined: outputs.flatMap((type) => joinsOf(type, metadata.exported, problems, state.remotes)),
  };
}

function rolesText(roles: readonly string[]): string {
  return roles.length === 0 ? 'no role' : `${counted(roles.length, 'role')} and admin`;
}

function kindText({ definition }: Action): string {
  return definition.type !== 'query' && definition.kind === 'asynchronous' ? 'Asynchronous' : 'Synchronous';
}

type Problems = ReadonlyMap<string, string>;

function joinsOf(
  type: ObjectType,
  exported: ExportedMetadata,
  problems: Problems,
  remotes: PathState['remotes'],
): readonly PathBox[] {
  return (type.relationships ?? []).map((relationship): PathBox => {
    const where = `${type.name}.${relationship.name}`;
    const problem = problems.get(where);
    const box = targetBox(where, definitionOf(relationship), exported, remotes);
    return problem === undefined ? box : { ...box, state: { tone: 'bad', word: 'Inconsistent', about: problem } };
  });
}

/** `where` is the type and name of the relationship. */
function targetBox(
  where: string,
  { to_source, to_remote_schema, to_action }: RemoteRelationshipDefinition,
  exported: ExportedMetadata,
  remotes: PathState['remotes'],
): PathBox {
  const box = { key: where, detail: where, next: [] };
  if (to_remote_schema !== undefined) {
    const { remote_schema: name } = to_remote_schema;
    const to = `/remotes/of/${encodeURIComponent(name)}`;
    return { ...box, kind: 'Remote schema', title: name, to, state: remotes?.get(name) };
  }
  if (to_action !== undefined) {
    return { ...box, kind: 'Action', title: to_action.action, to: actionPath(to_action.action) };
  }
  const { source = 'default', relationship_type: shape } = to_source ?? {};
  const called = to_source?.function;
  if (called !== undefined) {
    const title = tableLabel(tableNamed(called) ?? { schema: 'public', name: '' });
    return { ...box, kind: 'Function', title, to: `${sourcePath(source)}/functions` };
  }
  const table = tableNamed(to_source?.table) ?? { schema: 'public', name: '' };
  const entry = exported.sources
    .find(({ name }) => name === source)
    ?.tables?.find((one) => sameTable(tableNamed(one.table) ?? { schema: '', name: '' }, table));
  const title = tableLabel(table);
  const next = (entry?.remote_relationships ?? []).map((written) => {
    const { name, definition } = remoteRelationshipText(written);
    return { ...targetBox(`${title}.${name}`, definition, { ...exported, sources: [] }, remotes), next: [] };
  });
  return { ...box, kind: shape === 'array' ? 'Rows of' : 'Row of', title, to: tablePath(source, table), next };
}

/** Returns the reasons of inconsistent relationships by `Type.name`. Their paths refer to the export. */
function relationshipProblems({ types }: ActionsMetadata, objects: readonly InconsistentObject[]): Problems {
  return new Map(
    objects.flatMap(({ path, reason }) => {
      const [, object, place] = /^\$\.custom_types\.objects\[(\d+)\]\.relationships\[(\d+)\]/.exec(path) ?? [];
      const type = types.objects?.[Number(object)];
      const relationship = type?.relationships?.[Number(place)];
      if (type === undefined || relationship === undefined) return [];
      return [[`${type.name}.${relationship.name}`, reason.replace(/^Inconsistent object: /, '')] as const];
    }),
  );
}

/** Describes the path in sentences. */
export function pathText({ name }: Action, { steps, joined }: RequestPath): string {
  const [, permissions, handler, output] = steps;
  const boxText = ({ kind, title, detail, state }: PathBox): string =>
    `${kind.toLowerCase()} ${title}${detail === undefined ? '' : ` by ${detail}`}${state === undefined ? '' : ` (${state.word.toLowerCase()})`}`;
  const joins = joined.flatMap((box) => [box, ...box.next]).map(boxText);
  return [
    `A client calls ${name}.`,
    `It may be called by: ${permissions?.title}.`,
    `The service calls the handler ${handler?.title}${handler?.state === undefined ? '' : ` (${handler.state.word.toLowerCase()})`}.`,
    `The handler returns ${output?.title}.`,
    joins.length === 0 ? 'The output is not joined.' : `The output is joined to: ${joins.join(', ')}.`,
  ].join(' ');
}

/** Failures of the handler in the last hour. */
export function handlerState(failed: number, latest: string | undefined): BoxState {
  if (failed === 0) return { tone: 'good', word: 'No failure in the last hour' };
  const word = `${counted(failed, 'failure')} in the last hour`;
  return { tone: 'bad', word, ...(latest !== undefined && { about: latest }) };
}

/** Whether an error of a request was returned because its handler failed. */
export function isHandlerFailure(error: { readonly path: string; readonly code: string }, name: string): boolean {
  return error.code === 'unexpected' && error.path === `$.selectionSet.${name}`;
}
