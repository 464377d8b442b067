/** Tracks or untracks many tables in one command, in which some may fail. */
import type { DroppedObject, EditedMetadata } from '@joinery/metadata/api/metadata';
import type { Command, Edit } from '@joinery/metadata/commands/edit/command';
import { trackTable, trackTables, untrackTable, untrackTables } from '@joinery/metadata/commands/tables/track-table';
import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { applyCommand, applyEdit, convertEditErrors } from '../metadata/apply-edit.ts';
import {
  type CommandContext,
  type Outcome,
  type Progress,
  type ServiceCommand,
  success,
} from '../metadata/command-context.ts';
import { writeDropped } from '../metadata/dropped-objects.ts';
import { newWarnings, writeWarnings } from '../metadata/inconsistencies.ts';
import { editCommand, readArguments } from './command.ts';

/** The part of the arguments that both commands have. The tables are parsed with each edit. */
const TablesArguments = z.looseObject({
  tables: z.array(z.looseObject({ cascade: z.boolean().optional() })),
  /** For `untrack_tables`: the default of the tables. */
  cascade: z.boolean().optional(),
  allow_warnings: z.boolean().default(true),
});
type Tables = z.infer<typeof TablesArguments>['tables'];

/** Applies `many` to all tables; if that fails and failures are warnings, `one` to each of them. */
function tolerant(many: Command, one: Command): ServiceCommand<EditedMetadata> {
  return editCommand(z.unknown(), async (args, progress, context) => {
    const edit = convertEditErrors(() => many.parse(args));
    const { cascade, allow_warnings, ...given } = readArguments(TablesArguments, args);
    const tables = cascade === true ? given.tables.map((table) => ({ ...table, cascade })) : given.tables;
    try {
      const [after, dropped] = await applyTogether(many, edit, { ...given, tables }, progress, context);
      const result = { ...success, ...writeDropped(dropped), ...writeWarnings(await ignored(progress, after)) };
      return { progress: after, result };
    } catch (error) {
      if (!allow_warnings || !(error instanceof ServiceError)) throw error;
      // One edit for all needs one resolve; one for each shows which tables fail.
      return await applyEach(one, tables, progress, context);
    }
  });
}

/** Tables with `cascade` first: what depends on both those and others is dropped with them. */
async function applyTogether(
  many: Command,
  edit: Edit,
  args: { readonly tables: Tables },
  progress: Progress,
  context: CommandContext,
): Promise<readonly [Progress, readonly DroppedObject[]]> {
  const parts = [true, false].map((cascade) => args.tables.filter((table) => (table.cascade === true) === cascade));
  if (parts.some((part) => part.length === 0)) {
    const after = await applyEdit(edit, args, progress, context);
    return [after, after.dropped ?? []];
  }
  // Throws errors with the positions of the tables in the whole list.
  convertEditErrors(() => edit.apply(progress.state.metadata));
  let after = progress;
  const dropped: DroppedObject[] = [];
  for (const tables of parts) {
    after = await applyCommand(many, { tables }, after, context);
    dropped.push(...(after.dropped ?? []));
  }
  return [after, dropped];
}

export const trackManyTables = tolerant(trackTables, trackTable);
export const untrackManyTables = tolerant(untrackTables, untrackTable);

function ignored(before: Progress, after: Progress) {
  return newWarnings(before.state.model, after.state.model);
}

async function applyEach(
  command: Command,
  tables: Tables,
  progress: Progress,
  context: CommandContext,
): Promise<Outcome<EditedMetadata>> {
  const failures: ServiceError[] = [];
  const dropped: DroppedObject[] = [];
  let current = progress;
  for (const [index, table] of tables.entries()) {
    try {
      current = await applyCommand(command, table, current, context);
      dropped.push(...(current.dropped ?? []));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      failures.push(movedTo(error, `$.args.tables[${index}]`));
    }
  }
  const [first] = failures;
  if (first !== undefined && failures.length === tables.length) throw first;
  const failed = failures.map(({ code, path, message }) => ({ code, path, message }));
  const warnings = [...failed, ...(writeWarnings(await ignored(progress, current)).warnings ?? [])];
  const result = { ...success, ...writeDropped(dropped), ...(warnings.length > 0 && { warnings }) };
  return { progress: current, result };
}

/** Moves the path of an error from `$.args` to `path`. */
function movedTo(error: ServiceError, path: string): ServiceError {
  const { code, message, internal, status } = error;
  return new ServiceError(code, message, {
    path: path + error.path.slice('$.args'.length),
    internal,
    status,
    cause: error,
  });
}
