/** The commands of one-off scheduled events. In a bulk they happen in its transaction. */

import {
  createScheduledEvent,
  deleteScheduledEvent,
  getScheduledEventInvocations,
  getScheduledEvents,
} from '../events/schedule.ts';
import type { Query } from '../postgres/pool.ts';
import { type Context, metadataApis, type ServiceCommand } from './step.ts';

type Perform = (query: Query, args: unknown, context: Context) => Promise<unknown>;

function eventCommand(perform: Perform): ServiceCommand {
  return {
    apis: metadataApis,
    changes: () => false,
    run: async ({ args }, progress, context) => {
      const { database } = context.tools.store;
      const query = context.alone ? database.query : await context.unit.query(database);
      return { progress, answer: await perform(query, args, context) };
    },
  };
}

export const eventCommands: ReadonlyMap<string, ServiceCommand> = new Map([
  [
    'create_scheduled_event',
    eventCommand((query, args, { tools }) => createScheduledEvent(query, args, tools.environment)),
  ],
  ['get_scheduled_events', eventCommand((query, args) => getScheduledEvents(query, args))],
  ['get_scheduled_event_invocations', eventCommand((query, args) => getScheduledEventInvocations(query, args))],
  ['delete_scheduled_event', eventCommand((query, args) => deleteScheduledEvent(query, args))],
]);
