import { describe, expect, test } from 'vitest';
import type { LoggedCall } from './response.ts';
import { placeSteps, type TimelineEvent, timelineOf } from './timeline.ts';

const at = (seconds: number): number => Date.parse('2026-09-01T08:00:00Z') + seconds * 1_000;

function call(attempt: number, end: number, duration_ms: number, status: number | null): LoggedCall {
  const created_at = new Date(at(end)).toISOString();
  const response = { data: { body: '', message: 'closed' } };
  return {
    id: `c${attempt}`,
    attempt,
    duration_ms,
    status,
    created_at,
    request: { payload: {}, headers: [] },
    response,
  };
}

function steps(event: Partial<TimelineEvent>, now: number): readonly string[] {
  const whole = { time: at(0), next: undefined, state: 'finished', calls: [], ...event } as const;
  return timelineOf(whole, at(now)).map(({ label, kind, text }) => `${label} (${kind}): ${text}`);
}

describe('the timeline of an event', () => {
  test('has the wait before each attempt, and each attempt with its result', () => {
    const calls = [call(2, 33, 500, 200), call(1, 2, 1_000, 503)];
    expect(steps({ calls }, 40)).toEqual([
      'Wait for the first attempt (wait): 1.00 s',
      'Attempt 1 (bad): 503 · 1.00 s',
      'Wait (wait): 30.50 s',
      'Attempt 2 (good): 200 · 500 ms',
    ]);
  });

  test('has the claim of each attempt by a node, which may be before the time of the event', () => {
    const calls = [
      { ...call(2, 33, 500, 200), waited_ms: 2_500 },
      { ...call(1, 2, 1_000, 503), waited_ms: 1_500 },
    ];
    expect(steps({ calls }, 40)).toEqual([
      'Claimed by a node (claimed): 1.00 s',
      'Attempt 1 (bad): 503 · 1.00 s',
      'Wait (wait): 28.00 s',
      'Claimed by a node (claimed): 2.50 s',
      'Attempt 2 (good): 200 · 500 ms',
    ]);
  });

  test('ends with the wait for the next attempt', () => {
    const event = { state: 'waiting', next: at(100), calls: [call(1, 1, 1_000, null)] } as const;
    expect(steps(event, 40).at(-1)).toBe('Wait (next): 1 minute left');
  });

  test('of an event that was not called is the wait for its time', () => {
    expect(steps({ state: 'waiting' }, -7_200)).toEqual(['Wait (next): 2 hours left']);
  });

  test('shows that a due event is claimed, or waits to be claimed', () => {
    expect(steps({ state: 'locked' }, 3)).toEqual(['Claimed: the call is made (busy): 3.00 s']);
    expect(steps({ state: 'waiting' }, 3)).toEqual(['Due: waits to be claimed (busy): 3.00 s']);
  });

  test('places steps on the whole axis, with a visible width', () => {
    const calls = [call(1, 1, 1, 503), call(2, 1_000, 1, 200)];
    const placed = placeSteps(timelineOf({ time: at(0), next: undefined, state: 'finished', calls }, at(2_000)));
    expect(placed.every(({ start, width }) => start >= 0 && width >= 1 && start + width <= 100.001)).toBe(true);
  });
});
