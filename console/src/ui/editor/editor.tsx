/** A text editor with a label. Its code is loaded when the first editor is shown. */
import { Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { EditorProps } from './editor-props.ts';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }));

export function Editor(props: EditorProps) {
  if (props.fill === true) {
    return (
      <Suspense fallback={<Skeleton h="100%" radius={0} />}>
        <CodeEditor {...props} />
      </Suspense>
    );
  }
  return (
    <div>
      <Text size="sm" fw="var(--mantine-font-weight-medium)" mb={4} aria-hidden="true">
        {props.label}
      </Text>
      <Suspense fallback={<Skeleton h={props.height} />}>
        <CodeEditor {...props} />
      </Suspense>
    </div>
  );
}
