/** The page of a list and its query parameters. Pure. */

export const pageSizes = [10, 20, 50, 100] as const;
const USUAL_SIZE = 20;

export interface Page {
  /** Starts at 1. */
  readonly number: number;
  readonly size: number;
}

/** Invalid values mean the first page and the default size. */
export function readPage(search: URLSearchParams): Page {
  const number = Number(search.get('page') ?? 1);
  const size = Number(search.get('size') ?? USUAL_SIZE);
  return {
    number: Number.isInteger(number) && number > 0 && number < 1e8 ? number : 1,
    size: pageSizes.find((one) => one === size) ?? USUAL_SIZE,
  };
}

/** Returns the query parameters. Default values are omitted. */
export function writePage({ number, size }: Page): { page: string | undefined; size: string | undefined } {
  return {
    page: number === 1 ? undefined : String(number),
    size: size === USUAL_SIZE ? undefined : String(size),
  };
}

/** Returns the number of pages, at least one. */
export function pagesOf(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}

/** Formats `21–40 of 132`. `shown` is the number of rows on this page. */
export function rangeOf({ number, size }: Page, shown: number, count: number | undefined, estimated = false): string {
  const first = (number - 1) * size + 1;
  const range = shown === 0 ? '0' : `${first.toLocaleString('en')}–${(first + shown - 1).toLocaleString('en')}`;
  return count === undefined ? range : `${range} of ${estimated ? 'about ' : ''}${count.toLocaleString('en')}`;
}
