/** The commands on the history of event triggers: statistics, redelivery of many events, clean-up. */
import {
  CleanupEventTriggerLogs,
  type EventTriggerStats,
  GetEventTriggerStats,
  RedeliverEvents,
} from '@joinery/metadata/api/events/triggers';
import { operationNames, type EventTrigger as WrittenTrigger } from '@joinery/metadata/event-triggers/schema';
import type { QualifiedTable } from '@joinery/metadata/names';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import { withinMs } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import { closeSegment, dropSegments } from '../../events/triggers/segments.ts';
import { readTriggerStatistics, type TriggerStatistics } from '../../events/triggers/statistics.ts';
import { redeliverTriggerEvents } from '../../events/triggers/store.ts';
import { isRejected } from '../../model/types/inconsistency.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { readCommand } from '../commands/command.ts';
import { type CommandContext, success } from '../metadata/command-context.ts';
import type { State } from '../metadata/state.ts';
import { triggerOwner } from './owner.ts';
import { notExists, recorded, sourceCommand } from './source-command.ts';

export const redeliverEvents = sourceCommand(RedeliverEvents, async ({ source, name, ...search }, call) => {
  const { number } = await recorded(call, { source, name });
  return redeliverTriggerEvents(call.query, number, search);
});

const SECONDS_IN_HOUR = 3_600;

export const cleanupEventTriggerLogs = sourceCommand(CleanupEventTriggerLogs, async (args, call) => {
  const { query, context } = call;
  const { source, event_trigger_name: name } = args;
  const { number } = await recorded(call, { source, name }, '$.args.event_trigger_name');
  const eventSeconds = args.clear_older_than * SECONDS_IN_HOUR;
  // Closing a segment needs several transactions, which a bulk does not have.
  if (context.alone) await closeSegment(query, number, eventSeconds);
  const logSeconds = args.clean_invocation_logs ? eventSeconds : Number.POSITIVE_INFINITY;
  await dropSegments(query, { number, eventSeconds, logSeconds });
  return success;
});

export const getEventTriggerStats = readCommand(GetEventTriggerStats, async (args, { state }, context) => {
  const { sources } = state.metadata;
  if (args.source && !sources.some(({ name }) => name === args.source)) {
    throw notExists(`source with name "${args.source}" does not exist`, '$.args.source');
  }
  const chosen = sources.filter(({ name }) => !args.source || name === args.source);
  const found = await Promise.all(chosen.map((source) => statsOf(source, args.name ?? undefined, state, context)));
  const triggers = found.flat();
  if (args.name && triggers.length === 0) throw notExists(`event trigger "${args.name}" does not exist`, '$.args.name');
  return { triggers };
});

/** Returns the statistics of the triggers of a source, or of the one with the name. */
async function statsOf(
  source: Source,
  only: string | undefined,
  state: State,
  context: CommandContext,
): Promise<readonly EventTriggerStats[]> {
  const written = writtenTriggers(source).filter(({ trigger }) => only === undefined || trigger.name === only);
  if (written.length === 0) return [];
  const { recordings, problem } = await readStatistics(source, state, context);
  const index = state.metadata.sources.indexOf(source);
  return written.map(({ trigger, table, place }) => {
    const path = `$.sources[${index}]${place}`;
    const reason = reasonAt(path, source, trigger, state) ?? problem;
    return {
      name: trigger.name,
      source: source.name,
      table: { schema: table.schema, name: table.name },
      operations: [
        ...operationNames.filter((name) => trigger.definition[name]),
        ...(trigger.definition.enable_manual ? (['manual'] as const) : []),
      ],
      paused: trigger.paused === true,
      cleanup_paused: trigger.cleanup_config ? trigger.cleanup_config.paused === true : null,
      consistent: reason === null,
      reason,
      ...(recordings.get(trigger.name) ?? noStatistics),
    };
  });
}

interface PlacedTrigger {
  readonly trigger: WrittenTrigger;
  readonly table: QualifiedTable;
  /** The path within the source. */
  readonly place: string;
}

function writtenTriggers(source: Source): readonly PlacedTrigger[] {
  return source.tables.flatMap(({ table, event_triggers: list = [] }, at) =>
    list.map((trigger, index) => ({ trigger, table, place: `.tables[${at}].event_triggers[${index}]` })),
  );
}

/** Returns the reason of the inconsistency of the trigger, or else of its table or source; null for a consistent one. */
function reasonAt(path: string, source: Source, { name }: WrittenTrigger, { model }: State): string | null {
  const found = model.inconsistencies
    .filter((one) => isRejected(one) && (one.path.startsWith(path) || path.startsWith(`${one.path}.`)))
    .sort((one, other) => other.path.length - one.path.length);
  if (found[0] !== undefined) return found[0].reason;
  return model.sources.get(source.name)?.eventTriggers?.has(name) ? null : 'its source is inconsistent';
}

interface SourceStatistics {
  readonly recordings: ReadonlyMap<string, TriggerStatistics>;
  /** Why the database could not be read; null where it was read. */
  readonly problem: string | null;
}

/** Milliseconds after which the triggers of a source are returned without their statistics. */
const READ_LIMIT_MS = 5_000;

/** None for an inconsistent source, and for one whose database cannot be read. */
async function readStatistics(
  source: Source,
  { model }: State,
  { alone, tools, unit }: CommandContext,
): Promise<SourceStatistics> {
  if (!isSupportedSource(source) || !model.sources.has(source.name)) return { recordings: new Map(), problem: null };
  const database = tools.sources.of(source);
  const owner = await triggerOwner(tools.store.database, source.name);
  if (!alone) return { recordings: await readTriggerStatistics(await unit.query(database), owner), problem: null };
  try {
    const recordings = await withinMs(READ_LIMIT_MS, late, (signal) => {
      const limited: Query = (run, options) => database.query(run, { ...options, signal });
      return readTriggerStatistics(limited, owner);
    });
    return { recordings, problem: null };
  } catch (error) {
    const { message } = fromPostgres(error);
    return { recordings: new Map(), problem: `the events of source "${source.name}" cannot be read: ${message}` };
  }
}

function late(): ServiceError {
  return new ServiceError('timeout', `the database did not respond within ${READ_LIMIT_MS / 1_000} seconds`);
}

const noStatistics: TriggerStatistics = {
  outdated_at: null,
  pending: 0,
  pending_is_capped: false,
  retrying: 0,
  waiting_in_order: 0,
  oldest_pending_at: null,
  last_call_at: null,
  last_day: { seconds: 86_400, calls: 0, delivered: 0, error: 0, dead: 0, p50_ms: null, p95_ms: null },
};
