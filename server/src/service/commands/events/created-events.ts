/** Parses the arguments of the commands that create scheduled events. Throws `parse-failed` with the path of the argument. */
import { CreateScheduledEvent, CreateScheduledEvents } from '@joinery/metadata/api/events/events';
import { readPlainEvent, readPlainEvents } from '@joinery/metadata/api/events/plain-events';
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { readArguments } from '../command.ts';

export function readCreatedEvent(args: unknown): CreateScheduledEvent {
  return readPlainEvent(args, parseArguments) ?? readArguments(CreateScheduledEvent, args);
}

export function readCreatedEvents(args: unknown): CreateScheduledEvents {
  return readPlainEvents(args, CreateScheduledEvent, parseArguments) ?? readArguments(CreateScheduledEvents, args);
}
