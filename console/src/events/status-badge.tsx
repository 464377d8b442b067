/** The state of an event as a word with a light. */
import { Light } from '../show/light.tsx';
import type { ScheduledEvent } from './event-api.ts';
import { shownStatus } from './status.ts';

export function StatusBadge({ event }: { readonly event: Pick<ScheduledEvent, 'status' | 'tries'> }) {
  const { label, tone } = shownStatus(event);
  return <Light tone={tone}>{label}</Light>;
}
