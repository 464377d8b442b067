/** A card with a figure that leads to a page: name, value, details, and a chart of the last hour. */
import { Anchor, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Failure } from '../../api/failure.ts';
import { linkTo } from '../../router/location.ts';
import { sentence } from '../../ui/format.ts';
import classes from './metric-card.module.css';

export interface Metric {
  readonly value: string;
  readonly tone: 'good' | 'notice' | 'bad' | 'plain';
  readonly text?: ReactNode;
  readonly chart?: ReactNode;
}

interface MetricCardProps {
  readonly title: string;
  /** The page with the details, or the id of a part of this page. */
  readonly to: string;
  readonly failure: Failure | undefined;
  /** Undefined until loaded. */
  readonly metric: Metric | undefined;
}

export function MetricCard({ title, to, failure, metric }: MetricCardProps) {
  return (
    <section className={classes.card} aria-label={title}>
      <Anchor
        {...(to.startsWith('#') ? { href: to } : linkTo(to))}
        size="sm"
        c="dimmed"
        className={classes.title ?? ''}
      >
        {title}
      </Anchor>
      {failure !== undefined ? (
        <>
          <Value tone="bad" value="Not known" />
          <Text size="sm" c="dimmed">
            {sentence(failure.message)}
          </Text>
        </>
      ) : metric === undefined ? (
        <Skeleton h={20} w="60%" mt={10} />
      ) : (
        <>
          <Value tone={metric.tone} value={metric.value} />
          <Text size="sm" c="dimmed" component="div">
            {metric.text}
          </Text>
          {metric.chart}
        </>
      )}
    </section>
  );
}

/** The color of the dot repeats what the value says. */
function Value({ tone, value }: Pick<Metric, 'tone' | 'value'>) {
  return (
    <div className={classes.value}>
      <span className={`${classes.dot} ${classes[tone]}`} aria-hidden="true" />
      {value}
    </div>
  );
}
