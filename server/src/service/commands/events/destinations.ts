/** The commands for destinations of events: their limits, pauses and circuits, the same for all nodes. */
import {
  getEventDestinations,
  pauseEventDestination,
  resumeEventDestination,
  setEventDestination,
} from '../../../events/commands/destination-settings.ts';
import type { ServiceCommand } from '../../metadata/command-context.ts';
import { eventTableCommand } from './repeat.ts';

export const eventDestinationCommands: ReadonlyMap<string, ServiceCommand> = new Map([
  ['get_event_destinations', eventTableCommand(getEventDestinations)],
  ['set_event_destination', eventTableCommand(setEventDestination)],
  ['pause_event_destination', eventTableCommand(pauseEventDestination)],
  ['resume_event_destination', eventTableCommand(resumeEventDestination)],
]);
