/** The commands of scheduled events. In a bulk they happen in its transaction. */

import { ServiceError } from '../../../base/errors.ts';
import { getScheduledEventStats } from '../../../events/commands/call-stats.ts';
import {
  cancelScheduledEvent,
  cancelScheduledEvents,
  deleteScheduledEvent,
  updateScheduledEvent,
} from '../../../events/commands/change.ts';
import { createScheduledEvent, createScheduledEvents } from '../../../events/commands/create.ts';
import { advanceClock, resetClock } from '../../../events/commands/event-clock.ts';
import { getScheduledEventInvocations } from '../../../events/commands/invocations.ts';
import { getScheduledEvent, getScheduledEvents } from '../../../events/commands/listing.ts';
import type { Query } from '../../../postgres/client/pool.ts';
import { type Context, eventQuery, metadataApis, type ServiceCommand } from '../../metadata/command-context.ts';
import type { State } from '../../metadata/state.ts';
import { planDue } from './cron-plans.ts';

type Perform = (query: Query, args: unknown, context: Context, state: State) => Promise<unknown>;

function eventCommand(perform: Perform, queryOf = eventQuery): ServiceCommand {
  return {
    apis: metadataApis,
    changes: () => false,
    run: async ({ args }, progress, context) => {
      const query = await queryOf(context);
      return { progress, answer: await perform(query, args, context, progress.state) };
    },
  };
}

/** A long search must not delay the delivery of events, which has few connections. */
function searchCommand(perform: Perform): ServiceCommand {
  return eventCommand(perform, async ({ alone, unit, tools: { store } }) => {
    return alone ? store.database.query : unit.query(store.database);
  });
}

/** Only where the service was started for development: production has one time. */
function clockCommand(perform: Perform): ServiceCommand {
  return eventCommand(async (query, args, context, state) => {
    if (context.tools.devMode !== true) {
      const message = 'the clock of events can be changed in development mode only; start with JOINERY_DEV_MODE=true';
      throw new ServiceError('not-supported', message, { path: '$.type' });
    }
    return perform(query, args, context, state);
  });
}

const listInvocations = searchCommand((query, args) => getScheduledEventInvocations(query, args));

export const eventCommands: ReadonlyMap<string, ServiceCommand> = new Map([
  [
    'create_scheduled_event',
    eventCommand((query, args, { tools }) => createScheduledEvent(query, args, tools.environment)),
  ],
  [
    'create_scheduled_events',
    eventCommand((query, args, { tools }) => createScheduledEvents(query, args, tools.environment)),
  ],
  [
    'update_scheduled_event',
    eventCommand((query, args, { tools }) => updateScheduledEvent(query, args, tools.environment)),
  ],
  ['cancel_scheduled_event', eventCommand((query, args) => cancelScheduledEvent(query, args))],
  ['cancel_scheduled_events', eventCommand((query, args) => cancelScheduledEvents(query, args))],
  ['delete_scheduled_event', eventCommand((query, args) => deleteScheduledEvent(query, args))],
  ['get_scheduled_event', eventCommand((query, args) => getScheduledEvent(query, args))],
  ['get_scheduled_events', searchCommand((query, args) => getScheduledEvents(query, args))],
  ['get_scheduled_event_invocations', listInvocations],
  ['get_event_invocations', listInvocations],
  [
    'advance_clock',
    clockCommand((query, args, { tools }, { version, metadata }) =>
      // The runs of cron triggers up to then have to be there to come due.
      advanceClock(query, args, (seconds) => planDue(tools.store, version, metadata, seconds * 1_000)),
    ),
  ],
  ['reset_clock', clockCommand((query) => resetClock(query))],
  ['get_scheduled_event_stats', searchCommand((query, args) => getScheduledEventStats(query, args))],
]);
