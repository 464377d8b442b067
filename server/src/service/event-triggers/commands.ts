/** The commands that read and redeliver events of triggers, and create manual ones. */
import {
  type EventTriggerResponses,
  GetEventById,
  GetEventInvocationLogs,
  GetEventLogs,
  InvokeEventTrigger,
  RedeliverEvent,
} from '@joinery/metadata/api/events/triggers';
import type { WithPrefix } from '@joinery/metadata/api/responses';
import { ServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import { listEvents, listInvocations } from '../../events/triggers/history.ts';
import { invokeTrigger, redeliverTriggerEvent } from '../../events/triggers/store.ts';
import { sessionSettings } from '../../execute/context/session-settings.ts';
import { type ServiceCommands, success } from '../metadata/command-context.ts';
import { cleanupEventTriggerLogs, getEventTriggerStats, redeliverEvents } from './administration.ts';
import { eventOf, notExists, recorded, sourceCommand, triggerNamed } from './source-command.ts';

const redeliverEvent = sourceCommand(RedeliverEvent, async ({ event_id: id, source }, call) => {
  const known = await eventOf(call, source, id);
  const result = known === undefined ? 'not-exists' : await redeliverTriggerEvent(call.query, id);
  if (result === 'not-exists') throw notExists('event not found', '$.args.event_id');
  if (result === 'busy') {
    throw new ServiceError('busy', 'event is already being processed', { path: '$.args.event_id', status: 400 });
  }
  return success;
});

const invokeEventTrigger = sourceCommand(InvokeEventTrigger, async (args, call) => {
  const { query, state, context } = call;
  const trigger = triggerNamed(state, args);
  if (!trigger.isManual) {
    throw new ServiceError('not-supported', `manual mode is not enabled for event trigger "${args.name}"`, {
      path: '$.args.name',
    });
  }
  const { number } = await recorded(call, args);
  const { sessionPrefix } = context.tools;
  const settings = sessionSettings(context.session, context.span, { sessionPrefix });
  const event_id = await invokeTrigger(query, number, {
    payload: printJson(args.payload),
    session: settings['hasura.user'],
    trace: settings['hasura.tracecontext'],
  });
  return { event_id };
});

const getEventLogs = sourceCommand(GetEventLogs, async (args, call) => {
  return listEvents(call.query, await recorded(call, args), args);
});

const getEventInvocationLogs = sourceCommand(GetEventInvocationLogs, async (args, call) => {
  return listInvocations(call.query, await recorded(call, args), {
    limit: args.limit,
    offset: args.offset,
  });
});

const getEventById = sourceCommand(GetEventById, async (args, call) => {
  const { event_id: id, source, invocation_log_limit: limit, invocation_log_offset: offset } = args;
  const { query } = call;
  const found = await eventOf(call, source, id);
  const [event] =
    found === undefined ? [] : await listEvents(query, found.trigger, { seq: found.seq, limit: 1, offset: 0 });
  if (found === undefined || event === undefined) throw notExists(`event id ${id} does not exist`, '$.args.event_id');
  return { event, invocations: await listInvocations(query, found.trigger, { seq: found.seq, limit, offset }) };
});

export const eventTriggerCommands: ServiceCommands<keyof WithPrefix<EventTriggerResponses>> = {
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
  redeliver_events: redeliverEvents,
  pg_redeliver_events: redeliverEvents,
  cleanup_event_trigger_logs: cleanupEventTriggerLogs,
  pg_cleanup_event_trigger_logs: cleanupEventTriggerLogs,
  get_event_trigger_stats: getEventTriggerStats,
  pg_get_event_trigger_stats: getEventTriggerStats,
};
