/** The commands that read and redeliver events of triggers, and create manual ones. */
import type { EventTriggerResponses } from '@joinery/metadata/api/events/triggers';
import {
  GetEventById,
  GetEventInvocationLogs,
  GetEventLogs,
  InvokeEventTrigger,
  RedeliverEvent,
} from '@joinery/metadata/api/events/triggers';
import type { WithPrefix } from '@joinery/metadata/api/responses';
import type { SourceName } from '@joinery/metadata/names';
import type { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import { isUuid } from '../../events/commands/rejected-argument.ts';
import { findEvent, listEvents, listInvocations, type RecordedTrigger } from '../../events/triggers/history.ts';
import { invokeTrigger, redeliverTriggerEvent } from '../../events/triggers/store.ts';
import { sessionSettings } from '../../execute/context/session-settings.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { readCommand } from '../commands/command.ts';
import {
  type CommandContext,
  type ServiceCommand,
  type ServiceCommands,
  success,
} from '../metadata/command-context.ts';
import type { State } from '../metadata/state.ts';
import { hasTriggerTables, triggerNumbers } from './reconcile.ts';

interface Call {
  readonly query: Query;
  readonly state: State;
  readonly context: CommandContext;
}

/** A command on the database of a source: in a bulk, in its transaction. */
function sourceCommand<Args extends { readonly source: SourceName }, Result>(
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
    return perform(args, { query, state, context });
  });
}

function notExists(message: string, path: string): ServiceError {
  return new ServiceError('not-exists', message, { path });
}

/** Returns the trigger. Throws `not-exists`, also for an inconsistent one. */
function triggerNamed(
  { model }: State,
  { name, source }: { readonly name: string; readonly source: SourceName },
): EventTrigger {
  const trigger = model.sources.get(source)?.eventTriggers?.get(name);
  if (trigger === undefined) throw notExists(`event trigger "${name}" does not exist`, '$.args.name');
  return trigger;
}

async function recorded(query: Query, { name, table }: EventTrigger): Promise<RecordedTrigger> {
  const number = (await triggerNumbers(query)).get(name);
  if (number === undefined) throw notExists(`event trigger "${name}" does not exist in its source`, '$.args.name');
  return { number, name, table: { schema: table.schema, name: table.name } };
}

const redeliverEvent = sourceCommand(RedeliverEvent, async ({ event_id: id }, { query }) => {
  const known = isUuid(id) && (await hasTriggerTables(query));
  const result = known ? await redeliverTriggerEvent(query, id) : 'not-exists';
  if (result === 'not-exists') throw notExists('event not found', '$.args.event_id');
  if (result === 'busy') {
    throw new ServiceError('busy', 'event is already being processed', { path: '$.args.event_id', status: 400 });
  }
  return success;
});

const invokeEventTrigger = sourceCommand(InvokeEventTrigger, async (args, { query, state, context }) => {
  const trigger = triggerNamed(state, args);
  if (!trigger.isManual) {
    throw new ServiceError('not-supported', `manual mode is not enabled for event trigger "${args.name}"`, {
      path: '$.args.name',
    });
  }
  const { number } = await recorded(query, trigger);
  const { sessionPrefix } = context.tools;
  const settings = sessionSettings(context.session, context.span, { sessionPrefix });
  const event_id = await invokeTrigger(query, number, {
    payload: printJson(args.payload),
    session: settings['hasura.user'],
    trace: settings['hasura.tracecontext'],
  });
  return { event_id };
});

const getEventLogs = sourceCommand(GetEventLogs, async (args, { query, state }) => {
  return listEvents(query, await recorded(query, triggerNamed(state, args)), args);
});

const getEventInvocationLogs = sourceCommand(GetEventInvocationLogs, async (args, { query, state }) => {
  return listInvocations(query, await recorded(query, triggerNamed(state, args)), {
    limit: args.limit,
    offset: args.offset,
  });
});

const getEventById = sourceCommand(GetEventById, async (args, { query }) => {
  const { event_id: id, invocation_log_limit: limit, invocation_log_offset: offset } = args;
  const found = isUuid(id) && (await hasTriggerTables(query)) ? await findEvent(query, id) : undefined;
  const [event] =
    found === undefined ? [] : await listEvents(query, found.trigger, { seq: found.seq, limit: 1, offset: 0 });
  if (found === undefined || event === undefined) throw notExists(`event id ${id} does not exist`, '$.args.event_id');
  return { event, invocations: await listInvocations(query, found.trigger, { seq: found.seq, limit, offset }) };
});

type Names =
  | 'redeliver_event'
  | 'invoke_event_trigger'
  | 'get_event_logs'
  | 'get_event_invocation_logs'
  | 'get_event_by_id';

export const eventTriggerCommands: ServiceCommands<keyof WithPrefix<Pick<EventTriggerResponses, Names>>> = {
  redeliver_event: redeliverEvent,
  pg_redeliver_event: redeliverEvent,
  invoke_event_trigger: invokeEventTrigger,
  pg_invoke_event_trigger: invokeEventTrigger,
  get_event_logs: getEventLogs,
  pg_get_event_logs: getEventLogs,
  get_event_invocation_logs: getEventInvocationLogs,
  pg_get_event_invocation_logs: getEventInvocationLogs,
  get_event_by_id: getEventById,
  pg_get_event_by_id: getEventById,
};
