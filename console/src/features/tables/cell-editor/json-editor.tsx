/** Edits JSON in a panel with a code editor. */
import { Button, Group, Text } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Editor } from '../../../ui/editor/editor.tsx';
import type { AfterEdit } from '../grid/grid-keys.ts';
import { parseValue } from '../row-model/row-values.ts';
import classes from './cell-editor.module.css';
import { EditorPanel } from './editor-panel.tsx';
import type { EditorProps } from './editor-props.ts';

export function JsonEditor({ column, draft, typed, onCommit, onCancel }: EditorProps) {
  const [text, setText] = useState(typed ?? (draft.mode === 'value' ? draft.text : ''));
  const isDone = useRef(false);
  const content = useRef<HTMLDivElement>(null);
  useFocusInside(content);
  const commit: EditorProps['onCommit'] = (drafts, after) => {
    if (isDone.current) return;
    isDone.current = true;
    onCommit(drafts, after);
  };
  const apply = (after: AfterEdit): void => commit({ [column.name]: { mode: 'value', text } }, after);
  const cancel = (): void => {
    isDone.current = true;
    onCancel();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    cancel();
  };
  const parsed = parseValue(text, column);
  const isUnchanged = draft.mode === 'value' ? text === draft.text : text === '';
  const panel = (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the panel from each control inside of it
    <div ref={content} onKeyDown={onKeyDown}>
      <Editor
        label={column.name}
        language="json"
        height="14rem"
        text={text}
        onChange={setText}
        onRun={() => apply('stay')}
      />
      {'problem' in parsed && text !== '' && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {parsed.problem}
        </Text>
      )}
      <Group gap={6} mt={6}>
        <Button size="compact-xs" onClick={() => apply('stay')}>
          Apply
        </Button>
        <Button size="compact-xs" variant="default" onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </div>
  );
  return (
    <EditorPanel
      column={column}
      onCommit={commit}
      keys="Ctrl+Enter applies, Esc reverts"
      panel={panel}
      width={460}
      onLeave={() => (isUnchanged ? commit({}, 'leave') : apply('leave'))}
    >
      <div className={classes.shown}>{text.replace(/\s+/g, ' ')}</div>
    </EditorPanel>
  );
}

/** Moves the focus to the code editor once it is loaded. */
function useFocusInside(place: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const focus = (): boolean => {
      const editor = place.current?.querySelector<HTMLElement>('.cm-content');
      editor?.focus();
      return editor !== null && editor !== undefined;
    };
    if (focus() || place.current === null) return;
    const observer = new MutationObserver(() => focus() && observer.disconnect());
    observer.observe(place.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [place]);
}
