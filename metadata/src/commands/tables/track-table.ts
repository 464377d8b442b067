/** Tables and views: track and untrack, one or many. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { QualifiedTable } from '../../names.ts';
import { TableConfiguration, TableEntry } from '../../schema/tables.ts';
import { changeSource, sameTable, type TableTarget, tableArguments, tableLabel } from '../edit/change.ts';
import { type Command, defineCommand, type Reread } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { parseWithShortForm } from '../edit/short-form.ts';

const TrackArguments = z.strictObject({
  ...tableArguments,
  configuration: TableConfiguration.nullish(),
  is_enum: z.boolean().optional(),
  apollo_federation_config: TableEntry.shape.apollo_federation_config,
  logical_model: TableEntry.shape.logical_model,
});

type TrackArguments = z.infer<typeof TrackArguments>;

const UntrackArguments = z.strictObject({ ...tableArguments, cascade: z.boolean().default(false) });

/** Whether tables that fail become warnings; the service applies it. */
const allowWarnings = z.boolean().default(true);

function track(metadata: Metadata, args: TrackArguments): Metadata {
  return changeSource(metadata, args.source, (source) => {
    if (source.tables.some((entry) => sameTable(entry.table, args.table))) {
      throw new EditError('already-tracked', `view/table already tracked: ${tableLabel(args.table)}`);
    }
    if (source.functions?.some((one) => sameTable(one.function, args.table))) {
      throw new EditError('not-supported', `function with name ${tableLabel(args.table)} already exists`);
    }
    const { apollo_federation_config, logical_model } = args;
    const entry: TableEntry = {
      table: args.table,
      ...(args.is_enum === true && { is_enum: true }),
      ...(apollo_federation_config && { apollo_federation_config }),
      ...(logical_model !== undefined && { logical_model }),
    };
    const configured = args.configuration ? { ...entry, configuration: args.configuration } : entry;
    return { ...source, tables: [...source.tables, configured] };
  });
}

function untrack(metadata: Metadata, args: TableTarget): Metadata {
  return changeSource(metadata, args.source, (source) => {
    const tables = source.tables.filter((entry) => !sameTable(entry.table, args.table));
    if (tables.length === source.tables.length) {
      throw new EditError('already-untracked', `view/table already untracked: ${tableLabel(args.table)}`);
    }
    return { ...source, tables };
  });
}

function catalogs(targets: readonly TableTarget[]): Reread[] {
  return [...new Set(targets.map((target) => target.source))].map((source) => ({ kind: 'catalog', source }));
}

/** Applies `step` to each element; errors have the path of the element. */
function each<Args>(
  metadata: Metadata,
  list: readonly Args[],
  step: (metadata: Metadata, args: Args) => Metadata,
): Metadata {
  return list.reduce((current, args, index) => {
    try {
      return step(current, args);
    } catch (error) {
      throw error instanceof EditError ? error.under(`$.tables[${index}]`) : error;
    }
  }, metadata);
}

/** A table as `"author"` or `{ schema, name }`, or as an object with settings. */
export const trackTable: Command<'track_table', z.input<typeof QualifiedTable> | z.input<typeof TrackArguments>> = {
  name: 'track_table',
  arguments: z.union([TrackArguments, QualifiedTable]),
  parse: (input) => {
    const args = parseWithShortForm(TrackArguments, 'table', input);
    return {
      apply: (metadata) => track(metadata, args),
      rereads: catalogs([args]),
      dependents: 'none',
      needsContext: false,
    };
  },
};

export const untrackTable = defineCommand({
  name: 'untrack_table',
  arguments: UntrackArguments,
  apply: (args, metadata) => untrack(metadata, args),
  dependents: (args) => (args.cascade ? 'drop' : 'reject'),
});

export const trackTables = defineCommand({
  name: 'track_tables',
  arguments: z.strictObject({ tables: z.array(TrackArguments), allow_warnings: allowWarnings }),
  apply: (args, metadata) => each(metadata, args.tables, track),
  rereads: (args) => catalogs(args.tables),
});

export const untrackTables = defineCommand({
  name: 'untrack_tables',
  arguments: z.strictObject({
    tables: z.array(UntrackArguments),
    cascade: z.boolean().default(false),
    allow_warnings: allowWarnings,
  }),
  apply: (args, metadata) => each(metadata, args.tables, untrack),
  // What depends on a table without cascade is not dropped because another table has it; the service untracks these apart.
  dependents: (args) => (args.cascade || args.tables.every((table) => table.cascade) ? 'drop' : 'reject'),
});
