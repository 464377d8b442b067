/** A form beside the text that it writes, such as SDL. Both can be edited. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './form-beside-text.module.css';

interface FormBesideTextProps {
  /** Inputs above the form, which are no part of the text. */
  readonly above?: ReactNode;
  /** Why the form cannot show the text, which it replaces then. */
  readonly reason: string | undefined;
  /** The editor of the text. */
  readonly editor: ReactNode;
  /** The form. */
  readonly children: ReactNode;
}

export function FormBesideText({ above, reason, editor, children }: FormBesideTextProps) {
  return (
    <div className={classes.beside}>
      <div className={classes.form}>
        {above}
        {reason === undefined ? (
          children
        ) : (
          <Text size="sm" c="dimmed" role="status">
            The form cannot show the text. {reason}
          </Text>
        )}
      </div>
      <div className={classes.text}>{editor}</div>
    </div>
  );
}
