/** The commands of scheduled events and their destinations. In a bulk they run in its transaction. */

import { DeleteAlert, SetAlert } from '@joinery/metadata/api/events/alerts';
import {
  EventDestinationName,
  GetEventDestinations,
  SetEventDestination,
} from '@joinery/metadata/api/events/destinations';
import {
  CreateScheduledEvent,
  CreateScheduledEvents,
  EventTarget,
  UpdateScheduledEvent,
} from '@joinery/metadata/api/events/events';
import {
  AdvanceClock,
  CancelScheduledEvents,
  DeleteScheduledEvent,
  GetScheduledEventInvocations,
  GetScheduledEventStats,
  GetScheduledEvents,
  RedeliverScheduledEvents,
} from '@joinery/metadata/api/events/lists';
import { IndexEventPayloads } from '@joinery/metadata/api/events/search';
import { GetTrafficHistory } from '@joinery/metadata/api/events/traffic';
import type { CallTarget } from '@joinery/metadata/schema/events/targets';
import { z } from 'zod';
import { ServiceError } from '../../../base/errors.ts';
import { deleteAlert, getAlerts, setAlert } from '../../../events/alerts/settings.ts';
import { getScheduledEventStats } from '../../../events/commands/call-stats.ts';
import {
  cancelScheduledEvent,
  cancelScheduledEvents,
  deleteScheduledEvent,
  updateScheduledEvent,
} from '../../../events/commands/change.ts';
import { createScheduledEvent, createScheduledEvents } from '../../../events/commands/create.ts';
import {
  getEventDestinations,
  pauseEventDestination,
  resumeEventDestination,
  setEventDestination,
} from '../../../events/commands/destination-settings.ts';
import { advanceClock, resetClock } from '../../../events/commands/event-clock.ts';
import { getScheduledEventInvocations } from '../../../events/commands/invocations.ts';
import { getScheduledEvent, getScheduledEvents } from '../../../events/commands/listing.ts';
import {
  redeliverScheduledEvent,
  redeliverScheduledEvents,
  runScheduledEventNow,
} from '../../../events/commands/redeliver.ts';
import { getTrafficHistory } from '../../../events/history/read-traffic.ts';
import { createPayloadIndex, readPayloadIndex } from '../../../events/search/payload-index.ts';
import type { Query } from '../../../postgres/client/statement-run.ts';
import { checkTarget } from '../../event-targets/check.ts';
import { type CommandContext, eventQuery, metadataApis, type ServiceCommand } from '../../metadata/command-context.ts';
import type { State } from '../../metadata/state.ts';
import { readCommand } from '../command.ts';
import { readCreatedEvent, readCreatedEvents } from './created-events.ts';
import { planDue } from './cron-plans.ts';

type Perform<Args, Result> = (query: Query, args: Args, context: CommandContext, state: State) => Promise<Result>;

function eventCommand<Args, Result>(
  schema: z.ZodType<Args>,
  perform: Perform<Args, Result>,
  queryOf = eventQuery,
): ServiceCommand<Result> {
  return readCommand(schema, async (args, { state }, context) => perform(await queryOf(context), args, context, state));
}

/** A command that creates events; `read` parses its arguments, which the schema describes. */
function creation<Args, Result>(
  schema: z.ZodType,
  read: (args: unknown) => Args,
  create: Perform<Args, Result>,
): ServiceCommand<Result> {
  return {
    apis: metadataApis,
    arguments: schema,
    changes: () => false,
    run: async ({ args: written }, progress, context) => {
      const args = read(written);
      return { progress, result: await create(await eventQuery(context), args, context, progress.state) };
    },
  };
}

/** Searches use another pool: a long search must not delay the delivery of events, which has few connections. */
function searchCommand<Args, Result>(schema: z.ZodType<Args>, perform: Perform<Args, Result>): ServiceCommand<Result> {
  return eventCommand(schema, perform, async ({ alone, unit, tools: { store } }) => {
    return alone ? store.database.query : unit.query(store.database);
  });
}

/** Commands that change the clock of events, in development mode only. */
function clockCommand<Args, Result>(schema: z.ZodType<Args>, perform: Perform<Args, Result>): ServiceCommand<Result> {
  const command = eventCommand(schema, perform);
  return {
    ...command,
    run: async (request, progress, context) => {
      if (context.tools.devMode === true) return command.run(request, progress, context);
      const message = 'the clock of events can be changed in development mode only; start with JOINERY_DEV_MODE=true';
      throw new ServiceError('not-supported', message, { path: '$.type' });
    },
  };
}

/** Throws the error of a target with its path below `path`. */
function rejectInvalidTarget(
  { target }: { readonly target?: CallTarget | null | undefined },
  path: string,
  { sessionPrefix }: CommandContext['tools'],
  state: State,
): void {
  if (!target) return;
  try {
    checkTarget(target, { ...state, sessionPrefix });
  } catch (error) {
    throw error instanceof ServiceError ? error.under(`${path}.target`) : error;
  }
}

const listInvocations = searchCommand(GetScheduledEventInvocations, getScheduledEventInvocations);

export const eventCommands = {
  create_scheduled_event: creation(CreateScheduledEvent, readCreatedEvent, (query, event, { tools }, state) => {
    rejectInvalidTarget(event, '$.args', tools, state);
    return createScheduledEvent(query, event, tools.environment);
  }),
  create_scheduled_events: creation(CreateScheduledEvents, readCreatedEvents, (query, args, { tools }, state) => {
    for (const [index, event] of args.events.entries()) {
      if (event.target) rejectInvalidTarget(event, `$.args.events[${index}]`, tools, state);
    }
    return createScheduledEvents(query, args, tools.environment);
  }),
  update_scheduled_event: eventCommand(UpdateScheduledEvent, (query, change, { tools }, state) => {
    rejectInvalidTarget(change, '$.args', tools, state);
    return updateScheduledEvent(query, change, tools.environment);
  }),
  cancel_scheduled_event: eventCommand(EventTarget, cancelScheduledEvent),
  cancel_scheduled_events: eventCommand(CancelScheduledEvents, cancelScheduledEvents),
  delete_scheduled_event: eventCommand(DeleteScheduledEvent, deleteScheduledEvent),
  get_scheduled_event: eventCommand(EventTarget, getScheduledEvent),
  get_scheduled_events: searchCommand(GetScheduledEvents, getScheduledEvents),
  get_scheduled_event_invocations: listInvocations,
  get_event_invocations: listInvocations,
  advance_clock: clockCommand(AdvanceClock, (query, args, { tools, mark }, { metadata }) =>
    // The cron events up to the new time have to exist to become due.
    advanceClock(query, args, (seconds) => planDue(tools.store, mark, metadata, seconds * 1_000)),
  ),
  reset_clock: clockCommand(z.unknown(), (query) => resetClock(query)),
  index_event_payloads: readCommand(IndexEventPayloads, ({ create }, _progress, { tools }) => {
    const { database } = tools.store;
    return create ? createPayloadIndex(database) : readPayloadIndex(database);
  }),
  get_scheduled_event_stats: searchCommand(GetScheduledEventStats, getScheduledEventStats),
  get_traffic_history: searchCommand(
    GetTrafficHistory.nullish().transform((args) => args ?? {}),
    getTrafficHistory,
  ),
  redeliver_scheduled_event: eventCommand(EventTarget, redeliverScheduledEvent),
  redeliver_scheduled_events: eventCommand(RedeliverScheduledEvents, redeliverScheduledEvents),
  run_scheduled_event_now: eventCommand(EventTarget, runScheduledEventNow),
  get_event_destinations: eventCommand(GetEventDestinations.nullish(), (query) => getEventDestinations(query)),
  set_event_destination: eventCommand(SetEventDestination, setEventDestination),
  get_alerts: eventCommand(z.unknown(), (query) => getAlerts(query)),
  set_alert: eventCommand(SetAlert, (query, alert, { tools }) => setAlert(query, alert, tools.environment)),
  delete_alert: eventCommand(DeleteAlert, deleteAlert),
  pause_event_destination: eventCommand(EventDestinationName, pauseEventDestination),
  resume_event_destination: eventCommand(EventDestinationName, resumeEventDestination),
};
