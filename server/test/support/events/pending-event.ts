/** A pending event for tests of delivery without a database. */
import type { PendingEvent } from '../../../src/events/types/pending-event.ts';

export const dueAt = Date.parse('2026-09-01T08:00:00Z');

/** Returns an event that is due at `dueAt`, has not been called, and has no retries. */
export function pendingEvent(changes: Partial<PendingEvent> = {}): PendingEvent {
  return {
    id: '0b6f1c9e-0000-4000-8000-000000000001',
    webhook: 'http://127.0.0.1/hook',
    lane: 'http://127.0.0.1',
    dueAt,
    scheduledAt: dueAt,
    scheduledTime: '2026-09-01T08:00:00.000000',
    createdAt: '2026-08-01T08:00:00.000000',
    payload: 'null',
    headers: '[]',
    comment: undefined,
    numRetries: 0,
    retryIntervalSeconds: 10,
    timeoutSeconds: 60,
    toleranceSeconds: 21_600,
    tries: 0,
    triesBefore: 0,
    retryRules: undefined,
    orderingKey: undefined,
    delivery: undefined,
    ...changes,
  };
}
