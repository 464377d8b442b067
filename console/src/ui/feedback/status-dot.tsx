/** A state as a word with a light. */
import classes from './status-dot.module.css';

export interface LightProps {
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
