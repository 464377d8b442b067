/** One reading of the service: its name, its value with a light, a line about it. */
import { Button, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Failure, hintOf } from '../api/failure.ts';
import { sentence } from '../show/words.ts';
import classes from './reading.module.css';

interface ReadingProps {
  readonly title: string;
  readonly pending: boolean;
  readonly failure: Failure | undefined;
  readonly onRetry: () => void;
  /** False until it has been read once. */
  readonly children:
    | false
    | { readonly value: string; readonly tone: 'good' | 'bad' | 'plain'; readonly text?: ReactNode };
}

export function Reading({ title, pending, failure, onRetry, children }: ReadingProps) {
  return (
    <section className={classes.reading} aria-label={title}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      {failure !== undefined ? (
        <>
          <Value tone="bad" value="Not known" />
          <Text size="sm" mb="xs">
            {sentence(failure.message)} {hintOf(failure)}
          </Text>
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
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
