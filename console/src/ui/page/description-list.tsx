/** Names and values under each other. */
import { Fragment, type ReactNode } from 'react';
import classes from './description-list.module.css';

interface FactsProps {
  /** Facts whose value is undefined are left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

export function Facts({ facts }: FactsProps) {
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
