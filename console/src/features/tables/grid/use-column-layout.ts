/** The column layout of a table, kept in the browser's storage. */
import { useState } from 'react';
import { type ColumnLayout, emptyLayout, parseLayout } from './column-layout.ts';

interface StoredLayout {
  readonly layout: ColumnLayout;
  readonly change: (part: Partial<ColumnLayout>) => void;
  readonly reset: () => void;
}

/** `table` identifies the table. Another one needs another component: the layout is read once. */
export function useColumnLayout(table: string): StoredLayout {
  const key = `joinery:columns:${table}`;
  const [layout, setLayout] = useState(() => parseLayout(window.localStorage.getItem(key)));
  const change = (part: Partial<ColumnLayout>): void => {
    const next = { ...layout, ...part };
    window.localStorage.setItem(key, JSON.stringify(next));
    setLayout(next);
  };
  const reset = (): void => {
    window.localStorage.removeItem(key);
    setLayout(emptyLayout);
  };
  return { layout, change, reset };
}
