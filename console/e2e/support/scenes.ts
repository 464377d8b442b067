/** Screenshots of a page in both widths and themes with accessibility checks. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { axeViolations, settled } from './axe.ts';
import { visit } from './browser.ts';

/** The folder of the screenshots, with a trailing slash. Not versioned. */
export const pictures = fileURLToPath(new URL('../../pictures/', import.meta.url));

const documentation = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));

/** Takes a picture of the window for README and docs. `JOINERY_DOCS_PICTURES=1` replaces the versioned one. */
export async function captureForDocs(page: Page, name: string): Promise<void> {
  // The notification covers the corner of the page.
  const dismiss = page.getByRole('button', { name: 'Dismiss', exact: true });
  if (await dismiss.isVisible()) await dismiss.click();
  await settled(page);
  const isUpdate = process.env.JOINERY_DOCS_PICTURES === '1';
  if (!isUpdate) mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: isUpdate ? `${documentation}${name}.png` : `${pictures}docs-${name}.png` });
}

const widths = { wide: { width: 1_280, height: 800 }, narrow: { width: 400, height: 800 } };
const themes = ['light', 'dark'] as const;

export interface Scene {
  /** Also the name of the file. */
  readonly name: string;
  /** Path below `/console`. */
  readonly path: string;
  /** Steps before the screenshot. */
  readonly act?: (page: Page) => Promise<void>;
  /** An overlay is open: takes a screenshot of the window. */
  readonly above?: true;
  /** The page has requests that fail as expected. */
  readonly unreachable?: true;
  /** Window width during the steps. */
  readonly from?: keyof typeof widths;
}

/** Takes a screenshot for each width and theme. Returns all violations. `url` is the service. */
export async function capture(browser: Browser, url: string, scene: Scene): Promise<string[]> {
  const seen = await visit(browser, `${url}/console${scene.path}`, { viewport: widths[scene.from ?? 'wide'] });
  await seen.page.getByRole('heading', { level: 1 }).waitFor();
  await seen.page.waitForLoadState('networkidle');
  await scene.act?.(seen.page);
  const problems = await violationsIn(seen.page, scene);
  await seen.close();
  const complaints = scene.unreachable
    ? seen.complaints.filter((text) => !text.startsWith('Failed to load'))
    : seen.complaints;
  return [...problems, ...complaints];
}

async function violationsIn(page: Page, { name, above }: Scene): Promise<string[]> {
  mkdirSync(pictures, { recursive: true });
  // The sticky header would cover the middle of a scrolled page.
  if (above !== true) await page.evaluate(() => window.scrollTo(0, 0));
  const problems: string[] = [];
  for (const [width, size] of Object.entries(widths)) {
    await page.setViewportSize(size);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await settled(page);
      await page.screenshot({ path: `${pictures}${name}-${width}-${theme}.png`, fullPage: above !== true });
      for (const problem of await axeViolations(page)) problems.push(`${width}, ${theme}: ${problem}`);
    }
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (beyond > 0) problems.push(`${width}: the page is ${beyond} pixels wider than the window`);
  }
  return problems;
}
