/** The steps of an event as bars on an axis of time. */
import { localText } from '../../ui/time/times.ts';
import { useNow } from '../../ui/time/use-now.ts';
import classes from './timeline.module.css';
import { placeSteps, type TimelineEvent, timelineOf } from './timeline.ts';

export function Timeline({ event }: { readonly event: TimelineEvent }) {
  const now = useNow();
  const steps = placeSteps(timelineOf(event, now));
  if (steps.length === 0) return null;
  return (
    <div>
      <ol className={classes.steps} aria-label="Timeline">
        {steps.map((step) => (
          <li key={`${step.label} ${step.from}`} className={classes.step}>
            <span className={classes.label}>{step.label}</span>
            <span
              className={classes.track}
              title={`${localText(step.from)} to ${localText(step.to)}`}
              aria-hidden="true"
            >
              <span
                className={`${classes.bar} ${classes[step.kind]}`}
                style={{ insetInlineStart: `${step.start}%`, width: `${step.width}%` }}
              />
            </span>
            <span className={classes.text}>{step.text}</span>
          </li>
        ))}
      </ol>
      <p className={classes.scheduled}>Scheduled for {localText(event.time)}</p>
      <div className={classes.axis} aria-hidden="true">
        <span>{localText(Math.min(...steps.map(({ from }) => from)))}</span>
        <span>{localText(Math.max(...steps.map(({ to }) => to)))}</span>
      </div>
    </div>
  );
}
