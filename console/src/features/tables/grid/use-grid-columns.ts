/** The columns of the grid of a table by its stored layout. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { useMemo } from 'react';
import { type Family, familyOf } from '../row-model/column-family.ts';
import { arranged, type ColumnLayout, limitedWidth, movedBefore, movedBy } from './column-layout.ts';
import type { Arrangement } from './columns-menu.tsx';
import type { GridLayoutChanges } from './grid-header.tsx';
import type { GridColumn } from './visible-cells.ts';

interface GridColumnsInput {
  readonly info: TableInfo;
  /** The columns of the rows. */
  readonly names: readonly string[];
  readonly sortable: readonly string[];
  /** Whether the columns of the key do not scroll. */
  readonly isPinning: boolean;
  readonly stored: {
    readonly layout: ColumnLayout;
    readonly change: (part: Partial<ColumnLayout>) => void;
    readonly reset: () => void;
  };
}

interface GridColumns {
  /** The visible columns, pinned ones first. */
  readonly columns: readonly GridColumn[];
  readonly pinned: number;
  readonly changes: GridLayoutChanges;
  readonly arrangement: Arrangement;
}

export function useGridColumns({ info, names, sortable, isPinning, stored }: GridColumnsInput): GridColumns {
  const { layout, change, reset } = stored;
  const listed = names.join('\n');
  const key = info.primary_key ?? [];
  const first = key.filter((name) => names.includes(name));
  const all = arranged(names, first, layout);
  const hidden = layout.hidden.filter((name) => all.includes(name) && !first.includes(name));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `listed` has the names
  const columns = useMemo(
    () =>
      all
        .filter((name) => !hidden.includes(name))
        .map((name) => gridColumn(name, info, sortable.includes(name), layout.widths[name])),
    [listed, info, sortable, layout],
  );
  const onMove = (name: string, step: 1 | -1): void => change({ order: movedBy(all, name, step, hidden) });
  return {
    columns,
    pinned: isPinning ? first.length : 0,
    changes: {
      onResize: (name, width) => change({ widths: { ...layout.widths, [name]: limitedWidth(width) } }),
      onMove,
      onDrop: (name, other) => all.includes(name) && change({ order: movedBefore(all, name, other) }),
      onHide: (name) => change({ hidden: [...layout.hidden, name] }),
    },
    arrangement: {
      names: all,
      pinned: first,
      hidden,
      onShow: (changed, isShown) =>
        change({ hidden: [...layout.hidden.filter((name) => !changed.includes(name)), ...(isShown ? [] : changed)] }),
      onMove,
      onReset: reset,
    },
  };
}

function gridColumn(name: string, info: TableInfo, isSortable: boolean, width: number | undefined): GridColumn {
  const column = info.columns.find((one) => one.name === name);
  const family = column === undefined ? 'other' : familyOf(column);
  return {
    name,
    type: column === undefined ? '' : shortType(column.sql_type),
    about: column === undefined ? name : describe(column),
    width: width ?? Math.max(widths[family], 24 + name.length * 8 + 30),
    isKey: info.primary_key?.includes(name) === true,
    isSortable,
    isNumber: family === 'integer' || family === 'number',
  };
}

function describe({ name, sql_type, nullable, comment }: ColumnInfo): string {
  const type = `${name}: ${sql_type}${nullable ? '' : ', not null'}`;
  return comment === null ? type : `${type}\n${comment}`;
}

/** Returns the alias that PostgreSQL has for a long name of a type. */
export function shortType(type: string): string {
  return type
    .replace(/^timestamp(\(\d\))? with time zone/, 'timestamptz$1')
    .replace(/^timestamp(\(\d\))? without time zone/, 'timestamp$1')
    .replace(/^time(\(\d\))? with time zone/, 'timetz$1')
    .replace(/^time(\(\d\))? without time zone/, 'time$1')
    .replace(/^character varying/, 'varchar')
    .replace(/^double precision/, 'float8');
}

const widths: Readonly<Record<Family, number>> = {
  integer: 110,
  number: 120,
  boolean: 90,
  enum: 120,
  text: 200,
  time: 220,
  uuid: 290,
  json: 240,
  array: 180,
  other: 180,
};
