/** Counts the clicks of a task. */
import type { Page } from 'playwright-core';

/** Counts the clicks of the pointer from now on; a double-click is two. Keys that press a button are not counted. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  const handle = await page.evaluateHandle(() => {
    const counter = { clicks: 0 };
    const count = (event: MouseEvent): void => {
      if (event.detail > 0) counter.clicks += 1;
    };
    document.addEventListener('click', count, { capture: true });
    return counter;
  });
  return () => handle.evaluate(({ clicks }) => clicks);
}
