/** The main pages look as in the versioned pictures, in both themes. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, visit } from '../support/browser.ts';
import { differenceFrom, isSameRenderer } from '../support/reference-pictures.ts';
import { type Service, startService } from '../support/service.ts';
import { makeShop } from '../support/shop.ts';

let browser: Browser;
let service: Service;
let isComparable = false;

beforeAll(async () => {
  browser = await startBrowser();
  isComparable = await isSameRenderer(browser);
  service = await startService();
  await makeShop(service, true);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

interface MainPage {
  /** Also the name of the picture. */
  readonly name: string;
  /** Path below `/console`. */
  readonly path: string;
  /** Resolves when all parts of the page have been loaded. */
  readonly loaded: (page: Page) => Promise<void>;
}

const text = (shown: string) => (page: Page) => page.getByText(shown, { exact: true }).first().waitFor();
const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().waitFor();
const customer = '/data/default/public/customer';

const mainPages: readonly MainPage[] = [
  { name: 'tables', path: '/data/default', loaded: text('audit_log') },
  { name: 'rows', path: `${customer}/rows`, loaded: text('240 rows') },
  { name: 'structure', path: `${customer}/structure`, loaded: text('preferences') },
  { name: 'relationships', path: '/data/default/public/order/relationships', loaded: text('Relationships') },
  { name: 'permissions', path: `${customer}/permissions`, loaded: text('admin') },
  { name: 'sql', path: '/sql', loaded: button('Run') },
  { name: 'explore', path: '/explore', loaded: button('Run') },
  {
    name: 'new-action',
    path: '/actions/new',
    loaded: (page) =>
      page
        .getByRole('button', { name: /^Create/ })
        .first()
        .waitFor(),
  },
  {
    name: 'new-cron-trigger',
    path: '/events/cron/new',
    loaded: (page) => page.getByRole('textbox', { name: 'Schedule' }).waitFor(),
  },
  { name: 'limits', path: '/operations/limits', loaded: text('Limits') },
];

test.for(mainPages)('the page $name looks as in its pictures', async ({ name, path, loaded }, context) => {
  if (!isComparable) context.skip('this machine renders text in another way than the pictures');
  const { page, close } = await visit(browser, `${service.url}/console${path}`);
  const differences: string[] = [];
  await page.getByRole('heading', { level: 1 }).waitFor();
  await loaded(page);
  await page.waitForLoadState('networkidle');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const difference = await differenceFrom(page, `${name}-${colorScheme}`);
    if (difference !== undefined) differences.push(`${colorScheme}: ${difference}`);
  }
  await close();
  expect(differences).toEqual([]);
});
