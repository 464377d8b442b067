/** The steps of an event on an axis of time: waits, attempts and the next attempt. Pure. */
import { durationOf, millisecondsOf } from '../../ui/time/times.ts';
import { type LoggedCall, readResponse } from './response.ts';

export interface TimelineStep {
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly kind: 'wait' | 'claimed' | 'good' | 'bad' | 'busy' | 'next';
  /** Duration and result. */
  readonly text: string;
}

export interface TimelineEvent {
  /** Milliseconds since 1970: the scheduled time, or the time of the change. */
  readonly time: number;
  /** Of the next attempt. Undefined where none is planned. */
  readonly next: number | undefined;
  /** `locked`: claimed by a node. */
  readonly state: 'waiting' | 'locked' | 'finished';
  /** In any order. */
  readonly calls: readonly LoggedCall[];
}

/** Returns the steps in order of time. The start of a call is the time of its log entry less its duration. */
export function timelineOf({ time, next, state, calls }: TimelineEvent, now: number): readonly TimelineStep[] {
  const steps: TimelineStep[] = [];
  let end = time;
  for (const call of calls.toSorted((one, other) => one.created_at.localeCompare(other.created_at))) {
    const to = Date.parse(call.created_at);
    const from = to - call.duration_ms;
    const { ok, summary } = readResponse(call);
    // An event may be claimed before its time, and stay claimed until a retry.
    const claimed = call.waited_ms === undefined ? from : Math.max(end, from - call.waited_ms);
    const wait = steps.length === 0 ? 'Wait for the first attempt' : 'Wait';
    if (claimed - end >= 1) steps.push(waitOf(wait, end, claimed));
    if (from - claimed >= 1) {
      const text = durationText(from - claimed);
      steps.push({ label: 'Claimed by a node', from: claimed, to: from, kind: 'claimed', text });
    }
    steps.push({
      label: `Attempt ${call.attempt}`,
      from,
      to,
      kind: ok ? 'good' : 'bad',
      text: `${summary} · ${millisecondsOf(call.duration_ms)}`,
    });
    end = Math.max(end, to);
  }
  if (state === 'finished') return steps;
  const isFirst = steps.length === 0;
  const planned = next ?? (isFirst ? time : undefined);
  if (planned !== undefined && planned > now) {
    const begin = isFirst ? Math.min(now, time) : end;
    steps.push({ label: 'Wait', from: begin, to: planned, kind: 'next', text: `${durationText(planned - now)} left` });
    return steps;
  }
  const since = planned ?? end;
  const label = state === 'locked' ? 'Claimed: the call is made' : 'Due: waits to be claimed';
  steps.push({
    label,
    from: since,
    to: Math.max(since, now),
    kind: 'busy',
    text: durationText(Math.max(0, now - since)),
  });
  return steps;
}

function waitOf(label: string, from: number, to: number): TimelineStep {
  return { label, from, to, kind: 'wait', text: durationText(to - from) };
}

/** Formats `12 ms`, `1.25 s`, `3 minutes 5 seconds`. */
function durationText(ms: number): string {
  return ms < 60_000 ? millisecondsOf(Math.round(ms)) : durationOf(ms / 1_000);
}

export interface PlacedStep extends TimelineStep {
  /** Percent of the axis. */
  readonly start: number;
  readonly width: number;
}

/** The least width of a step, in percent, so that a call of a millisecond is visible beside a wait of a day. */
const LEAST_WIDTH = 1;

/** Places the steps on the axis from the first to the last. */
export function placeSteps(steps: readonly TimelineStep[]): readonly PlacedStep[] {
  const begin = Math.min(...steps.map(({ from }) => from));
  const length = Math.max(1, Math.max(...steps.map(({ to }) => to)) - begin);
  return steps.map((step) => {
    const width = Math.max(LEAST_WIDTH, (100 * (step.to - step.from)) / length);
    return { ...step, width, start: Math.min((100 * (step.from - begin)) / length, 100 - width) };
  });
}
