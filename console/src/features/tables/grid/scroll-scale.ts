/** Maps scroll positions to rows of a list that is higher than browsers allow an element to be. Pure. */

/** Pixels. Firefox ignores heights above 17,895,697. */
const MAX_HEIGHT = 15_000_000;

interface ScrollPosition {
  /** Position of the scroll bar in pixels. */
  readonly top: number;
  /** Pixels of rows above the first visible one. */
  readonly offset: number;
}

interface ScrollSizes {
  /** Height of all rows in pixels. */
  readonly content: number;
  /** Height of the visible part in pixels. */
  readonly viewport: number;
}

export const atStart: ScrollPosition = { top: 0, offset: 0 };

export function scrollHeight(content: number): number {
  return Math.min(content, MAX_HEIGHT);
}

/** Returns the position after the scroll bar moved to `top`: near moves are exact, far ones are proportional. */
export function scrolled(before: ScrollPosition, top: number, { content, viewport }: ScrollSizes): ScrollPosition {
  const height = scrollHeight(content);
  if (height === content) return { top, offset: top };
  const last = height - viewport;
  const lastOffset = content - viewport;
  if (top <= 0) return { top, offset: 0 };
  if (top >= last) return { top, offset: lastOffset };
  const offset = before.offset + top - before.top;
  const isNear = Math.abs(top - before.top) < 2 * viewport && offset >= 0 && offset <= lastOffset;
  return { top, offset: isNear ? offset : (top / last) * lastOffset };
}

/** Returns the position that shows `offset` first. */
export function scrolledTo(before: ScrollPosition, offset: number, { content, viewport }: ScrollSizes): ScrollPosition {
  const height = scrollHeight(content);
  const lastOffset = Math.max(0, content - viewport);
  const target = Math.min(Math.max(0, offset), lastOffset);
  if (height === content) return { top: target, offset: target };
  const near = before.top + target - before.offset;
  const isNear = Math.abs(target - before.offset) < 2 * viewport && near > 0 && near < height - viewport;
  return { top: isNear ? near : (target / lastOffset) * (height - viewport), offset: target };
}
