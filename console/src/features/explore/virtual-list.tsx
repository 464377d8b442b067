/** A list of which only the visible items are rendered. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './explore.module.css';

interface VirtualListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item, index: number) => string;
  /** The usual height of an item in pixels. */
  readonly height: number;
  readonly render: (item: Item, index: number) => ReactNode;
  /** The item that is scrolled to first. */
  readonly start?: number;
}

export function VirtualList<Item>({ label, items, keyOf, height, render, start }: VirtualListProps<Item>) {
  const frame = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    overscan: 10,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item, index);
    },
  });
  const { scrollToIndex } = virtual;
  useEffect(() => {
    if (start !== undefined) scrollToIndex(start, { align: 'start' });
  }, [start, scrollToIndex]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.frame} ref={frame} tabIndex={0} aria-label={`${label}, scrollable`}>
      <ul className={classes.rows} aria-label={label} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start: top }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className={classes.row}
              style={{ transform: `translateY(${top}px)` }}
              aria-setsize={items.length}
              aria-posinset={index + 1}
            >
              {render(item, index)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
