/** Commands on the events of triggers, in the database of a source. */
import type { QualifiedTable, SourceName } from '@joinery/metadata/names';
import type { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { isUuid } from '../../events/commands/rejected-argument.ts';
import { findEvent, type RecordedTrigger } from '../../events/triggers/history.ts';
import { quotedColumns } from '../../events/triggers/trigger.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { readCommand } from '../commands/command.ts';
import type { CommandContext, ServiceCommand } from '../metadata/command-context.ts';
import type { State } from '../metadata/state.ts';
import { triggerOwner } from './owner.ts';
import { triggerNumbers } from './reconcile.ts';

interface Call {
  readonly query: Query;
  readonly database: Database;
  readonly state: State;
  readonly context: CommandContext;
}

/** Errors of PostgreSQL after which a command is run again: undefined table, deadlock. */
const transient: ReadonlySet<string> = new Set(['42P01', '40P01']);

/** A command on the database of a source: in a bulk, in its transaction. */
export function sourceCommand<Args extends { readonly source: SourceName }, Result>(
  schema: z.ZodType<Args>,
  perform: (args: Args, call: Call) => Promise<Result>,
): ServiceCommand<Result> {
  return readCommand(schema, async (args, { state }, context) => {
    const source = state.metadata.sources.find(({ name }) => name === args.source);
    if (source === undefined) {
      throw notExists(`source with name "${args.source}" does not exist`, '$.args.source');
    }
    if (!state.model.sources.has(args.source)) {
      throw new ServiceError('unexpected', `source "${args.source}" is inconsistent`, { path: '$.args.source' });
    }
    const database = context.tools.sources.of(source);
    const query = context.alone ? database.query : await context.unit.query(database);
    const run = (): Promise<Result> => perform(args, { query, database, state, context });
    // A table of the history may be dropped while it is read.
    return run().catch((error: unknown) => {
      if (context.alone && isPostgresError(error) && transient.has(error.code)) return run();
      throw error;
    });
  });
}

/** Returns a `not-exists` error with the path. */
export function notExists(message: string, path: string): ServiceError {
  return new ServiceError('not-exists', message, { path });
}

/** Returns the trigger. Throws `not-exists`, also for an inconsistent one. */
export function triggerNamed(
  { model }: State,
  { name, source }: { readonly name: string; readonly source: SourceName },
  path = '$.args.name',
): EventTrigger {
  const trigger = model.sources.get(source)?.eventTriggers?.get(name);
  if (trigger === undefined) throw notExists(`event trigger "${name}" does not exist`, path);
  return trigger;
}

/**
 * Returns the trigger in the database of its source. An inconsistent trigger is returned, too: its events stay. Throws `not-exists`.
 */
export async function recorded(
  { query, state, context }: Pick<Call, 'query' | 'state' | 'context'>,
  { name, source }: { readonly name: string; readonly source: SourceName },
  path = '$.args.name',
): Promise<RecordedTrigger> {
  const table = state.model.sources.get(source)?.eventTriggers?.get(name)?.table;
  const written = table ?? writtenTable(state, source, name);
  if (written === undefined) throw notExists(`event trigger "${name}" does not exist`, path);
  const owner = await triggerOwner(context.tools.store.database, source);
  const number = (await triggerNumbers(query, owner)).get(name);
  if (number === undefined) throw notExists(`event trigger "${name}" does not exist in its source`, path);
  return { number, name, table: { schema: written.schema, name: written.name }, quoted: quotedOf(table, context) };
}

function writtenTable({ metadata }: State, source: SourceName, name: string): QualifiedTable | undefined {
  const tables = metadata.sources.find((one) => one.name === source)?.tables;
  return tables?.find(({ event_triggers: list }) => list?.some((one) => one.name === name))?.table;
}

/** Returns the columns whose numbers are sent as strings. */
function quotedOf(table: EventTrigger['table'] | undefined, { tools }: Call['context']): RecordedTrigger['quoted'] {
  return table !== undefined && tools.operations.settings.stringifyNumerics ? quotedColumns(table) : undefined;
}

/** Returns an event of a trigger of the source; undefined for any other id, also of another service that shares the database. */
export async function eventOf(
  { query, state, context }: Call,
  source: SourceName,
  id: string,
): ReturnType<typeof findEvent> {
  if (!isUuid(id)) return undefined;
  const numbers = await triggerNumbers(query, await triggerOwner(context.tools.store.database, source));
  if (numbers.size === 0) return undefined;
  const found = await findEvent(query, id);
  if (found === undefined || ![...numbers.values()].includes(found.trigger.number)) return undefined;
  const table = state.model.sources.get(source)?.eventTriggers?.get(found.trigger.name)?.table;
  return { ...found, trigger: { ...found.trigger, quoted: quotedOf(table, context) } };
}
