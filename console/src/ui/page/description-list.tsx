/** A description list of names and values. */
import { Fragment, type ReactNode } from 'react';
import classes from './description-list.module.css';

interface DescriptionListProps {
  /** Entries with an undefined value are omitted. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

export function DescriptionList({ facts }: DescriptionListProps) {
  return (
    <dl className={classes.list}>
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
