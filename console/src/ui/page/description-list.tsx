/** Names and values under each other. */
import { Fragment, type ReactNode } from 'react';
import classes from './description-list.module.css';

interface DescriptionListProps {
  /** Facts whose value is undefined are left out. */
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
