/** Reads the status and the invocations of an event. */

import { parseJson, printJson } from '../../../src/base/json-value.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { until } from '../until.ts';
import { column } from './delivery-node.ts';
import { getScheduledEventInvocations } from './event-commands.ts';

export interface EventReader {
  /** Returns `pending` until the event is processed. */
  statusOf(id: string): Promise<string>;
  untilProcessed(id: string): Promise<void>;
  /** Returns the invocations, the oldest first. */
  logOf(id: string): Promise<Invocation[]>;
}

export interface Invocation {
  readonly status: number | null;
  readonly attempt: number;
  readonly response: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
  readonly request: Readonly<Record<string, unknown>>;
}

export function eventReader({ database }: TestDatabase): EventReader {
  const statusOf = async (id: string): Promise<string> => {
    const [status = 'pending'] = await column(database, 'select status from joinery.processed_events where id = $1', [
      id,
    ]);
    return status;
  };
  return {
    statusOf,
    untilProcessed: async (id) => {
      await until(`the event ${id} is processed`, async () => (await statusOf(id)) !== 'pending');
    },
    logOf: async (id) => {
      const { invocations } = await getScheduledEventInvocations(database.query, { type: 'one_off', event_id: id });
      return (parseJson(printJson(invocations)) as Invocation[]).reverse();
    },
  };
}
