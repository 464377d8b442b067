/** A metadata edit, from its arguments to a state that is sound: edit, read what may be newer, resolve, judge. */
import type { Command, Edit } from '@joinery/metadata/commands/edit/command';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { dropObjects } from '@joinery/metadata/document/drop';
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import { runInSlices, type Steps } from '../../base/steps.ts';
import { clearEntries } from '../../execute/action/action-log.ts';
import type { Model } from '../../model/model.ts';
import type { Context, Progress } from './command-context.ts';
import { droppedObjects } from './dropped-objects.ts';
import { editContext } from './edit-context.ts';
import { hasEnums, readSource, withReads } from './external-state.ts';
import { dependencies, freshInconsistencies, inconsistent } from './inconsistencies.ts';
import { readRemote } from './remote-introspection.ts';
import { makeState, type State, type World } from './state.ts';

/** Throws what the edit refuses, and `dependency-error` or the code of what does not resolve. */
export async function applyCommand(
  command: Command,
  args: unknown,
  progress: Progress,
  context: Context,
): Promise<Progress> {
  const steps = command.parseInSteps?.(args);
  const edit = steps === undefined ? within(() => command.parse(args)) : await withinSlices(steps);
  const after = await applyEdit(edit, args, progress, context);
  if (edit.clears !== undefined)
    await clearEntries(await context.unit.query(context.tools.store.database), edit.clears);
  return after;
}

export async function applyEdit(edit: Edit, args: unknown, progress: Progress, context: Context): Promise<Progress> {
  const metadata = within(() => edit.apply(progress.state.metadata, editContext(progress.state.model)));
  const read = await reread(edit.rereads, metadata, progress, context);
  const state = await nextState(metadata, read, context);
  const before = progress.state.model;
  const fresh = await freshInconsistencies(before, state.model);
  if (fresh.length === 0) return { ...read, state, dropped: undefined };
  switch (edit.dependents) {
    case 'reject':
      throw dependencies(fresh);
    case 'drop': {
      const kept = await dropFresh(before, state, context);
      return { ...read, state: kept, dropped: droppedObjects(metadata, kept.metadata) };
    }
    case 'none': {
      // The database may have been changed by others since it was read.
      const sources = metadata.sources.map((source) => source.name).filter((name) => !read.fresh.has(name));
      if (sources.length === 0) throw inconsistent(fresh, args);
      const again = await readCatalogs(sources, metadata, read, context);
      const second = await nextState(metadata, again, context);
      const still = await freshInconsistencies(before, second.model);
      if (still.length > 0) throw inconsistent(still, args);
      return { ...again, state: second, dropped: undefined };
    }
    default:
      return edit.dependents satisfies never;
  }
}

/** Drops whatever `before` does not know as broken, and what breaks by that, until nothing new is broken. */
export async function dropFresh(before: Model, state: State, context: Context): Promise<State> {
  let current = state;
  for (;;) {
    const fresh = await freshInconsistencies(before, current.model);
    const { metadata, dropped } = dropObjects(
      current.metadata,
      fresh.map((one) => one.path),
    );
    if (dropped === 0) {
      if (fresh.length > 0) throw dependencies(fresh);
      return current;
    }
    current = await makeState(current.version, metadata, current.world, context.tools);
  }
}

/** The state of edited metadata over what `progress` has read. */
export function nextState(metadata: Metadata, { state }: Progress, context: Context): Promise<State> {
  // One ahead of what is stored; the change is stored under that number or not at all.
  const version = metadata === state.metadata ? state.version : context.nextVersion;
  return makeState(version, metadata, state.world, context.tools);
}

/** Reads what may be newer than what `progress` knows of it. */
export async function reread(
  what: Edit['rereads'],
  metadata: Metadata,
  progress: Progress,
  context: Context,
): Promise<Progress> {
  let current = progress;
  for (const one of what) {
    if (one.kind === 'catalog') {
      const source = metadata.sources.find(({ name }) => name === one.source);
      const known = current.state.world.catalogs.get(one.source);
      const isFresh = current.fresh.has(one.source) && (source === undefined || hasEnums(known, source));
      if (!isFresh) current = await readCatalogs([one.source], metadata, current, context);
      continue;
    }
    const remote = metadata.remote_schemas?.find((candidate) => candidate.name === one.remoteSchema);
    if (remote === undefined) continue;
    const read = await readRemote(remote, context.tools);
    current = withWorld(current, withReads(current.state.world, [[remote.name, read]]));
  }
  return current;
}

/** Reads the catalogs of `names` anew, in the unit's transaction where one is open. */
export async function readCatalogs(
  names: readonly SourceName[],
  metadata: Metadata,
  progress: Progress,
  context: Context,
): Promise<Progress> {
  const catalogs = new Map(progress.state.world.catalogs);
  const fresh = new Set(progress.fresh);
  for (const name of names) {
    const source = metadata.sources.find((one) => one.name === name);
    if (source === undefined) continue;
    catalogs.set(name, await readSource(source, context.tools, context.unit));
    fresh.add(name);
  }
  return withWorld({ ...progress, fresh }, { ...progress.state.world, catalogs });
}

/** The model does not fit the world until the next resolve. */
function withWorld(progress: Progress, world: World): Progress {
  return { ...progress, state: { ...progress.state, world } };
}

/** As `within`, in slices between which other requests are handled. */
export function withinSlices<T>(steps: Steps<T>, prefix?: string): Promise<T> {
  return runInSlices(steps).catch((error: unknown) => within(() => raise(error), prefix));
}

function raise(error: unknown): never {
  throw error;
}

/** Runs a pure part; its errors become ServiceErrors whose paths go on from `prefix`. */
export function within<T>(work: () => T, prefix = '$.args'): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    throw new ServiceError(error.code, error.message, { path: prefix + error.path.slice(1) });
  }
}
