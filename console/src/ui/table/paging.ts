/** Which part of a long list is shown, and how that is written in the address. Pure. */

export const pageSizes = [10, 20, 50, 100] as const;
const USUAL_SIZE = 20;

export interface Page {
  /** From 1. */
  readonly number: number;
  readonly size: number;
}

/** Anything that cannot be meant is the first page, and the usual size. */
export function readPage(search: URLSearchParams): Page {
  const number = Number(search.get('page') ?? 1);
  const size = Number(search.get('size') ?? USUAL_SIZE);
  return {
    number: Number.isInteger(number) && number > 0 && number < 1e8 ? number : 1,
    size: pageSizes.find((one) => one === size) ?? USUAL_SIZE,
  };
}

/** As members of the query string; the first page and the usual size are left out. */
export function writePage({ number, size }: Page): { page: string | undefined; size: string | undefined } {
  return {
    page: number === 1 ? undefined : String(number),
    size: size === USUAL_SIZE ? undefined : String(size),
  };
}

/** At least one, so that an empty list has a page. */
export function pagesOf(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}

/** `21–40 of 132`. `shown`: rows on this page. */
export function rangeOf({ number, size }: Page, shown: number, count: number | undefined, estimated = false): string {
  const first = (number - 1) * size + 1;
  const range = shown === 0 ? '0' : `${first.toLocaleString('en')}–${(first + shown - 1).toLocaleString('en')}`;
  return count === undefined ? range : `${range} of ${estimated ? 'about ' : ''}${count.toLocaleString('en')}`;
}
