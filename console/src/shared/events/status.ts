/** Texts about the state of an event. Pure. */
import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import type { EventOfSearch } from '@joinery/metadata/api/events/search';
import { counted } from '../../ui/format.ts';
import { durationOf, relative } from '../../ui/time/times.ts';

export interface ShownStatus {
  readonly label: string;
  readonly tone: 'waiting' | 'busy' | 'good' | 'bad';
}

export function shownStatus({ status, tries }: Pick<EventOfSearch, 'status' | 'tries'>): ShownStatus {
  switch (status) {
    case 'scheduled':
      return tries === 0 ? { label: 'Scheduled', tone: 'waiting' } : { label: 'Retrying', tone: 'waiting' };
    case 'locked':
      return { label: 'In flight', tone: 'busy' };
    case 'delivered':
      return { label: 'Delivered', tone: 'good' };
    case 'error':
      return { label: 'Failed', tone: 'bad' };
    case 'dead':
      return { label: 'Dead', tone: 'bad' };
    case 'cancelled':
      return { label: 'Canceled', tone: 'waiting' };
    case 'superseded':
      return { label: 'Superseded', tone: 'waiting' };
    default:
      return { label: status satisfies never, tone: 'bad' };
  }
}

/** Explains the state of an event. `now` in milliseconds since 1970. */
export function explainStatus(event: ScheduledEvent, now: number): string {
  const { status, tries, retry_conf, next_retry_at } = event;
  switch (status) {
    case 'scheduled':
      if (tries === 0) return `Waits for its time, ${relative(Date.parse(event.scheduled_time), now)}.`;
      return `${counted(tries, 'attempt')} failed; the next starts ${relative(Date.parse(next_retry_at ?? event.scheduled_time), now)}.`;
    case 'locked':
      return 'Due: the request is in flight, or starts when the destination has capacity.';
    case 'delivered':
      return tries === 1 ? 'Delivered by the first attempt.' : `Delivered by attempt ${tries}.`;
    case 'error':
      return `Given up after ${counted(tries, 'attempt')}: none was successful. The log has the responses.`;
    case 'dead':
      return `Given up because it was more than ${durationOf(retry_conf.tolerance_seconds)} late, which its tolerance does not allow.`;
    case 'cancelled':
      return 'Canceled before it was called again, or at all.';
    default:
      return status satisfies never;
  }
}

/** Describes the retry configuration. */
export function explainRetries({ retry_conf }: Pick<ScheduledEvent, 'retry_conf'>): string {
  const { num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds } = retry_conf;
  const retries =
    num_retries === 0
      ? 'No retries'
      : `Up to ${num_retries === 1 ? '1 retry' : `${num_retries} retries, each`} ${durationOf(retry_interval_seconds)} after a failure`;
  return `${retries}; a call may take ${durationOf(timeout_seconds)}; not called once more than ${durationOf(tolerance_seconds)} late.`;
}
