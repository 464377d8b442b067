/** The rows and columns of a grid that are visible. */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { atStart, scrolled, scrolledTo, scrollHeight } from './scroll-scale.ts';

/** Pixels. The style sheet has the same heights. */
const ROW_HEIGHT = 30;
const HEADER_HEIGHT = 46;

export interface WindowRow {
  readonly index: number;
  /** Position in pixels. */
  readonly top: number;
}

interface RowWindow {
  readonly rows: readonly WindowRow[];
  /** The largest number of rows so far. Adjacent rows differ modulo this number. */
  readonly pool: number;
  /** First and last visible row. */
  readonly range: { readonly first: number; readonly last: number };
  /** Height of all rows in pixels. */
  readonly height: number;
  /** Number of rows that fit. */
  readonly pageSize: () => number;
  /** Scrolls so that a row is completely visible. */
  readonly reveal: (index: number) => void;
}

type Scroller = RefObject<HTMLDivElement | null>;

/** Returns the visible rows and the row `kept`. A list may be higher than browsers allow an element to be. */
export function useRowWindow(scroller: Scroller, count: number, kept: number | undefined): RowWindow {
  const position = useRef(atStart);
  const content = count * ROW_HEIGHT;
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    useFlushSync: false,
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), ...(kept === undefined ? [] : [kept])])],
      [kept],
    ),
    observeElementOffset: ({ scrollElement, options }, report) => {
      if (scrollElement === null) return;
      const onScroll = (): void => {
        const sizes = { content: options.count * ROW_HEIGHT, viewport: viewportOf(scrollElement) };
        position.current = scrolled(position.current, scrollElement.scrollTop, sizes);
        report(position.current.offset, false);
      };
      onScroll();
      scrollElement.addEventListener('scroll', onScroll, { passive: true });
      return () => scrollElement.removeEventListener('scroll', onScroll);
    },
    // The positions of `reveal` are set here alone.
    scrollToFn: () => undefined,
  });
  const reveal = useCallback(
    (index: number): void => {
      const element = scroller.current;
      if (element === null || index < 0) return;
      const viewport = viewportOf(element);
      const { offset } = position.current;
      const start = index * ROW_HEIGHT;
      const target =
        start < offset ? start : start + ROW_HEIGHT > offset + viewport ? start + ROW_HEIGHT - viewport : undefined;
      if (target === undefined) return;
      position.current = scrolledTo(position.current, target, { content, viewport });
      element.scrollTop = position.current.top;
    },
    [scroller, content],
  );
  const shift = position.current.offset - position.current.top;
  const items = virtualizer.getVirtualItems();
  const pool = useRef(1);
  pool.current = Math.max(pool.current, items.length);
  return {
    rows: items.map(({ index, start }) => ({ index, top: start - shift })),
    pool: pool.current,
    range: { first: virtualizer.range?.startIndex ?? 0, last: virtualizer.range?.endIndex ?? 0 },
    height: scrollHeight(content),
    pageSize: () =>
      Math.max(1, Math.floor((scroller.current === null ? 0 : viewportOf(scroller.current)) / ROW_HEIGHT) - 1),
    reveal,
  };
}

/** Returns the height of the part below the header. */
function viewportOf(element: HTMLElement): number {
  return element.clientHeight - HEADER_HEIGHT;
}

export interface ColumnWindow {
  /** Places of the visible columns among those that scroll. */
  readonly places: readonly number[];
  /** Width in pixels of the columns before the visible ones. */
  readonly before: number;
  /** Width in pixels of all columns that scroll. */
  readonly width: number;
}

/**
 * Returns the visible ones of the columns that scroll, and those up to the column `kept`. `pinned` is the width in pixels
 * of the columns that do not scroll.
 */
export function useColumnWindow(
  scroller: Scroller,
  widths: readonly number[],
  pinned: number,
  kept: number | undefined,
): ColumnWindow {
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    horizontal: true,
    count: widths.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => widths[index] ?? 0,
    // The pinned columns cover the start of the visible part.
    paddingStart: pinned,
    overscan: 3,
    useFlushSync: false,
    rangeExtractor: useCallback((range: Range) => defaultRangeExtractor(including(range, kept)), [kept]),
  });
  const sizes = widths.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer caches the widths
  useEffect(() => {
    virtualizer.measure();
  }, [virtualizer, sizes]);
  const items = virtualizer.getVirtualItems();
  const start = items[0]?.index ?? 0;
  return {
    places: items.map(({ index }) => index),
    before: widthOf(widths.slice(0, start)),
    width: widthOf(widths),
  };
}

/** Extends a range to a place. */
function including(range: Range, place: number | undefined): Range {
  if (place === undefined || place < 0) return range;
  return {
    ...range,
    startIndex: Math.min(range.startIndex, place),
    endIndex: Math.max(range.endIndex, place),
  };
}

export function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}
