/** Applies metadata edits: parse the arguments, edit, read what may have changed, resolve, reject new inconsistencies. */
import type { Command, Edit, EditContext } from '@joinery/metadata/commands/edit/command';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { dropObjects } from '@joinery/metadata/document/drop';
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import { runInSlices, type Steps } from '../../base/steps.ts';
import { clearEntries } from '../../execute/action/action-log.ts';
import type { Model } from '../../model/model.ts';
import { selectAccess } from '../../model/permissions/access.ts';
import { holdsOperation } from '../../plan/document/stored.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import { failuresOfUnchanged } from './capture-inconsistencies.ts';
import type { CommandContext, Progress } from './command-context.ts';
import { droppedObjects } from './dropped-objects.ts';
import { changedParts, isReadFor, readSource, withReads } from './external-state.ts';
import { dependencyError, inconsistencyError, newInconsistencies } from './inconsistencies.ts';
import { readRemote } from './remote-introspection.ts';
import { type ExternalState, makeState, resolvedState, type State } from './state.ts';

/** Throws the error of the edit, `dependency-error`, or the error of an object that becomes inconsistent. */
export async function applyCommand(
  command: Command,
  args: unknown,
  progress: Progress,
  context: CommandContext,
): Promise<Progress> {
  const steps = command.parseInSteps?.(args);
  const edit =
    steps === undefined ? convertEditErrors(() => command.parse(args)) : await convertEditErrorsInSlices(steps);
  const after = await applyEdit(edit, args, progress, context);
  if (edit.clears !== undefined)
    await clearEntries(await context.unit.query(context.tools.store.database), edit.clears);
  return after;
}

export async function applyEdit(
  edit: Edit,
  args: unknown,
  progress: Progress,
  context: CommandContext,
): Promise<Progress> {
  const metadata = convertEditErrors(() =>
    edit.apply(progress.state.metadata, editContext(progress.state.model, context.tools)),
  );
  const read = withoutFormerFailures(await reread(edit.rereads, metadata, progress, context), metadata);
  const state = await nextState(metadata, read, context);
  const before = progress.state.model;
  const fresh = await newInconsistencies(before, state.model);
  if (fresh.length === 0) return { ...read, state, dropped: undefined };
  switch (edit.dependents) {
    case 'reject':
      throw dependencyError(fresh);
    case 'drop': {
      const kept = await dropNewInconsistencies(before, state, context);
      return { ...read, state: kept, dropped: droppedObjects(metadata, kept.metadata) };
    }
    case 'none': {
      // The database may have changed since it was read.
      const sources = metadata.sources.map((source) => source.name).filter((name) => !read.fresh.has(name));
      if (sources.length === 0) throw inconsistencyError(fresh, args);
      const again = await readCatalogs(sources, metadata, read, context, 'keep');
      const second = await nextState(metadata, again, context);
      const still = await newInconsistencies(before, second.model);
      if (still.length > 0) throw inconsistencyError(still, args);
      return { ...again, state: second, dropped: undefined };
    }
    default:
      return edit.dependents satisfies never;
  }
}

/** A changed event trigger is created again: the failure of its former definition does not reject the change. */
function withoutFormerFailures(progress: Progress, after: Metadata): Progress {
  const { state } = progress;
  const { captureFailures } = state.external;
  if (captureFailures === undefined) return progress;
  const external = {
    ...state.external,
    captureFailures: failuresOfUnchanged(captureFailures, state.metadata, after),
  };
  return { ...progress, state: { ...state, external } };
}

/** What an edit may look up in the model and in GraphQL documents. */
export function editContext(
  model: Model,
  { remoteSchemaPermissions = false }: Pick<CommandContext['tools'], 'remoteSchemaPermissions'> = {},
): EditContext {
  return {
    relationshipTarget: (source, table, name) => {
      const found = model.sources.get(source)?.tables.get(relationKey(table.schema, table.name));
      const computed = found?.computedFields?.get(name)?.result;
      const target = found?.relationships.get(name)?.target ?? (computed?.kind === 'rows' ? computed.table : undefined);
      return target && { schema: target.schema, name: target.name };
    },
    deniedRows: (source, { schema, name }, role) => {
      const table = model.sources.get(source)?.functions?.get(relationKey(schema, name))?.table;
      return table && selectAccess(table, role) === undefined ? { schema: table.schema, name: table.name } : undefined;
    },
    mutates: (document) => holdsOperation(document, 'mutation'),
    remoteSchemaPermissions,
  };
}

/** Drops the objects that are inconsistent now and were not in `before`, until no inconsistency is new. */
export async function dropNewInconsistencies(before: Model, state: State, context: CommandContext): Promise<State> {
  let current = state;
  for (;;) {
    const fresh = await newInconsistencies(before, current.model);
    const { metadata, dropped } = dropObjects(
      current.metadata,
      fresh.map((one) => one.path),
    );
    if (dropped === 0) {
      if (fresh.length > 0) throw dependencyError(fresh);
      return current;
    }
    current = await makeState(current.version, metadata, current.external, context.tools);
  }
}

/**
 * Resolves edited metadata with the external state of `progress`. Returns its state if neither the metadata nor what it uses
 * of the catalogs has changed.
 */
export async function nextState(metadata: Metadata, { state }: Progress, context: CommandContext): Promise<State> {
  if (metadata === state.metadata) return resolvedState(state, context.tools);
  // The change is stored under the next version or not at all.
  return makeState(context.nextVersion, metadata, state.external, context.tools);
}

/** Reads again the catalogs and remote schemas that the edit depends on. */
export async function reread(
  what: Edit['rereads'],
  metadata: Metadata,
  progress: Progress,
  context: CommandContext,
): Promise<Progress> {
  let current = progress;
  for (const one of what) {
    if (one.kind === 'catalog') {
      const source = metadata.sources.find(({ name }) => name === one.source);
      const known = current.state.external.catalogs.get(one.source);
      const isFresh = current.fresh.has(one.source) && (source === undefined || isReadFor(known, source));
      if (!isFresh) current = await readCatalogs([one.source], metadata, current, context);
      continue;
    }
    const remote = metadata.remote_schemas?.find((candidate) => candidate.name === one.remoteSchema);
    if (remote === undefined) continue;
    const read = await readRemote(remote, context.tools);
    current = withExternalState(current, withReads(current.state.external, [[remote.name, read]]));
  }
  return current;
}

/**
 * Reads the catalogs of `names` again, in the unit's transaction where one is open. Where a database cannot be reached whose catalog is
 * known, that is not an error of the edit: it throws `busy`, or keeps the catalog.
 */
export async function readCatalogs(
  names: readonly SourceName[],
  metadata: Metadata,
  progress: Progress,
  context: CommandContext,
  unreachable: 'throw' | 'keep' = 'throw',
): Promise<Progress> {
  const changed = changedParts(progress.state.metadata, progress.state.external);
  const catalogs = new Map(progress.state.external.catalogs);
  const fresh = new Set(progress.fresh);
  for (const name of names) {
    const source = metadata.sources.find((one) => one.name === name);
    if (source === undefined) continue;
    const read = await readSource(source, context.tools, context.unit);
    const isKnown = catalogs.has(name) && !changed.sources(source);
    if (isKnown && read instanceof ServiceError && read.code === 'busy') {
      if (unreachable === 'throw') throw read;
      continue;
    }
    catalogs.set(name, read);
    fresh.add(name);
  }
  return withExternalState({ ...progress, fresh }, { ...progress.state.external, catalogs });
}

/** The model does not fit the external state until the next resolve. */
function withExternalState(progress: Progress, external: ExternalState): Progress {
  return { ...progress, state: { ...progress.state, external } };
}

/** As `convertEditErrors`, in slices between which other requests are handled. */
export function convertEditErrorsInSlices<T>(steps: Steps<T>, prefix?: string): Promise<T> {
  return runInSlices(steps).catch((error: unknown) => convertEditErrors(() => raise(error), prefix));
}

function raise(error: unknown): never {
  throw error;
}

/** Runs `work`; an EditError becomes a ServiceError whose path starts with `prefix`. */
export function convertEditErrors<T>(work: () => T, prefix = '$.args'): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    // The command exists, also where `not-found` is the code for its object.
    throw new ServiceError(error.code, error.message, { path: prefix + error.path.slice(1), status: 400 });
  }
}
