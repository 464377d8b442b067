/** `reload_metadata` and `reload_remote_schema`: look at databases and remote schemas again. */
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { nextState, within } from '../metadata/apply-edit.ts';
import {
  type Context,
  metadataApis,
  type Progress,
  type ServiceCommand,
  success,
} from '../metadata/command-context.ts';
import { type Rereading, readWorld } from '../metadata/external-state.ts';
import { inconsistent, writeInconsistencies } from '../metadata/inconsistencies.ts';

/** All, none, or those of the names. */
const some = <Name extends z.ZodType<string>>(name: Name) => z.union([z.boolean(), z.array(name)]).default(true);

const ReloadArguments = z
  .strictObject({
    reload_sources: some(SourceName),
    reload_remote_schemas: some(RemoteSchemaName),
    /** There are no triggers in the database to make again. */
    recreate_event_triggers: z.union([z.boolean(), z.array(SourceName)]).optional(),
  })
  .nullish()
  .transform((args) => args ?? { reload_sources: true, reload_remote_schemas: true });

export const reloadMetadata: ServiceCommand = {
  apis: metadataApis,
  changes: () => true,
  run: async ({ args: input }, progress, context) => {
    const args = within(() => parseArguments(ReloadArguments, input));
    const { metadata } = progress.state;
    const sources = metadata.sources.map((one) => one.name);
    const remotes = (metadata.remote_schemas ?? []).map((one) => one.name);
    refuseUnknown(args.reload_sources, sources, 'source', 'reload_sources');
    refuseUnknown(args.reload_remote_schemas, remotes, 'remote schema', 'reload_remote_schemas');
    const reloaded = await reload(progress, context, {
      sources: ({ name }) => wanted(args.reload_sources, name),
      remotes: ({ name }) => wanted(args.reload_remote_schemas, name),
    });
    const { inconsistencies } = reloaded.state.model;
    const consistent = inconsistencies.length === 0;
    return {
      progress: reloaded,
      answer: {
        ...success,
        is_consistent: consistent,
        ...(!consistent && { inconsistent_objects: writeInconsistencies(inconsistencies) }),
      },
    };
  },
};

export const reloadRemoteSchema: ServiceCommand = {
  apis: metadataApis,
  changes: () => true,
  run: async ({ args: input }, progress, context) => {
    const { name } = within(() => parseArguments(z.strictObject({ name: RemoteSchemaName }), input));
    const written = progress.state.metadata.remote_schemas?.find((one) => one.name === name);
    if (written === undefined) throw unknown('remote schema', name, '$.args.name');
    const rereading: Rereading = { sources: () => false, remotes: (one) => one.name === name };
    const reloaded = await reload(progress, context, rereading, true);
    const own = reloaded.state.model.inconsistencies.filter((one) => one.definition === written);
    if (own.length > 0) throw inconsistent(own, input);
    return { progress: reloaded, answer: success };
  },
};

async function reload(
  progress: Progress,
  context: Context,
  rereading: Rereading,
  onlyAsked = false,
): Promise<Progress> {
  const { state } = progress;
  const { tools, unit } = context;
  const world = await readWorld(state.metadata, state.world, rereading, tools, { unit, onlyAsked });
  const read = { ...progress, state: { ...state, world }, worldChanged: true };
  return { ...read, state: await nextState(state.metadata, read, context) };
}

function wanted(selection: boolean | readonly string[], name: string): boolean {
  return typeof selection === 'boolean' ? selection : selection.includes(name);
}

function refuseUnknown(
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
