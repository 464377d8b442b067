/** The commands on the metadata as a whole: export, replace, clear, and its inconsistencies. */
import type { ExceededLimit } from '@joinery/metadata/api/limited-operations';
import {
  type Consistency,
  type EditedMetadata,
  NoArguments,
  type ReplacedMetadata,
  ReplaceMetadata,
} from '@joinery/metadata/api/metadata';
import { setApiLimits } from '@joinery/metadata/commands/api-limits';
import { clearedMetadata, documentInSteps } from '@joinery/metadata/document/document';
import { dropObjects } from '@joinery/metadata/document/drop';
import { exportMetadata, withoutExcludedTriggers } from '@joinery/metadata/document/export';
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { StrayMember } from '@joinery/metadata/schema/members';
import { z } from 'zod';
import { runInSlices } from '../../base/steps.ts';
import { unsupportedMember } from '../../model/inconsistencies/unsupported.ts';
import { type Inconsistency, isNotice, isRejected } from '../../model/types/inconsistency.ts';
import { schemaChanges } from '../../schema/inspection/schema-changes.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { applyTriggerChanges } from '../event-triggers/apply.ts';
import { exceededLimits } from '../graphql/limited-operations.ts';
import { applyCommand, convertEditErrorsInSlices, nextState } from '../metadata/apply-edit.ts';
import { isLockedTrigger } from '../metadata/capture-inconsistencies.ts';
import {
  type CommandContext,
  type CommandResult,
  type Outcome,
  type Progress,
  type ServiceCommand,
  success,
} from '../metadata/command-context.ts';
import { changedParts, readExternalState } from '../metadata/external-state.ts';
import {
  inconsistencyError,
  metadataWarningsError,
  writeInconsistencies,
  writeWarnings,
} from '../metadata/inconsistencies.ts';
import { makeState, type State, sameMetadata, withCaptureFailures } from '../metadata/state.ts';
import { editCommand, readArguments, readCommand, showCommand } from './command.ts';

export const exportCommand: ServiceCommand<CommandResult<'export_metadata'>> = showCommand(
  NoArguments,
  (_args, { state }, _context, { version }) => {
    const metadata = exportMetadata(withoutExcludedTriggers(state.metadata));
    return version === 2 ? { resource_version: state.version, metadata } : metadata;
  },
);

export const replaceCommand: ServiceCommand<CommandResult<'replace_metadata'>> = editCommand(
  z.unknown(),
  async (args, progress, context): Promise<Outcome<ReplacedMetadata | EditedMetadata>> => {
    if (typeof args !== 'object' || args === null || !('metadata' in args)) {
      const read = await readReplacement(args, progress, '$.args');
      const replaced = await withTriggers(progress, await replace(read.metadata, progress, context), context);
      const { broken, ignored } = splitInconsistencies(replaced.state);
      if (broken.length > 0) throw inconsistencyError(broken, args);
      const warnings = [...read.removed, ...ignored, ...(await limitWarnings(replaced.state, context))];
      return { progress: replaced, result: { ...success, ...writeWarnings(warnings) } };
    }
    const parsed = readArguments(ReplaceMetadata, args);
    const read = await readReplacement(parsed.metadata, progress, '$.args.metadata');
    const next = await replace(read.metadata, progress, context);
    const replaced = parsed.dry_run ? next : await withTriggers(progress, next, context);
    const limits = await limitWarnings(replaced.state, context);
    if (parsed.dry_run) {
      return { progress, result: { ...writePreview(progress.state, replaced.state), ...writeWarnings(limits) } };
    }
    const { broken, ignored } = splitInconsistencies(replaced.state);
    const warnings = [...read.removed, ...ignored];
    if (!parsed.allow_inconsistent_metadata && broken.length > 0) throw inconsistencyError(broken, args);
    if (!parsed.allow_warnings && warnings.length > 0) throw metadataWarningsError(warnings);
    return {
      progress: replaced,
      result: { ...writeConsistency(replaced.state), ...writeWarnings([...warnings, ...limits]) },
    };
  },
);

/** Returns a warning for each API limit that rejects stored or recent operations. */
async function limitWarnings(state: State, context: CommandContext): Promise<readonly Inconsistency[]> {
  const exceeded = await findExceededLimits(state, context);
  return exceeded.map(({ limit, most, path, message }) => ({
    type: 'api_limits',
    name: `${limit} ${most}`,
    path,
    code: limitCodes[limit],
    reason: message,
    definition: most,
  }));
}

/** As the edit, with the warnings of its limits. */
export const setApiLimitsCommand: ServiceCommand<CommandResult<'set_api_limits'>> = editCommand(
  z.unknown(),
  async (args, progress, context) => {
    const after = await applyCommand(setApiLimits, args, progress, context);
    return { progress: after, result: { ...success, ...writeWarnings(await limitWarnings(after.state, context)) } };
  },
);

const limitCodes = {
  depth_limit: 'depth-limit-exceeded',
  node_limit: 'node-limit-exceeded',
  time_limit: 'time-limit-exceeded',
  rate_limit: 'rate-limit-exceeded',
  batch_limit: 'batch-limit-exceeded',
} as const;

function findExceededLimits({ model, metadata }: State, { tools }: CommandContext): Promise<readonly ExceededLimit[]> {
  const { recent, enforcesRoles } = tools.operations.limits;
  return runInSlices(exceededLimits({ model, metadata, recent, enforced: enforcesRoles }));
}

export const getLimitedOperations: ServiceCommand<CommandResult<'get_limited_operations'>> = readCommand(
  NoArguments,
  async (_args, { state }, context) => ({
    enforced: context.tools.operations.limits.enforcesRoles,
    limits: await findExceededLimits(state, context),
  }),
);

interface Replacement {
  readonly metadata: Metadata;
  /** The unknown members that were removed. */
  readonly removed: readonly Inconsistency[];
}

async function readReplacement(document: unknown, { state }: Progress, path: string): Promise<Replacement> {
  const removed: StrayMember[] = [];
  const steps = documentInSteps(document, state.metadata, (member) => removed.push(member));
  const metadata = await convertEditErrorsInSlices(steps, path);
  return { metadata, removed: removed.map((member) => unsupportedMember(member, document)) };
}

/** Splits the inconsistencies into those that reject metadata and those that are warnings. Notices concern the database. */
function splitInconsistencies({ model }: State) {
  const inconsistencies = model.inconsistencies.filter((one) => !isNotice(one));
  return { broken: inconsistencies.filter(rejects), ignored: inconsistencies.filter((one) => !rejects(one)) };
}

/**
 * An operation of a collection that does not fit the schema is kept: it fails when it is called, and affects nothing else. So is an event
 * trigger whose table is locked: it is created when the table is unlocked.
 */
function rejects(one: Inconsistency): boolean {
  return isRejected(one) && one.type !== 'query_collections' && !isLockedTrigger(one);
}

/** Reads all databases again, and the remote schemas that are new, changed or unreachable. */
async function replace(metadata: Metadata, progress: Progress, context: CommandContext): Promise<Progress> {
  const { state } = progress;
  const { remotes } = changedParts(state.metadata, state.external);
  const sources = () => true;
  const external = await readExternalState(metadata, state.external, { sources, remotes }, context.tools, {
    unit: context.unit,
  });
  const fresh = new Set(metadata.sources.map(({ name }) => name));
  const read = { ...progress, state: { ...state, external }, fresh };
  const next = await nextState(metadata, read, context);
  // Equal metadata keeps its version, and the result of reading is used nevertheless.
  const isSame = await sameMetadata(state.metadata, next.metadata);
  return { ...read, state: next, externalChanged: progress.externalChanged || isSame };
}

/** Creates, changes and removes event triggers in the sources; those that cannot be created are inconsistent. */
async function withTriggers(before: Progress, after: Progress, context: CommandContext): Promise<Progress> {
  const { store, sources, observe } = context.tools;
  const options = { store: store.database, sources, lock: context.lock, tolerant: true, observe };
  const { failures } = await applyTriggerChanges(before.state, after.state, context.unit, options);
  return { ...after, state: await withCaptureFailures(after.state, failures, context.tools) };
}

export const clearCommand: ServiceCommand<CommandResult<'clear_metadata'>> = editCommand(
  NoArguments,
  async (_args, progress, context) => {
    const state = await nextState(clearedMetadata(progress.state.metadata), progress, context);
    return { progress: { ...progress, state }, result: success };
  },
);

export const getInconsistentCommand: ServiceCommand<CommandResult<'get_inconsistent_metadata'>> = showCommand(
  NoArguments,
  // The only command that lists notices as well.
  (_args, { state: { model } }) => ({
    is_consistent: model.inconsistencies.every(isNotice),
    inconsistent_objects: writeInconsistencies(model.inconsistencies),
  }),
);

export const dropInconsistentCommand: ServiceCommand<CommandResult<'drop_inconsistent_metadata'>> = editCommand(
  NoArguments,
  async (_args, progress, context) => {
    let state = progress.state;
    for (;;) {
      const broken = state.model.inconsistencies.filter((one) => isRejected(one) && !isLockedTrigger(one));
      const paths = broken.map((one) => one.path);
      const { metadata, dropped } = dropObjects(state.metadata, paths);
      // Dropped objects may make others inconsistent: those are dropped next.
      if (dropped === 0) return { progress: { ...progress, state }, result: success };
      state = await makeState(context.nextVersion, metadata, state.external, context.tools);
    }
  },
);

/** Returns the consistency after the change, and the schema changes of each role. */
export function writePreview(before: State, after: State): ReplacedMetadata {
  const roles = [ADMIN_ROLE, ...[...new Set([...before.model.roles, ...after.model.roles])].sort()];
  const changes = roles.map((role) => ({
    role,
    changes: schemaChanges(roleSchema(before.model, role).schema, roleSchema(after.model, role).schema),
  }));
  return { ...writeConsistency(after), schema_changes: changes.filter((one) => one.changes.length > 0) };
}

function writeConsistency({ model }: State): Consistency {
  const inconsistencies = model.inconsistencies.filter((one) => !isNotice(one));
  return { is_consistent: inconsistencies.length === 0, inconsistent_objects: writeInconsistencies(inconsistencies) };
}
