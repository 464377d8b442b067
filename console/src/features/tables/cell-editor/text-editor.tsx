/** Edits text, numbers, times and other types that are written as text. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { Button, Group, TextInput } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { AfterEdit } from '../grid/grid-keys.ts';
import { familyOf } from '../row-model/column-family.ts';
import { fromPicker, pickerOf, toPicker } from '../row-model/picked-time.ts';
import classes from './cell-editor.module.css';
import { EditorPanel } from './editor-panel.tsx';
import type { EditorProps } from './editor-props.ts';

export function TextEditor(props: EditorProps) {
  const { column, draft, typed, onCommit, onCancel } = props;
  const [text, setText] = useState(typed ?? (draft.mode === 'value' ? draft.text : ''));
  // Leaving the cell unchanged does not replace null or the default by an empty text.
  const [isTouched, setTouched] = useState(typed !== undefined);
  const isDone = useRef(false);
  const isLong = familyOf(column) === 'text' || familyOf(column) === 'other';
  const change = (next: string): void => {
    setText(next);
    setTouched(true);
  };
  const commit = (after: AfterEdit): void => {
    if (isDone.current) return;
    isDone.current = true;
    onCommit(isTouched ? { [column.name]: { mode: 'value', text } } : {}, after);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const after = afterKey(event, text.includes('\n'));
    if (event.key === 'Escape') {
      event.preventDefault();
      isDone.current = true;
      onCancel();
    } else if (after !== undefined) {
      event.preventDefault();
      commit(after);
    }
  };
  return (
    <EditorPanel
      column={column}
      onCommit={(drafts, after) => {
        isDone.current = true;
        onCommit(drafts, after);
      }}
      keys={isLong ? 'Enter applies, Shift+Enter: new line' : 'Enter applies, Esc reverts'}
      panel={familyOf(column) === 'time' && <TimePicker column={column} text={text} onPick={change} />}
      onLeave={() => commit('leave')}
    >
      <textarea
        className={classes.input}
        aria-label={column.name}
        rows={1}
        value={text}
        spellCheck={false}
        autoComplete="off"
        inputMode={familyOf(column) === 'integer' || familyOf(column) === 'number' ? 'decimal' : 'text'}
        placeholder={
          draft.mode === 'null' ? 'null' : draft.mode === 'default' ? (column.default ?? 'default') : 'empty'
        }
        onFocus={({ currentTarget }) => {
          if (typed === undefined) currentTarget.select();
          else currentTarget.setSelectionRange(text.length, text.length);
        }}
        onChange={(event) => change(isLong ? event.currentTarget.value : event.currentTarget.value.replace(/\n/g, ''))}
        onKeyDown={onKeyDown}
      />
    </EditorPanel>
  );
}

/** Returns where a key moves to after the edit. In several lines, the arrows move the caret. */
function afterKey({ key, shiftKey }: KeyboardEvent, isMultiline: boolean): AfterEdit | undefined {
  switch (key) {
    case 'Enter':
      return shiftKey ? undefined : 'down';
    case 'Tab':
      return shiftKey ? 'previous' : 'next';
    case 'ArrowDown':
      return isMultiline ? undefined : 'down';
    case 'ArrowUp':
      return isMultiline ? undefined : 'up';
    default:
      return undefined;
  }
}

interface TimePickerProps {
  readonly column: ColumnInfo;
  readonly text: string;
  readonly onPick: (text: string) => void;
}

/** The picker of the browser. Times with a time zone are shown in that of the browser. */
function TimePicker({ column, text, onPick }: TimePickerProps) {
  const type = column.base_type ?? column.type;
  const picker = pickerOf(type);
  return (
    <Group gap={6} align="flex-end" wrap="nowrap">
      <TextInput
        size="xs"
        flex={1}
        type={picker}
        step={picker === 'date' ? undefined : 1}
        label={type === 'timestamptz' ? 'Local time' : picker === 'date' ? 'Date' : 'Time'}
        value={toPicker(text, type)}
        onChange={(event) => {
          if (event.currentTarget.value !== '') onPick(fromPicker(event.currentTarget.value, type));
        }}
      />
      <Button
        size="xs"
        variant="default"
        onClick={() => onPick(fromPicker(toPicker(new Date().toISOString(), 'timestamptz'), type))}
      >
        Now
      </Button>
    </Group>
  );
}
