/** A card with a metric: name, value and details. */
import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Failure } from '../../api/failure.ts';
import { sentence } from '../../ui/format.ts';
import classes from './metric-card.module.css';

interface MetricCardProps {
  readonly title: string;
  readonly pending: boolean;
  readonly failure: Failure | undefined;
  /** False until loaded. */
  readonly children:
    | false
    | { readonly value: string; readonly tone: 'good' | 'bad' | 'plain'; readonly text?: ReactNode };
}

export function MetricCard({ title, pending, failure, children }: MetricCardProps) {
  return (
    <section className={classes.reading} aria-label={title}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      {failure !== undefined ? (
        <>
          <Value tone="bad" value="Not known" />
          <Text size="sm" c="dimmed">
            {sentence(failure.message)}
          </Text>
        </>
      ) : pending || children === false ? (
        <Skeleton h={20} w="60%" mt={10} />
      ) : (
        <>
          <Value {...children} />
          {children.text !== undefined && (
            <Text size="sm" c="dimmed" component="div">
              {children.text}
            </Text>
          )}
        </>
      )}
    </section>
  );
}

function Value({ tone, value }: { readonly tone: 'good' | 'bad' | 'plain'; readonly value: string }) {
  return (
    <div className={classes.value}>
      <span className={`${classes.dot} ${classes[tone]}`} aria-hidden="true" />
      {value}
    </div>
  );
}
