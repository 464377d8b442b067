/** Why a form was not saved. On a conflict, offers to overwrite without losing input. */
import { Button, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Failure } from '../../api/failure.ts';
import { FailureNotice } from '../feedback/failure-notice.tsx';
import classes from './form.module.css';

interface SaveFailureProps {
  /** What failed, such as `The source was not added`. */
  readonly title: string;
  readonly failure: Failure;
  /** Saves in spite of a conflict. Undefined when there is none. */
  readonly onSaveOver?: (() => void) | undefined;
}

export function SaveFailure({ title, failure, onSaveOver }: SaveFailureProps) {
  const place = useRef<HTMLDivElement>(null);
  // Scrolls the error into view in a long form.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure is shown anew, even where it reads the same.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [failure]);
  return (
    <div ref={place} className={classes.failure}>
      <FailureNotice title={title} failure={failure}>
        {failure.code === 'conflict' && <AfterConflict onSaveOver={onSaveOver} />}
      </FailureNotice>
    </div>
  );
}

function AfterConflict({ onSaveOver }: Pick<SaveFailureProps, 'onSaveOver'>) {
  if (onSaveOver === undefined) {
    return (
      <Text size="sm">
        What this form changes is as it was when you opened it. What you typed is kept: save it again.
      </Text>
    );
  }
  return (
    <>
      <Text size="sm">
        Another user has changed the same object. What you typed is kept: save it over their change, or go back and open
        the form again to see what they made of it.
      </Text>
      <Button size="xs" variant="default" onClick={onSaveOver}>
        Save over their change
      </Button>
    </>
  );
}
