/** A text editor with a label. Its code is loaded when the first editor is shown. */
import { Skeleton, Text } from '@mantine/core';
import { onDemand } from '../page/on-demand.tsx';
import type { EditorProps } from './editor-props.ts';

const CodeEditor = onDemand(
  async () => (await import('./code-editor.tsx')).CodeEditor,
  ({ fill, height }: EditorProps) => (fill === true ? <Skeleton h="100%" radius={0} /> : <Skeleton h={height} />),
);

export function Editor(props: EditorProps) {
  if (props.fill === true) return <CodeEditor {...props} />;
  return (
    <div>
      <Text size="sm" fw="var(--mantine-font-weight-medium)" mb={4} aria-hidden="true">
        {props.label}
      </Text>
      <CodeEditor {...props} />
    </div>
  );
}
