/** `reload_metadata` and `reload_remote_schema`: read databases and remote schemas again. */
import { ReloadMetadata } from '@joinery/metadata/api/metadata';
import { ReloadRemoteSchema } from '@joinery/metadata/api/remote-schemas';
import { ServiceError } from '../../base/errors.ts';
import { isNotice } from '../../model/types/inconsistency.ts';
import { reconcileSources } from '../event-triggers/apply.ts';
import { nextState } from '../metadata/apply-edit.ts';
import {
  type CommandContext,
  type CommandResult,
  type Progress,
  type ServiceCommand,
  success,
} from '../metadata/command-context.ts';
import { type RereadSelection, readExternalState } from '../metadata/external-state.ts';
import { inconsistencyError, writeInconsistencies } from '../metadata/inconsistencies.ts';
import { withCaptureFailures } from '../metadata/state.ts';
import { editCommand } from './command.ts';

export const reloadMetadata: ServiceCommand<CommandResult<'reload_metadata'>> = editCommand(
  ReloadMetadata,
  async (args, progress, context) => {
    const { metadata } = progress.state;
    const sources = metadata.sources.map((one) => one.name);
    const remotes = (metadata.remote_schemas ?? []).map((one) => one.name);
    rejectUnknown(args.reload_sources, sources, 'source', 'reload_sources');
    rejectUnknown(args.reload_remote_schemas, remotes, 'remote schema', 'reload_remote_schemas');
    const recreated = args.recreate_event_triggers ?? false;
    rejectUnknown(recreated, sources, 'source', 'recreate_event_triggers');
    const reread = await reload(progress, context, {
      sources: ({ name }) => wanted(args.reload_sources, name),
      remotes: ({ name }) => wanted(args.reload_remote_schemas, name),
    });
    const recreate = new Set(sources.filter((name) => wanted(recreated, name)));
    const names = new Set(sources.filter((name) => recreate.has(name) || wanted(args.reload_sources, name)));
    const { tools, unit, lock } = context;
    const options = { store: tools.store.database, sources: tools.sources, lock };
    const failures = await reconcileSources(reread.state, names, recreate, unit, options);
    const reloaded = { ...reread, state: await withCaptureFailures(reread.state, failures, tools) };
    const inconsistencies = reloaded.state.model.inconsistencies.filter((one) => !isNotice(one));
    const consistent = inconsistencies.length === 0;
    return {
      progress: reloaded,
      result: {
        ...success,
        is_consistent: consistent,
        ...(!consistent && { inconsistent_objects: writeInconsistencies(inconsistencies) }),
      },
    };
  },
);

export const reloadRemoteSchema: ServiceCommand<CommandResult<'reload_remote_schema'>> = editCommand(
  ReloadRemoteSchema,
  async ({ name }, progress, context) => {
    const written = progress.state.metadata.remote_schemas?.find((one) => one.name === name);
    if (written === undefined) throw unknown('remote schema', name, '$.args.name');
    const selection: RereadSelection = { sources: () => false, remotes: (one) => one.name === name };
    const reloaded = await reload(progress, context, selection, true);
    const own = reloaded.state.model.inconsistencies.filter((one) => one.definition === written);
    if (own.length > 0) throw inconsistencyError(own, { name });
    return { progress: reloaded, result: success };
  },
);

async function reload(
  progress: Progress,
  context: CommandContext,
  selection: RereadSelection,
  requireIntrospection = false,
): Promise<Progress> {
  const { state } = progress;
  const { tools, unit } = context;
  const external = await readExternalState(state.metadata, state.external, selection, tools, {
    unit,
    requireIntrospection,
  });
  const read = { ...progress, state: { ...state, external }, externalChanged: true };
  return { ...read, state: await nextState(state.metadata, read, context) };
}

function wanted(selection: boolean | readonly string[], name: string): boolean {
  return typeof selection === 'boolean' ? selection : selection.includes(name);
}

function rejectUnknown(
  selection: boolean | readonly string[],
  known: readonly string[],
  kind: string,
  argument: string,
): void {
  if (typeof selection === 'boolean') return;
  const index = selection.findIndex((name) => !known.includes(name));
  if (index >= 0) throw unknown(kind, selection[index] ?? '', `$.args.${argument}[${index}]`);
}

function unknown(kind: string, name: string, path: string): ServiceError {
  return new ServiceError('not-exists', `${kind} with name "${name}" does not exist`, { path });
}
