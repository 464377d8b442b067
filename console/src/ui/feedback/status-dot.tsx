/** A status text with a colored dot. */
import classes from './status-dot.module.css';

export interface StatusDotProps {
  readonly tone: 'waiting' | 'busy' | 'good' | 'bad';
  readonly children: string;
}

export function StatusDot({ tone, children }: StatusDotProps) {
  return (
    <span className={classes.badge}>
      <span className={`${classes.light} ${classes[tone]}`} aria-hidden="true" />
      {children}
    </span>
  );
}
