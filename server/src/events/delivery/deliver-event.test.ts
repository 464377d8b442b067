import { expect, test } from 'vitest';
import { dueAt, pendingEvent } from '../../../test/support/events/pending-event.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { UpstreamError } from '../../base/http-client/http-client.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { createClaimedEvents } from './claimed-events.ts';
import { createEventDeliverer } from './deliver-event.ts';
import { createDeliveryCounters } from './delivery-stats.ts';

const event = pendingEvent();

interface Delivered {
  /** The URLs that were called. */
  readonly calls: string[];
  /** The leases whose unknown claims are released before the next claim. */
  readonly suspects: string[];
}

/**
 * Delivers the event, which was claimed and confirmed at its time.
 *
 * @param before the time of the database's clock until there is a connection
 * @param after the time when there is a connection
 */
async function deliverAt(before: number, after = before): Promise<Delivered> {
  let time = before;
  const now = (): number => time;
  const calls: string[] = [];
  const suspects: string[] = [];
  const claimedEvents = createClaimedEvents<PendingEvent>();
  const { deliver } = createEventDeliverer<PendingEvent>({
    caller: {
      httpClient: {
        call: async (request) => {
          time = after;
          if (request.mayStart?.() === false) throw new UpstreamError('aborted', 'the call must not start');
          calls.push(request.url);
          return { status: 200, headers: [], body: '', bytes: Buffer.from(''), truncated: false, durationMs: 1 };
        },
        close: async () => undefined,
      },
      callTarget: async () => ({ outcome: 'error', status: 500, response: '{}' }),
      environment: {},
      agent: 'joinery/test',
      sign: undefined,
      now,
      realTime: now,
    },
    store: {
      loadPayload: async () => 'null',
      targetOf: () => undefined,
      buildRequest: ({ webhook }) => ({ url: webhook, method: 'POST', headers: [], body: '{}', logged: '{}' }),
    },
    claimedEvents,
    confirmer: { confirm: async () => true, stop: () => undefined },
    outcomeWriter: { add: () => undefined, size: () => 0, settled: async () => undefined },
    counters: createDeliveryCounters(),
    record: () => undefined,
    observe: () => undefined,
    work: { cutOff: new Cancellation(), mayStart: () => true, suspect: (lease) => suspects.push(lease) },
    keeps: () => false,
    retry: () => undefined,
    report: () => undefined,
    wake: () => undefined,
  });
  const claimed = claimedEvents.add(event, '1', { claimedAt: dueAt, confirmedAt: dueAt });
  if (claimed === undefined) throw new Error('the event is being called');
  await deliver(claimed);
  return { calls, suspects };
}

test('calls an event at its time', async () => {
  expect(await deliverAt(dueAt)).toEqual({ calls: [event.webhook], suspects: [] });
});

test('releases an event without a call where the clock of the database was set back before its time', async () => {
  expect(await deliverAt(dueAt - 1)).toEqual({ calls: [], suspects: ['1'] });
});

test('releases an event without a call where the clock of the database was set back while the call waited for a connection', async () => {
  expect(await deliverAt(dueAt, dueAt - 1)).toEqual({ calls: [], suspects: ['1'] });
});
