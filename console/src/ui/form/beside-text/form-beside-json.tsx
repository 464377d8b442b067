/** A form beside the JSON that it writes. Both can be edited. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Editor } from '../../editor/editor.tsx';
import { FormBesideText } from './form-beside-text.tsx';

interface FormBesideJsonProps {
  /** Label of the editor. */
  readonly label: string;
  readonly text: string;
  /** Why the form cannot show the text, which it replaces then. */
  readonly reason: string | undefined;
  /** Error of the text. */
  readonly error?: ReactNode;
  /** Inputs above the form, which are no part of the JSON. */
  readonly above?: ReactNode;
  /** A control above the editor, such as a choice of notations. */
  readonly others?: ReactNode;
  /** The editor of another notation, in place of JSON. */
  readonly replaced?: ReactNode;
  readonly onText: (text: string) => void;
  /** The form. */
  readonly children: ReactNode;
}

export function FormBesideJson(props: FormBesideJsonProps) {
  const { label, text, reason, error, above, others, replaced, onText, children } = props;
  const editor = (
    <>
      {others}
      {replaced || <Editor label={label} text={text} onChange={onText} height="auto" language="json" />}
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </>
  );
  return (
    <FormBesideText above={above} reason={reason} editor={editor}>
      {children}
    </FormBesideText>
  );
}
