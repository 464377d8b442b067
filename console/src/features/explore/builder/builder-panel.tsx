/** The tree of the operation: fields and arguments are added and removed by clicking, and follow the text. */

import { Group, Text, TextInput } from '@mantine/core';
import { type DocumentNode, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { Edit } from '../../../shared/graphql/text-edits.ts';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { VirtualList } from '../virtual-list.tsx';
import classes from './builder.module.css';
import type { Row } from './row.ts';
import { RowView } from './row-view.tsx';
import { addOperation, documentIn, treeRows } from './rows.ts';

interface BuilderPanelProps {
  /** Undefined while it is read. */
  readonly schema: GraphQLSchema | undefined;
  readonly text: string;
  readonly caret: number;
  readonly onEdit: (edits: readonly Edit[]) => void;
  /** Receives a value that became a variable, after its edits. */
  readonly onVariable: (name: string, value: unknown) => void;
  /** Opens the documentation of a type. */
  readonly onDocs: (type: string) => void;
}

interface Valid {
  readonly text: string;
  readonly document: DocumentNode;
}

export function BuilderPanel({ schema, text, caret, onEdit, onVariable, onDocs }: BuilderPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({});
  const [sought, setSought] = useState('');
  const current = useDeferredValue(text);
  const parsed = useMemo(() => documentIn(current), [current]);
  const last = useRef<Valid>({ text: '', document: { kind: Kind.DOCUMENT, definitions: [] } });
  if (typeof parsed !== 'string') last.current = { text: current, document: parsed };
  const valid = last.current;
  const rows = useMemo(
    () =>
      schema === undefined
        ? []
        : treeRows(
            {
              text: valid.text,
              schema,
              isExpanded: (id, byDefault) => chosen[id] ?? byDefault,
              sought: sought.trim().toLowerCase(),
            },
            valid.document,
            caret,
          ),
    [schema, valid, chosen, sought, caret],
  );
  if (schema === undefined) return <Loading />;
  // Edits have positions in the text that the tree was made from.
  const isReady = typeof parsed !== 'string' && current === text;
  const expand = (row: Row): void => setChosen((before) => ({ ...before, [row.id]: !row.isExpanded }));
  const onKey = (event: KeyboardEvent, row: Row, index: number): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) focusRow(panel.current, index + step);
    else if (row.isExpandable && event.key === (row.isExpanded ? 'ArrowLeft' : 'ArrowRight')) expand(row);
    else return;
    event.preventDefault();
  };
  const kinds = Object.values(OperationTypeNode).filter((kind) => schema.getRootType(kind) != null);
  return (
    <div className={classes.panel} ref={panel}>
      <TextInput
        size="xs"
        aria-label="Search the fields"
        placeholder="Search root fields"
        autoComplete="off"
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      {typeof parsed === 'string' && (
        <Text size="xs" c="var(--mantine-color-error)" role="status">
          {parsed}. The tree shows the operation before the error.
        </Text>
      )}
      <VirtualList
        label="Fields of the operation"
        items={rows}
        keyOf={({ id }) => id}
        height={26}
        render={(row, index) => (
          <RowView
            row={row}
            index={index}
            isReady={isReady}
            onExpand={() => expand(row)}
            onKey={(event) => onKey(event, row, index)}
            onEdit={onEdit}
            onExtract={({ edits, name, value }) => {
              onEdit(edits);
              onVariable(name, value);
            }}
            onDocs={onDocs}
          />
        )}
      />
      <Group gap="xs">
        {kinds.map((kind) => (
          <ReasonButton
            key={kind}
            size="compact-xs"
            variant="default"
            reason={isReady ? undefined : 'Correct the operation first.'}
            onClick={() => onEdit(addOperation(text, valid.document, kind))}
          >
            Add a {kind}
          </ReasonButton>
        ))}
      </Group>
    </div>
  );
}

function focusRow(panel: HTMLElement | null, index: number): void {
  panel?.querySelector<HTMLElement>(`input[type="checkbox"][data-index="${index}"]`)?.focus();
}
