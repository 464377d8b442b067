/** The commands that deliver events again, or before their time. */
import {
  redeliverScheduledEvent,
  redeliverScheduledEvents,
  runScheduledEventNow,
} from '../../../events/commands/redeliver.ts';
import type { Query } from '../../../postgres/client/pool.ts';
import { eventQuery, metadataApis, type ServiceCommand } from '../../metadata/command-context.ts';

/** A command on the tables of events. In a bulk it happens in its transaction. */
export function eventTableCommand(perform: (query: Query, args: unknown) => Promise<unknown>): ServiceCommand {
  return {
    apis: metadataApis,
    changes: () => false,
    run: async ({ args }, progress, context) => {
      return { progress, answer: await perform(await eventQuery(context), args) };
    },
  };
}

export const eventRepeatCommands: ReadonlyMap<string, ServiceCommand> = new Map([
  ['redeliver_scheduled_event', eventTableCommand(redeliverScheduledEvent)],
  ['redeliver_scheduled_events', eventTableCommand(redeliverScheduledEvents)],
  ['run_scheduled_event_now', eventTableCommand(runScheduledEventNow)],
]);
