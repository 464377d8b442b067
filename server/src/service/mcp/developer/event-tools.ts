/** Tools that find, inspect, create and change events. */
import { ChangeEvents, EventKind, SearchEvents } from '@joinery/metadata/api/events/search';
import { z } from 'zod';
import { defineTool, type Tool } from '../tool.ts';
import { type DeveloperDependencies, runCommand, unconfirmed } from './context.ts';

/** Calls in the detail of an event. */
const MAX_CALLS = 20;

export function eventTools(dependencies: DeveloperDependencies): readonly Tool[] {
  return [
    defineTool({
      name: 'search_events',
      scope: 'events:read',
      description:
        'Finds one-off events, events of cron triggers and events of event triggers by status, time, webhook, payload or response. Failed events have the status error.',
      annotations: { title: 'Search events', readOnlyHint: true },
      args: SearchEvents,
      run: (args, caller) => runCommand(dependencies, caller, { type: 'search_events', args }),
    }),
    defineTool({
      name: 'get_event',
      scope: 'events:read',
      description: 'Returns an event with its payload and its calls: requests, responses and errors.',
      annotations: { title: 'Show an event', readOnlyHint: true },
      args: z.strictObject({
        kind: EventKind,
        event_id: z.string().min(1),
        source: z.string().min(1).default('default').describe('The source of an event trigger.'),
      }),
      run: async ({ kind, event_id, source }, caller) => {
        if (kind === 'trigger') {
          const args = { event_id, source, invocation_log_limit: MAX_CALLS };
          return runCommand(dependencies, caller, { type: 'get_event_by_id', args });
        }
        const found = (await runCommand(dependencies, caller, {
          type: 'get_scheduled_event',
          args: { event_id },
        })) as object;
        const calls = { type: kind, event_id, limit: MAX_CALLS };
        const log = (await runCommand(dependencies, caller, {
          type: 'get_scheduled_event_invocations',
          args: calls,
        })) as object;
        return { ...found, ...log };
      },
    }),
    defineTool({
      name: 'schedule_event',
      scope: 'events:write',
      description:
        'Schedules a call of a webhook at a time. An event with the same key is not created again; the existing one is returned.',
      annotations: { title: 'Schedule an event', readOnlyHint: false, destructiveHint: false },
      args: z.strictObject({
        webhook: z.string().min(1).describe('An http or https URL.'),
        schedule_at: z.string().describe('ISO 8601, with an offset or in UTC, or a local time of "timezone".'),
        timezone: z.string().optional().describe('A time zone, such as Europe/Berlin.'),
        payload: z.unknown().describe('Any JSON value.'),
        key: z.string().optional(),
        ordering_key: z.string().optional(),
        comment: z.string().optional(),
      }),
      run: (args, caller) => runCommand(dependencies, caller, { type: 'create_scheduled_event', args }),
    }),
    defineTool({
      name: 'change_events',
      scope: 'events:write',
      description:
        'Redelivers (retries), cancels, runs now, reschedules or restores events. Without "confirm": true it changes nothing, and returns the events that it would change.',
      annotations: { title: 'Change events', readOnlyHint: false, destructiveHint: true },
      args: z.strictObject({ ...ChangeEvents.shape, confirm: z.boolean().default(false) }),
      run: async ({ confirm, ...args }, caller) => {
        if (!confirm) return unconfirmed(args);
        return { done: true, result: await runCommand(dependencies, caller, { type: 'change_events', args }) };
      },
    }),
  ];
}
