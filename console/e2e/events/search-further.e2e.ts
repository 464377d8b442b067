/** Browser tests of a search that compares a part of the events at a time. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await service.command('create_scheduled_event', {
    webhook: 'http://127.0.0.1:9/x',
    schedule_at: '2090-01-01T00:00:00Z',
    payload: {},
    comment: 'the needle',
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/**
 * Opens a search in whose place the first two parts have no match, as those of millions of events: the service compares events
 * for 300 ms before it ends a part. The third part is the response of the service.
 */
const on = (search: string, steps: (page: Page) => Promise<void>, beforePart?: (part: number) => Promise<void>) =>
  walk(browser, `${service.url}/console/`, async (page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route('**/v1/metadata', async (route) => {
      const request = JSON.parse(route.request().postData() ?? '{}') as Search;
      if (request.type !== 'search_events') return route.continue();
      const { after, ...args } = request.args;
      const part = after === undefined ? 1 : Number(after.slice('part '.length));
      await beforePart?.(part);
      if (part === 3) return route.continue({ postData: JSON.stringify({ ...request, args }) }).catch(() => undefined);
      const until = `2091-0${4 - part}-01T00:00:00Z`;
      return route
        .fulfill({ json: { events: [], next: `part ${part + 1}`, searched_until: until } })
        .catch(() => undefined);
    });
    await page.goto(`${service.url}/console/events/activity?time=any&q=${search}`);
    await steps(page);
  });
const further = (page: Page) => page.getByRole('button', { name: 'Search further back' });

interface Search {
  readonly type: string;
  readonly args: { readonly after?: string };
}

test('continues over the parts without a match until it finds an event', () =>
  on('needle', async (page) => {
    await page.getByText(/No event matches in the part that was compared, back to/).waitFor();
    await page.getByText('Earlier events are not searched yet.').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await further(page).click();
    await page.getByRole('row').filter({ hasText: 'the needle' }).waitFor();
  }));

test('ends with no event where none matches', () =>
  on('nowhere', async (page) => {
    await further(page).click();
    await page.getByText('No event matches the search').waitFor();
    expect(await further(page).count()).toBe(0);
  }));

test('can be stopped, and continues from there', async () => {
  let release = (): void => undefined;
  let isFirst = true;
  const beforePart = async (part: number): Promise<void> => {
    if (part !== 3 || !isFirst) return;
    isFirst = false;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  };
  await on(
    'needle',
    async (page) => {
      await further(page).click();
      await page.getByText(/Searching: compared back to .*2091/).waitFor();
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      release();
      await page.getByRole('row').filter({ hasText: 'the needle' }).waitFor();
      await page.getByText('Page 2,').waitFor();
    },
    beforePart,
  );
});
