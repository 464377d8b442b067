/** Edits a cell by a list: booleans, enums and the rows that a foreign key can reference. */
import { Loader, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { AfterEdit } from '../grid/grid-keys.ts';
import type { Drafts } from '../row-model/row-values.ts';
import classes from './cell-editor.module.css';
import { EditorPanel } from './editor-panel.tsx';
import type { EditorProps } from './editor-props.ts';

export interface ChoiceOption {
  readonly key: string;
  readonly label: string;
  /** Further text, such as the name of a referenced row. */
  readonly about?: string;
  readonly drafts: Drafts;
}

interface ChoiceEditorProps extends EditorProps {
  readonly options: readonly ChoiceOption[];
  /** Receives the search. Without it, the options are filtered here. */
  readonly onSearch?: (text: string) => void;
  readonly isLoading?: boolean;
  /** Why there are no options. */
  readonly notice?: ReactNode;
  /** Whether text without a matching option is a value. */
  readonly isFree?: boolean;
}

export function ChoiceEditor(props: ChoiceEditorProps) {
  const {
    column,
    draft,
    typed,
    options,
    onSearch,
    isLoading = false,
    notice,
    isFree = false,
    onCommit,
    onCancel,
  } = props;
  const current = draft.mode === 'value' ? draft.text : '';
  const [search, setSearch] = useState(typed ?? '');
  const matching =
    onSearch === undefined
      ? options.filter(({ label }) => label.toLowerCase().includes(search.trim().toLowerCase()))
      : options;
  const [marked, setMarked] = useState<string>();
  // A search marks its first result, no search the present value.
  const preferred = marked ?? (search === '' ? current : undefined);
  const at = Math.max(
    0,
    matching.findIndex(({ key }) => key === preferred),
  );
  const isDone = useRef(false);
  const id = useId();
  const commit = (drafts: Drafts, after: AfterEdit): void => {
    if (isDone.current) return;
    isDone.current = true;
    onCommit(drafts, after);
  };
  const pick = (after: AfterEdit): void => {
    // The options are those of an earlier search.
    if (isLoading) return;
    const option = matching[at];
    if (option !== undefined && (search !== '' || marked !== undefined)) commit(option.drafts, after);
    else if (isFree && search !== '') commit({ [column.name]: { mode: 'value', text: search } }, after);
    else commit({}, after);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setMarked(matching[Math.min(Math.max(0, at + step), matching.length - 1)]?.key);
    else if (event.key === 'Enter') pick('down');
    else if (event.key === 'Tab') pick(event.shiftKey ? 'previous' : 'next');
    else if (event.key === 'Escape') {
      isDone.current = true;
      onCancel();
    } else return;
    event.preventDefault();
  };
  const panel = (
    <div>
      {notice !== undefined && (
        <Text size="xs" c="dimmed">
          {notice}
        </Text>
      )}
      <div role="listbox" id={`${id}-list`} aria-label={`Values of ${column.name}`} className={classes.options}>
        {matching.map((option, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={option.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className={classes.option}
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: 'nearest' });
            }}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => commit(option.drafts, 'stay')}
          >
            <span>{option.label === '' ? 'empty' : option.label}</span>
            {option.about !== undefined && <span className={classes.about}>{option.about}</span>}
          </div>
        ))}
      </div>
      {isLoading && <Loader size="xs" aria-label="Searching" />}
      {!isLoading && matching.length === 0 && notice === undefined && (
        <Text size="xs" c="dimmed">
          No value matches.
        </Text>
      )}
    </div>
  );
  return (
    <EditorPanel
      column={column}
      onCommit={commit}
      keys="Enter applies, Esc reverts"
      panel={panel}
      onLeave={() => commit({}, 'leave')}
    >
      <input
        className={classes.input}
        role="combobox"
        aria-label={column.name}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={matching.length === 0 ? undefined : `${id}-${at}`}
        value={search}
        placeholder={draft.mode === 'value' ? current : draft.mode}
        autoComplete="off"
        spellCheck={false}
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(search.length, search.length)}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setMarked(undefined);
          onSearch?.(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
    </EditorPanel>
  );
}
