/** The commands for destinations of events: their limits, pauses and circuits, the same for all nodes. */
import {
  getEventDestinations,
  pauseEventDestination,
  resumeEventDestination,
  setEventDestination,
} from '../events/destination-settings.ts';
import type { Query } from '../postgres/pool.ts';
import { metadataApis, type ServiceCommand } from './step.ts';

function destinationCommand(perform: (query: Query, args: unknown) => Promise<unknown>): ServiceCommand {
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

export const eventDestinationCommands: ReadonlyMap<string, ServiceCommand> = new Map([
  ['get_event_destinations', destinationCommand(getEventDestinations)],
  ['set_event_destination', destinationCommand(setEventDestination)],
  ['pause_event_destination', destinationCommand(pauseEventDestination)],
  ['resume_event_destination', destinationCommand(resumeEventDestination)],
]);
