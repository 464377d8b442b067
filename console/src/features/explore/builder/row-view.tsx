/** A row of the tree: checkbox, name, type, value and actions. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import type { Edit } from '../../../shared/graphql/text-edits.ts';
import { ChevronIcon, CopyIcon, PlusIcon } from '../../../ui/page/icons.tsx';
import classes from './builder.module.css';
import type { Extracted, Row, ValueField } from './row.ts';

interface RowViewProps {
  readonly row: Row;
  readonly index: number;
  /** False while the text has a syntax error. */
  readonly isReady: boolean;
  readonly onExpand: () => void;
  /** Receives the keys that are pressed at the checkbox. */
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onEdit: (edits: readonly Edit[]) => void;
  readonly onExtract: (extracted: Extracted) => void;
  readonly onDocs: (type: string) => void;
}

/** Rows below this depth are not indented further. */
const MAX_INDENT = 12;

export function RowView({ row, index, isReady, onExpand, onKey, onEdit, onExtract, onDocs }: RowViewProps) {
  const { toggle, addItem, duplicate, extract, value } = row;
  const name = row.label === '' ? row.id : row.label;
  return (
    <div
      className={classes.row}
      style={{ paddingInlineStart: `${Math.min(row.depth, MAX_INDENT) * 0.875}rem` }}
      data-kind={row.kind}
      data-checked={row.isChecked}
    >
      {row.isExpandable ? (
        <button
          type="button"
          className={classes.expand}
          aria-expanded={row.isExpanded}
          aria-label={`${row.isExpanded ? 'Collapse' : 'Expand'} ${name}`}
          onClick={onExpand}
        >
          <ChevronIcon size={14} />
        </button>
      ) : (
        <span className={classes.gap} />
      )}
      {toggle === undefined ? (
        <span className={classes.root}>{name}</span>
      ) : (
        <label className={classes.label}>
          <input
            type="checkbox"
            data-index={index}
            checked={row.isChecked}
            disabled={!isReady}
            onChange={() => onEdit(toggle())}
            onKeyDown={onKey}
          />
          <span className={classes.name} title={row.about}>
            {name}
            {row.isRequired && '*'}
          </span>
        </label>
      )}
      {!row.isKnown && <span className={classes.unknown}>not in the schema</span>}
      {value !== undefined && <ValueInput label={`Value of ${name}`} field={value} isReady={isReady} onEdit={onEdit} />}
      {row.type !== '' && (
        <button
          type="button"
          className={classes.type}
          title={row.type}
          onClick={() => onDocs(row.type.replace(/[[\]!]/g, ''))}
        >
          {row.type}
        </button>
      )}
      {extract !== undefined && (
        <RowAction label={`Move ${name} to a variable`} isReady={isReady} onClick={() => onExtract(extract())}>
          <span className={classes.dollar}>$</span>
        </RowAction>
      )}
      {addItem !== undefined && (
        <RowAction label={`Add an item to ${name}`} isReady={isReady} onClick={() => onEdit(addItem())}>
          <PlusIcon size={14} />
        </RowAction>
      )}
      {duplicate !== undefined && (
        <RowAction label={`Add ${name} again with an alias`} isReady={isReady} onClick={() => onEdit(duplicate())}>
          <CopyIcon size={14} />
        </RowAction>
      )}
    </div>
  );
}

interface RowActionProps {
  readonly label: string;
  readonly isReady: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function RowAction({ label, isReady, onClick, children }: RowActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={18} variant="subtle" color="gray" aria-label={label} disabled={!isReady} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

interface ValueInputProps {
  readonly label: string;
  readonly field: ValueField;
  readonly isReady: boolean;
  readonly onEdit: (edits: readonly Edit[]) => void;
}

function ValueInput({ label, field, isReady, onEdit }: ValueInputProps) {
  const [typed, setTyped] = useState(field.text);
  useEffect(() => setTyped(field.text), [field.text]);
  if (field.kind === 'choice') {
    return (
      <select
        className={classes.value}
        aria-label={label}
        value={field.text}
        disabled={!isReady}
        onChange={(event) => onEdit(field.change(event.currentTarget.value))}
      >
        {!field.options.includes(field.text) && <option>{field.text}</option>}
        {field.options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  const write = (): void => {
    if (typed !== field.text) onEdit(field.change(typed));
  };
  return (
    <input
      className={classes.value}
      aria-label={label}
      value={typed}
      disabled={!isReady}
      spellCheck={false}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={write}
      onKeyDown={(event) => {
        if (event.key === 'Enter') write();
        if (event.key === 'Escape') setTyped(field.text);
      }}
    />
  );
}
