/** The commands about the metadata as a whole: export, replace, clear, and what is inconsistent in it. */
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { clearedMetadata, documentInSteps } from '@joinery/metadata/document/document';
import { dropObjects } from '@joinery/metadata/document/drop';
import { exportMetadata, withoutExcludedTriggers } from '@joinery/metadata/document/export';
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE } from '@joinery/metadata/names';
import { z } from 'zod';
import { isBroken } from '../../model/types/inconsistency.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { schemaChanges } from '../../schema/schema-changes.ts';
import { nextState, within, withinSlices } from '../metadata/apply-edit.ts';
import {
  type Context,
  metadataApis,
  type Outcome,
  type Progress,
  type ServiceCommand,
  success,
} from '../metadata/command-context.ts';
import { changedParts, readWorld } from '../metadata/external-state.ts';
import { inconsistent, metadataWarnings, writeInconsistencies, writeWarnings } from '../metadata/inconsistencies.ts';
import { makeState, type State } from '../metadata/state.ts';

/** Older clients send `{}`, null or nothing. */
export const NoArguments = z.strictObject({}).nullish();

/** Throws `parse-failed` where there are any. */
export function noArguments(args: unknown): void {
  within(() => parseArguments(NoArguments, args));
}

export const exportCommand: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args, version }, progress) => {
    noArguments(args);
    const { state } = progress;
    const metadata = exportMetadata(withoutExcludedTriggers(state.metadata));
    return { progress, answer: version === 2 ? { resource_version: state.version, metadata } : metadata };
  },
};

const ReplaceArguments = z.strictObject({
  metadata: z.unknown(),
  allow_inconsistent_metadata: z.boolean().default(false),
  /** False: rejects metadata with members that have no effect. */
  allow_warnings: z.boolean().default(true),
  /** Answers with what would become of it, and changes nothing. */
  dry_run: z.boolean().default(false),
});

export const replaceCommand: ServiceCommand = {
  apis: metadataApis,
  changes: () => true,
  run: async ({ args }, progress, context) => {
    if (typeof args !== 'object' || args === null || !('metadata' in args)) {
      const document = await withinSlices(documentInSteps(args, progress.state.metadata));
      const replaced = await replace(document, progress, context);
      const { broken, ignored } = judged(replaced.state);
      if (broken.length > 0) throw inconsistent(broken, args);
      return { progress: replaced, answer: { ...success, ...writeWarnings(ignored) } };
    }
    const parsed = within(() => parseArguments(ReplaceArguments, args));
    const document = await withinSlices(documentInSteps(parsed.metadata, progress.state.metadata), '$.args.metadata');
    const replaced = await replace(document, progress, context);
    if (parsed.dry_run) return { progress, answer: writePreview(progress.state, replaced.state) };
    const { broken, ignored } = judged(replaced.state);
    if (!parsed.allow_inconsistent_metadata && broken.length > 0) throw inconsistent(broken, args);
    if (!parsed.allow_warnings && ignored.length > 0) throw metadataWarnings(ignored);
    return { progress: replaced, answer: { ...writeConsistency(replaced.state), ...writeWarnings(ignored) } };
  },
};

/** The inconsistencies by whether something cannot be used, or a member has no effect. */
function judged({ model }: State) {
  const { inconsistencies } = model;
  return { broken: inconsistencies.filter(isBroken), ignored: inconsistencies.filter((one) => !isBroken(one)) };
}

/** The databases are read again, of the remote schemas those that are new, changed or were not to be had. */
async function replace(metadata: Metadata, progress: Progress, context: Context): Promise<Progress> {
  const { state } = progress;
  const { remotes } = changedParts(state.metadata, state.world);
  const sources = () => true;
  const world = await readWorld(metadata, state.world, { sources, remotes }, context.tools, { unit: context.unit });
  const read = { ...progress, state: { ...state, world }, fresh: new Set(metadata.sources.map(({ name }) => name)) };
  return { ...read, state: await nextState(metadata, read, context) };
}

export const clearCommand: ServiceCommand = {
  apis: metadataApis,
  changes: () => true,
  run: async ({ args }, progress, context) => {
    noArguments(args);
    const state = await nextState(clearedMetadata(progress.state.metadata), progress, context);
    return { progress: { ...progress, state }, answer: success };
  },
};

export const getInconsistentCommand: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress) => {
    noArguments(args);
    return { progress, answer: writeConsistency(progress.state) };
  },
};

export const dropInconsistentCommand: ServiceCommand = {
  apis: metadataApis,
  changes: () => true,
  run: async ({ args }, progress, context): Promise<Outcome> => {
    noArguments(args);
    let state = progress.state;
    for (;;) {
      const paths = state.model.inconsistencies.filter(isBroken).map((one) => one.path);
      const { metadata, dropped } = dropObjects(state.metadata, paths);
      // What others depended on is gone now; they are next.
      if (dropped === 0) return { progress: { ...progress, state }, answer: success };
      state = await makeState(context.nextVersion, metadata, state.world, context.tools);
    }
  },
};

/** The consistency after the change, and for each role whose schema would be another one what is different in it. */
function writePreview(before: State, after: State): Readonly<Record<string, unknown>> {
  const roles = [ADMIN_ROLE, ...[...new Set([...before.model.roles, ...after.model.roles])].sort()];
  const changes = roles.map((role) => ({
    role,
    changes: schemaChanges(roleSchema(before.model, role).schema, roleSchema(after.model, role).schema),
  }));
  return { ...writeConsistency(after), schema_changes: changes.filter((one) => one.changes.length > 0) };
}

export function writeConsistency({ model }: State): Readonly<Record<string, unknown>> {
  return {
    is_consistent: model.inconsistencies.length === 0,
    inconsistent_objects: writeInconsistencies(model.inconsistencies),
  };
}
