/** A page as it is looked at: in both widths and both themes, without a fault of accessibility. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { axeViolations, settled } from './axe.ts';
import { visit } from './browser.ts';

/** The folder that pictures are written to, with a slash at its end; not kept under version control. */
export const pictures = fileURLToPath(new URL('../../pictures/', import.meta.url));

const widths = { wide: { width: 1_280, height: 800 }, narrow: { width: 400, height: 800 } };
const themes = ['light', 'dark'] as const;

export interface Scene {
  /** Of the picture's file as well. */
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;
  /** What to do there before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  /** Something lies above the page: the picture is that of the window. */
  readonly above?: true;
  /** The browser complains about requests that fail, as they are meant to. */
  readonly unreachable?: true;
  /** How wide the window is when it is acted in. */
  readonly from?: keyof typeof widths;
}

/** Keeps a picture of the scene for each width and theme; tells what is wrong in any of them. `url` is the service's. */
export async function portray(browser: Browser, url: string, scene: Scene): Promise<string[]> {
  const seen = await visit(browser, `${url}/console${scene.path}`, { viewport: widths[scene.from ?? 'wide'] });
  await seen.page.getByRole('heading', { level: 1 }).waitFor();
  await seen.page.waitForLoadState('networkidle');
  await scene.act?.(seen.page);
  const problems = await faultsIn(seen.page, scene);
  await seen.close();
  const complaints = scene.unreachable
    ? seen.complaints.filter((text) => !text.startsWith('Failed to load'))
    : seen.complaints;
  return [...problems, ...complaints];
}

async function faultsIn(page: Page, { name, above }: Scene): Promise<string[]> {
  mkdirSync(pictures, { recursive: true });
  // The bar at the top would lie across the middle of a page that was scrolled.
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
