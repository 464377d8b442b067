/** The state of an event as a word with a light. */
import type { ScheduledEvent } from './event-api.ts';
import { shownStatus } from './status.ts';
import classes from './status-badge.module.css';

export function StatusBadge({ event }: { readonly event: Pick<ScheduledEvent, 'status' | 'tries'> }) {
  const { label, tone } = shownStatus(event);
  return <Light tone={tone}>{label}</Light>;
}

interface LightProps {
  readonly tone: 'waiting' | 'busy' | 'good' | 'bad';
  readonly children: string;
}

export function Light({ tone, children }: LightProps) {
  return (
    <span className={classes.badge}>
      <span className={`${classes.light} ${classes[tone]}`} aria-hidden="true" />
      {children}
    </span>
  );
}
