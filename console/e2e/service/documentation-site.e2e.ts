/** Browser tests of the documentation at `/docs`: accessibility in both themes, size, search, narrow windows and print. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtPages, readBuiltPage } from '../../../docs/test/site.ts';
import { type AxeOptions, axeViolations, colorRules, settled } from '../support/axe.ts';
import { startBrowser, type Visit, visit, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

let browser: Browser;
let service: Service;
/** One profile for the checks of all pages, so that the assets that they share are loaded and parsed once. */
let shared: Visit;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService({ JOINERY_ADMIN_SECRET: 'only for these tests' });
  shared = await visit(browser, addressOf('index'), { colorScheme: 'light' });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const addressOf = (page: string) => `${service.url}/docs/${page.replace(/(^|\/)index$/, '$1')}`;
const on = (page: string, steps: (page: Page) => Promise<void>) => walk(browser, addressOf(page), steps);

test.each(builtPages())('%s is accessible in both themes', async (name) => {
  const { page, complaints } = shared;
  const earlier = complaints.length;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(addressOf(name));
  await page.locator('main h1').first().waitFor();
  // The navigation, which is the same on each page, and the colors of code are checked once, see below.
  const violations = await inBothThemes(page, {
    exclude: 'pre code > *, .VPNav, .VPLocalNav, .VPSidebar, .VPDocAside',
  });
  expect([...violations, ...complaints.slice(earlier)]).toEqual([]);
});

test('the navigation is accessible in both themes', async () => {
  const { page } = shared;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(addressOf('limits'));
  await page.locator('.VPSidebar').waitFor();
  expect(await inBothThemes(page, { exclude: '.VPDoc main' })).toEqual([]);
});

test('each color of the code of all pages has enough contrast in both themes', async () => {
  const { page } = shared;
  const styles = new Set(builtPages().flatMap((name) => readBuiltPage(name).match(/--shiki-[^"]*/g) ?? []));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(addressOf('queries'));
  await page
    .locator('pre.shiki code')
    .first()
    .evaluate(
      (code, all) => {
        const token = (style: string): HTMLElement => {
          const element = document.createElement('span');
          element.style.cssText = style;
          element.textContent = 'token ';
          return element;
        };
        code.firstElementChild?.replaceChildren(...all.map(token));
      },
      [...styles],
    );
  expect(styles.size).toBeGreaterThan(5);
  expect(await inBothThemes(page, { rules: colorRules })).toEqual([]);
});

/** Returns the violations in the light theme, then those of the colors in the dark theme, which stays. */
async function inBothThemes(page: Page, options: AxeOptions): Promise<string[]> {
  await settled(page);
  const light = await axeViolations(page, options);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html.dark').waitFor();
  await settled(page);
  return [...light, ...(await axeViolations(page, { ...options, rules: colorRules }))];
}

test('the first page loads at most 400 kB, with the pages that it prefetches', async () => {
  const { bytes } = await loadFirstPage();
  expect(bytes).toBeLessThanOrEqual(400_000);
});

test('the first page needs at most 12 requests', async () => {
  const { needed } = await loadFirstPage();
  expect(needed.length, needed.join('\n')).toBeLessThanOrEqual(12);
});

/** Returns what an empty profile loads: `needed` without the linked pages that the browser prefetches when it is idle, `bytes` with them. */
async function loadFirstPage(): Promise<{ needed: string[]; bytes: number }> {
  const { page, close } = await visit(browser, addressOf('index'));
  await page.waitForLoadState('networkidle');
  const loaded = await page.evaluate(() => {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const bytes = entries.map((entry) => (entry as PerformanceResourceTiming).transferSize);
    const prefetched = [...document.querySelectorAll<HTMLLinkElement>('link[rel="prefetch"]')].map(({ href }) => href);
    const needed = entries.map(({ name }) => name).filter((name) => !prefetched.includes(name));
    return { needed, bytes: bytes.reduce((sum, one) => sum + one, 0) };
  });
  await close();
  return loaded;
}

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
