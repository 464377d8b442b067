/** The commands that deliver events again, or before their time. */
import { redeliverScheduledEvent, redeliverScheduledEvents, runScheduledEventNow } from '../events/redeliver.ts';
import type { Query } from '../postgres/pool.ts';
import { metadataApis, type ServiceCommand } from './step.ts';

/** A command on the tables of events. In a bulk it happens in its transaction. */
export function eventTableCommand(perform: (query: Query, args: unknown) => Promise<unknown>): ServiceCommand {
  return {
    apis: metadataApis,
    changes: () => false,
    run: async ({ args }, progress, context) => {
      const { database } = context.tools.store;
      const query = context.alone ? database.query : await context.unit.query(database);
      return { progress, answer: await perform(query, args) };
    },
  };
}

export const eventRepeatCommands: ReadonlyMap<string, ServiceCommand> = new Map([
  ['redeliver_scheduled_event', eventTableCommand(redeliverScheduledEvent)],
  ['redeliver_scheduled_events', eventTableCommand(redeliverScheduledEvents)],
  ['run_scheduled_event_now', eventTableCommand(runScheduledEventNow)],
]);
