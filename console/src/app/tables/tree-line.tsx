/** A row of the table tree: a link to a table, or a group that opens and closes. */
import type { KeyboardEvent } from 'react';
import { linkTo } from '../../router/location.ts';
import { ChevronIcon, TableIcon } from '../../ui/page/icons.tsx';
import type { TreeRow } from './table-tree.ts';
import classes from './tree.module.css';

interface TreeLineProps {
  readonly row: TreeRow;
  readonly index: number;
  /** In pixels. */
  readonly top: number;
  /** The page of a table. Undefined for a group. */
  readonly to: string | undefined;
  readonly isCurrent: boolean;
  /** Whether Tab moves the focus to the row. */
  readonly isFocusable: boolean;
  readonly onToggle: () => void;
  readonly onMove: () => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

export function TreeLine(props: TreeLineProps) {
  const { row, index, top, to, isCurrent, isFocusable, onToggle, onMove, onKeyDown } = props;
  const common = {
    role: 'treeitem',
    'aria-level': row.level,
    'aria-posinset': row.position,
    'aria-setsize': row.size,
    'aria-selected': isCurrent,
    'data-index': index,
    tabIndex: isFocusable ? 0 : -1,
    style: { transform: `translateY(${top}px)`, paddingInlineStart: `${row.level * 0.75 - 0.25}rem` },
    onKeyDown,
  } as const;
  if (row.kind === 'group' || to === undefined) {
    const isOpen = row.kind === 'group' && row.isOpen;
    return (
      <button type="button" {...common} className={classes.line} aria-expanded={isOpen} onClick={onToggle}>
        <span className={`${classes.chevron} ${isOpen ? classes.turned : ''}`}>
          <ChevronIcon size={14} />
        </span>
        <span className={classes.label}>{row.label}</span>
        <span className={classes.count}>{row.kind === 'group' && row.count}</span>
      </button>
    );
  }
  const link = linkTo(to);
  return (
    <a
      {...common}
      className={`${classes.line} ${row.isTracked ? '' : classes.untracked}`}
      href={link.href}
      title={row.isTracked ? row.label : `${row.label}, not tracked`}
      {...(isCurrent && { 'aria-current': 'page' })}
      onClick={(event) => {
        link.onClick(event);
        onMove();
      }}
    >
      <TableIcon size={14} />
      <span className={classes.label}>{row.label}</span>
    </a>
  );
}
