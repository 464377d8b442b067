/** The tree of all tables beside the pages of the data: search, schemas, links. */
import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { linkTo, navigate } from '../../router/location.ts';
import { matchPath } from '../../router/path-pattern.ts';
import { isTableTab, sourcePath, type TableTab, tableKey, tablePath } from '../../shared/sources/table-paths.ts';
import { TextField } from '../../ui/form/text-field.tsx';
import { counted } from '../../ui/format.ts';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import { useShortcuts } from '../../ui/shortcuts/use-shortcuts.ts';
import { parentIndex, type TreeRow, treeRows } from './table-tree.ts';
import classes from './tree.module.css';
import { TreeLine } from './tree-line.tsx';
import { useTreeSources } from './use-tree-sources.ts';

const ROW_HEIGHT = 28;

interface TableTreePanelProps {
  readonly path: string;
  /** Called when a table is opened, to close the navigation on narrow screens. */
  readonly onMove: () => void;
  readonly onClose: () => void;
}

export function TableTreePanel({ path, onMove, onClose }: TableTreePanelProps) {
  const { sources, error } = useTreeSources();
  const [text, setText] = useState('');
  const [closed, setClosed] = useLocalStorage<readonly string[]>({
    key: 'joinery:closed-schemas',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const search = useRef<HTMLInputElement>(null);
  const rows = useMemo(() => treeRows(sources ?? [], { text, closed: new Set(closed) }), [sources, text, closed]);
  const toggle = (key: string): void =>
    setClosed((keys) => (keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key]));
  const tables = sources?.reduce((count, one) => count + one.tables.length, 0) ?? 0;
  const current = currentTable(path);
  const newTable = sources?.length === 1 ? sources[0]?.name : current?.source;
  useShortcuts('Tables', [
    { keys: '/', label: 'Search the list of tables', run: () => search.current?.focus() },
    { keys: 'ArrowDown', label: 'In the list: next table' },
    { keys: 'ArrowRight', label: 'In the list: open a schema' },
  ]);
  return (
    <section className={classes.panel} aria-label="List of tables">
      <Group justify="space-between" gap={4} wrap="nowrap">
        <Text size="xs" fw={600} c="dimmed" ps={6}>
          {sources === undefined ? 'Tables' : counted(tables, 'table')}
        </Text>
        <Group gap={0} wrap="nowrap">
          {newTable !== undefined && (
            <Tooltip label="Create a table">
              <ActionIcon
                component="a"
                size="sm"
                variant="subtle"
                color="gray"
                aria-label="Create a table in the list"
                {...linkTo(`${sourcePath(newTable)}/new-table`)}
              >
                <PlusIcon size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          <Tooltip label="Hide the list of tables">
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label="Hide the list of tables"
              onClick={onClose}
              visibleFrom="sm"
            >
              <CrossIcon size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      <TextField
        ref={search}
        size="xs"
        aria-label="Search the list of tables"
        placeholder="Search"
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          const first = rows.find((row) => row.kind === 'table');
          if (event.key === 'Enter' && first !== undefined) {
            navigate(tablePath(first.source, first.table, current?.tab));
            onMove();
          }
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            event.currentTarget
              .closest('section')
              ?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')
              ?.focus();
          }
          if (event.key === 'Escape') setText('');
        }}
      />
      {error !== null && (
        <Text size="xs" c="var(--mantine-color-error)" px={6}>
          The tables could not be read.
        </Text>
      )}
      {sources !== undefined && rows.length === 0 && (
        <Text size="xs" c="dimmed" px={6}>
          {text === '' ? 'There are no tables.' : 'No table matches.'}
        </Text>
      )}
      <Rows rows={rows} current={current} onToggle={toggle} onMove={onMove} />
    </section>
  );
}

interface CurrentTable {
  readonly source: string;
  readonly key: string;
  readonly tab: TableTab | undefined;
}

/** The table of the page, so that it is marked and another one opens on the same tab. */
function currentTable(path: string): CurrentTable | undefined {
  const params = matchPath('/data/:source/:schema/:table/:tab', path);
  if (params === undefined) return undefined;
  const { source = '', schema = '', table: name = '', tab } = params;
  return { source, key: `${source} ${tableKey({ schema, name })}`, tab: isTableTab(tab) ? tab : undefined };
}

interface RowsProps {
  readonly rows: readonly TreeRow[];
  readonly current: CurrentTable | undefined;
  readonly onToggle: (key: string) => void;
  readonly onMove: () => void;
}

function Rows({ rows, current, onToggle, onMove }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string>();
  const focusIndex = Math.max(
    0,
    rows.findIndex(({ key }) => key === (focused ?? current?.key)),
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    getItemKey: (index) => rows[index]?.key ?? index,
    // The row that has the focus is rendered wherever the list is scrolled to.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), focusIndex])].sort((a, b) => a - b),
  });
  const currentIndex = rows.findIndex(({ key }) => key === current?.key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another table is opened, not when groups open
  useEffect(() => {
    if (currentIndex >= 0) virtual.scrollToIndex(currentIndex);
  }, [current?.key, rows.length > 0]);
  const focus = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    // Rendered and focused before the next key event, so that the next key applies to this row.
    flushSync(() => setFocused(row.key));
    frame.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true });
    virtual.scrollToIndex(index);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number): void => {
    const next = targetOf(event.key, rows, index);
    if (next === undefined) return;
    event.preventDefault();
    if (next === 'toggle') onToggle(rows[index]?.key ?? '');
    else focus(next);
  };
  return (
    <div ref={frame} className={classes.rows} role="tree" aria-label="Tables" tabIndex={-1}>
      <div className={classes.all} style={{ height: virtual.getTotalSize() }} role="none">
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <TreeLine
              key={key}
              row={row}
              index={index}
              top={start}
              to={row.kind === 'table' ? tablePath(row.source, row.table, current?.tab) : undefined}
              isCurrent={row.key === current?.key}
              isFocusable={index === focusIndex}
              onToggle={() => onToggle(row.key)}
              onMove={onMove}
              onKeyDown={(event) => onKeyDown(event, index)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The row that a key moves to, or `toggle` for the group itself. Undefined for other keys. */
function targetOf(key: string, rows: readonly TreeRow[], index: number): number | 'toggle' | undefined {
  const row = rows[index];
  switch (key) {
    case 'ArrowDown':
      return Math.min(index + 1, rows.length - 1);
    case 'ArrowUp':
      return Math.max(index - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    case 'ArrowRight':
      if (row?.kind !== 'group') return undefined;
      return row.isOpen ? index + 1 : 'toggle';
    case 'ArrowLeft':
      return row?.kind === 'group' && row.isOpen ? 'toggle' : parentIndex(rows, index);
    default:
      return undefined;
  }
}
