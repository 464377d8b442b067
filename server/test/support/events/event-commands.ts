/** The commands of events as requests call them: arguments are parsed by the schema of the command. */

import { EventTarget, UpdateScheduledEvent } from '@joinery/metadata/api/events/events';
import {
  CancelScheduledEvents,
  DeleteScheduledEvent,
  GetScheduledEventInvocations,
  GetScheduledEventStats,
  GetScheduledEvents,
} from '@joinery/metadata/api/events/lists';
import type { z } from 'zod';
import type { Environment } from '../../../src/base/environment.ts';
import * as stats from '../../../src/events/commands/call-stats.ts';
import * as change from '../../../src/events/commands/change.ts';
import * as create from '../../../src/events/commands/create.ts';
import * as invocations from '../../../src/events/commands/invocations.ts';
import * as listing from '../../../src/events/commands/listing.ts';
import * as redeliver from '../../../src/events/commands/redeliver.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { readArguments } from '../../../src/service/commands/command.ts';
import { readCreatedEvent, readCreatedEvents } from '../../../src/service/commands/events/created-events.ts';

type Command<Result> = (query: Query, args: unknown) => Promise<Result>;
type ExpandingCommand<Result> = (query: Query, args: unknown, environment: Environment) => Promise<Result>;

function parsed<Args, Result>(
  schema: z.ZodType<Args>,
  run: (query: Query, args: Args) => Promise<Result>,
): Command<Result> {
  return async (query, args) => run(query, readArguments(schema, args));
}

function reading<Args, Result>(
  read: (args: unknown) => Args,
  run: (query: Query, args: Args, environment: Environment) => Promise<Result>,
): ExpandingCommand<Result> {
  return async (query, args, environment) => run(query, read(args), environment);
}

export const createScheduledEvent = reading(readCreatedEvent, create.createScheduledEvent);
export const createScheduledEvents = reading(readCreatedEvents, create.createScheduledEvents);
export const updateScheduledEvent = reading(
  (args) => readArguments(UpdateScheduledEvent, args),
  change.updateScheduledEvent,
);
export const cancelScheduledEvent = parsed(EventTarget, change.cancelScheduledEvent);
export const cancelScheduledEvents = parsed(CancelScheduledEvents, change.cancelScheduledEvents);
export const deleteScheduledEvent = parsed(DeleteScheduledEvent, change.deleteScheduledEvent);
export const getScheduledEvent = parsed(EventTarget, listing.getScheduledEvent);
export const getScheduledEvents = parsed(GetScheduledEvents, listing.getScheduledEvents);
export const getScheduledEventInvocations = parsed(
  GetScheduledEventInvocations,
  invocations.getScheduledEventInvocations,
);
export const getScheduledEventStats = parsed(GetScheduledEventStats, stats.getScheduledEventStats);
export const redeliverScheduledEvent = parsed(EventTarget, redeliver.redeliverScheduledEvent);
