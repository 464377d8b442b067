/** Browser tests of the documentation at `/docs`: accessibility in both themes, size, search, narrow windows and print. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtPages } from '../../../docs/test/site.ts';
import { axeViolations, colorRules, settled } from '../support/axe.ts';
import { startBrowser, visit, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService({ JOINERY_ADMIN_SECRET: 'only for these tests' });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const addressOf = (page: string) => `${service.url}/docs/${page.replace(/(^|\/)index$/, '$1')}`;
const on = (page: string, steps: (page: Page) => Promise<void>) => walk(browser, addressOf(page), steps);

test.each(builtPages())('%s is accessible in both themes', async (name) => {
  const { page, complaints, close } = await visit(browser, addressOf(name), { colorScheme: 'light' });
  await page.locator('main h1').first().waitFor();
  await settled(page);
  const light = await axeViolations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html.dark').waitFor();
  await settled(page);
  expect([...light, ...(await axeViolations(page, colorRules)), ...complaints]).toEqual([]);
  await close();
});

test('the first page loads at most 400 kB in 25 requests', async () => {
  const { page, close } = await visit(browser, addressOf('index'));
  await page.waitForLoadState('networkidle');
  const loaded = await page.evaluate(() => {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const bytes = entries.map((entry) => (entry as PerformanceResourceTiming).transferSize);
    return { requests: entries.length, bytes: bytes.reduce((sum, one) => sum + one, 0) };
  });
  await close();
  expect(loaded.requests).toBeLessThanOrEqual(25);
  expect(loaded.bytes).toBeLessThanOrEqual(400_000);
});

test('the search finds a page by a word and opens it', () =>
  on('index', async (page) => {
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('SSRF');
    await page.locator('#localsearch-list').getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Where the service calls' }).waitFor();
  }));

test('a link to a heading of another page shows the heading', () =>
  on('index', async (page) => {
    await page.goto(`${service.url}/docs/scheduled-events#searching`);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  }));

test('a page does not scroll sideways in a narrow window', async () => {
  const { page, close } = await visit(browser, addressOf('configuration'), { viewport: { width: 360, height: 700 } });
  await page.locator('main h1').waitFor();
  await settled(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  await close();
  expect(width).toBeLessThanOrEqual(360);
});

test('a printed page has no navigation', () =>
  on('limits', async (page) => {
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.locator('.VPSidebar').isVisible()).toBe(false);
  }));

test('a page of the console leads to the same page of the site', () =>
  walk(
    browser,
    `${service.url}/console/operations/limits`,
    async (page) => {
      await page.getByRole('button', { name: 'Documentation' }).click();
      const link = page.getByRole('dialog', { name: 'Documentation' }).getByRole('link', { name: 'Open in a new tab' });
      expect(await link.getAttribute('href')).toBe('/docs/limits');
    },
    { secret: 'only for these tests' },
  ));
