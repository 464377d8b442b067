/** The status of an event. */
import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import { shownStatus } from '../../../shared/events/status.ts';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';

export function StatusBadge({ event }: { readonly event: Pick<ScheduledEvent, 'status' | 'tries'> }) {
  const { label, tone } = shownStatus(event);
  return <StatusDot tone={tone}>{label}</StatusDot>;
}
