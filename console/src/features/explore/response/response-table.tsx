/** A list of a response as a table, of which only the visible rows are rendered. */
import { NativeSelect } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { counted } from '../../../ui/format.ts';
import { CopyButton } from '../../../ui/page/copy-button.tsx';
import classes from './response.module.css';
import { cellText, type TableData, tabSeparated } from './table-data.ts';

const ROW_HEIGHT = 28;

export function ResponseTable({ tables }: { readonly tables: readonly TableData[] }) {
  const [path, setPath] = useState<string>();
  const table = tables.find((one) => one.path === path) ?? tables[0];
  if (table === undefined) return null;
  return (
    <div className={classes.pane}>
      <div className={classes.bar}>
        {tables.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label="List of the response"
            data={tables.map((one) => one.path)}
            value={table.path}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
        )}
        <span className={classes.figure}>{counted(table.rows.length, 'row')}</span>
        <CopyButton text={tabSeparated(table)} what="table for a spreadsheet" />
      </div>
      <Rows key={table.path} table={table} />
    </div>
  );
}

function Rows({ table: { path, columns, rows } }: { readonly table: TableData }) {
  const frame = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.frame} ref={frame} tabIndex={0} aria-label={`${path}, scrollable`}>
      <table className={classes.table} aria-label={path} aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Gap height={before} />}
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {columns.map((name) => (
                <Cell key={name} value={rows[index]?.[name]} />
              ))}
            </tr>
          ))}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
    </section>
  );
}

/** Takes the space of rows that are not rendered. */
function Gap({ height }: { readonly height: number }) {
  return (
    <tr>
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function Cell({ value }: { readonly value: unknown }) {
  const text = cellText(value);
  const isNumber = typeof value === 'number' || (typeof value === 'object' && value !== null && /^-?\d/.test(text));
  return (
    <td
      className={isNumber ? classes.number : value === null || value === undefined ? classes.absent : undefined}
      title={text}
    >
      {text}
    </td>
  );
}
