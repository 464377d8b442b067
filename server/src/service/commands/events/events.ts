/** The commands of scheduled events and their destinations. In a bulk they run in its transaction. */

import { z } from 'zod';
import { ServiceError } from '../../../base/errors.ts';
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
import type { Query } from '../../../postgres/client/statement-run.ts';
import { type CommandContext, eventQuery, type ServiceCommand } from '../../metadata/command-context.ts';
import type { State } from '../../metadata/state.ts';
import { readCommand } from '../command.ts';
import { planDue } from './cron-plans.ts';

/** Reads its arguments itself. */
type Perform<Result> = (query: Query, args: unknown, context: CommandContext, state: State) => Promise<Result>;

function eventCommand<Result>(perform: Perform<Result>, queryOf = eventQuery): ServiceCommand<Result> {
  return readCommand(z.unknown(), async (args, { state }, context) =>
    perform(await queryOf(context), args, context, state),
  );
}

/** Searches use another pool: a long search must not delay the delivery of events, which has few connections. */
function searchCommand<Result>(perform: Perform<Result>): ServiceCommand<Result> {
  return eventCommand(perform, async ({ alone, unit, tools: { store } }) => {
    return alone ? store.database.query : unit.query(store.database);
  });
}

/** Commands that change the clock of events, in development mode only. */
function clockCommand<Result>(perform: Perform<Result>): ServiceCommand<Result> {
  return eventCommand(async (query, args, context, state) => {
    if (context.tools.devMode !== true) {
      const message = 'the clock of events can be changed in development mode only; start with JOINERY_DEV_MODE=true';
      throw new ServiceError('not-supported', message, { path: '$.type' });
    }
    return perform(query, args, context, state);
  });
}

const listInvocations = searchCommand((query, args) => getScheduledEventInvocations(query, args));

export const eventCommands = {
  create_scheduled_event: eventCommand((query, args, { tools }) =>
    createScheduledEvent(query, args, tools.environment),
  ),
  create_scheduled_events: eventCommand((query, args, { tools }) =>
    createScheduledEvents(query, args, tools.environment),
  ),
  update_scheduled_event: eventCommand((query, args, { tools }) =>
    updateScheduledEvent(query, args, tools.environment),
  ),
  cancel_scheduled_event: eventCommand((query, args) => cancelScheduledEvent(query, args)),
  cancel_scheduled_events: eventCommand((query, args) => cancelScheduledEvents(query, args)),
  delete_scheduled_event: eventCommand((query, args) => deleteScheduledEvent(query, args)),
  get_scheduled_event: eventCommand((query, args) => getScheduledEvent(query, args)),
  get_scheduled_events: searchCommand((query, args) => getScheduledEvents(query, args)),
  get_scheduled_event_invocations: listInvocations,
  get_event_invocations: listInvocations,
  advance_clock: clockCommand((query, args, { tools }, { version, metadata }) =>
    // The cron events up to the new time have to exist to become due.
    advanceClock(query, args, (seconds) => planDue(tools.store, version, metadata, seconds * 1_000)),
  ),
  reset_clock: clockCommand((query) => resetClock(query)),
  get_scheduled_event_stats: searchCommand((query, args) => getScheduledEventStats(query, args)),
  redeliver_scheduled_event: eventCommand((query, args) => redeliverScheduledEvent(query, args)),
  redeliver_scheduled_events: eventCommand((query, args) => redeliverScheduledEvents(query, args)),
  run_scheduled_event_now: eventCommand((query, args) => runScheduledEventNow(query, args)),
  get_event_destinations: eventCommand((query, args) => getEventDestinations(query, args)),
  set_event_destination: eventCommand((query, args) => setEventDestination(query, args)),
  pause_event_destination: eventCommand((query, args) => pauseEventDestination(query, args)),
  resume_event_destination: eventCommand((query, args) => resumeEventDestination(query, args)),
};
