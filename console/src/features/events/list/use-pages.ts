/** Cursors of the pages that were visited. */
import { useState } from 'react';
import type { Page } from '../../../ui/table/paging.ts';

interface Pages {
  /** Returns the cursor of a page. Undefined for the first page and when the previous one was not visited. */
  startOf(page: Page): string | undefined;
  seen(page: Page, next: string | undefined): void;
}

/** `list` identifies the list with its filters and order. */
export function usePages(list: string): Pages {
  const [starts] = useState(() => new Map<string, string>());
  const nameOf = (number: number, size: number): string => `${list} ${size} ${number}`;
  return {
    startOf: ({ number, size }) => starts.get(nameOf(number, size)),
    seen: ({ number, size }, next) => {
      const name = nameOf(number + 1, size);
      if (next === undefined) starts.delete(name);
      else starts.set(name, next);
    },
  };
}
