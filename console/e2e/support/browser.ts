/** Headless Chromium and pages without console messages. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';

export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(`Chromium was not found at ${executablePath}; install it, or set CHROMIUM_PATH`);
  }
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Visit {
  readonly page: Page;
  /** The console messages, including violations of the content security policy. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Opens a page in a new profile, signed out. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin)) complaints.push(`loads ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

export interface WalkOptions {
  /** Admin secret for signing in first. */
  readonly secret?: string;
  /** Expected console messages, such as those about error responses. */
  readonly meant?: RegExp;
}

/** Console message about error responses. */
export const expectedRejections = /^Failed to load/;

/** Runs `steps` on a page. Fails for unexpected console messages. */
export async function walk(
  browser: Browser,
  address: string,
  steps: (page: Page, seen: Visit) => Promise<void>,
  { secret, meant }: WalkOptions = {},
): Promise<void> {
  const seen = await visit(browser, address);
  if (secret !== undefined) {
    await seen.page.getByLabel('Admin secret').fill(secret);
    await seen.page.getByRole('button', { name: 'Sign in' }).click();
  }
  await steps(seen.page, seen).finally(() => seen.close());
  const complaints = seen.complaints.filter((text) => meant?.test(text) !== true);
  if (complaints.length > 0) throw new Error(`the browser complains:\n${complaints.join('\n')}`);
}

/** Selects an option of a searchable list. */
export async function choose(within: Page | Locator, label: string, option: string | RegExp): Promise<void> {
  const box = within.getByRole('combobox', { name: label, exact: true });
  await box.click();
  const page = 'page' in within ? within.page() : within;
  // The list of this box: a previous one with equal options may still be closing.
  await box.and(page.locator('[aria-controls]')).waitFor();
  const list = page.locator(`[id="${await box.getAttribute('aria-controls')}"]`);
  await list.getByRole('option', { name: option, exact: typeof option === 'string' }).click();
}

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
