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
    return <Text size="sm">The values that this form edits have not changed. Your input is kept. Save again.</Text>;
  }
  return (
    <>
      <Text size="sm">
        Another user changed the same object. Your input is kept. Overwrite their change, or open the form again to see
        it.
      </Text>
      <Button size="xs" variant="default" onClick={onSaveOver}>
        Overwrite their change
      </Button>
    </>
  );
}
