/** Comparison of pages with pictures that are versioned. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { settled } from './axe.ts';
import { pictures } from './scenes.ts';

const folder = fileURLToPath(new URL('../pictures/expected/', import.meta.url));
const rendererFile = `${folder}renderer.txt`;

/** Share of the pixels that may differ: a blinking caret and the rounding of a line. */
const TOLERATED = 0.001;

/** `JOINERY_UPDATE_PICTURES=1` writes the pictures anew in place of comparing them. */
const isUpdate = process.env.JOINERY_UPDATE_PICTURES === '1';

/**
 * Whether this machine renders text as the one that took the pictures: the fonts and the version of the browser decide on
 * the pixels of each page.
 */
export async function isSameRenderer(browser: Browser): Promise<boolean> {
  const page = await browser.newPage({ viewport: { width: 400, height: 120 } });
  const families = ['system-ui', 'sans-serif', 'ui-monospace', 'monospace'];
  await page.setContent(families.map((family) => `<p style="font-family: ${family}">Wafer 0123 ⌘→</p>`).join(''));
  const sample = createHash('sha256')
    .update(await page.screenshot())
    .digest('hex');
  await page.close();
  const renderer = `${browser.version()} ${sample}\n`;
  if (isUpdate) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(rendererFile, renderer);
  }
  return existsSync(rendererFile) && readFileSync(rendererFile, 'utf8') === renderer;
}

/**
 * Compares the window with a picture. Returns undefined if they are equal, otherwise the reason; the screenshot and a picture
 * of the differences are then in `console/pictures/`. Times are not compared.
 */
export async function differenceFrom(page: Page, name: string): Promise<string | undefined> {
  await settled(page);
  const taken = await page.screenshot({ mask: [page.locator('time')], caret: 'hide' });
  const file = `${folder}${name}.png`;
  if (isUpdate) {
    writeFileSync(file, taken);
    return undefined;
  }
  if (!existsSync(file)) return `there is no picture ${name}.png; take it with JOINERY_UPDATE_PICTURES=1`;
  const [expected, actual] = [PNG.sync.read(readFileSync(file)), PNG.sync.read(taken)];
  const { width, height } = expected;
  if (actual.width !== width || actual.height !== height) {
    return `the window is ${actual.width}x${actual.height}, the picture ${width}x${height}`;
  }
  const marked = new PNG({ width, height });
  const count = pixelmatch(expected.data, actual.data, marked.data, width, height, { threshold: 0.1 });
  if (count <= TOLERATED * width * height) return undefined;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(`${pictures}${name}-actual.png`, taken);
  writeFileSync(`${pictures}${name}-difference.png`, PNG.sync.write(marked));
  return `${count} pixels differ; see console/pictures/${name}-actual.png and ${name}-difference.png`;
}
