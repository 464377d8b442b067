/** Chromium without a window, and pages in it that must not complain. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';

export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(`there is no Chromium at ${executablePath}; install it, or set CHROMIUM_PATH`);
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
  /** What the browser complained about so far, violations of the content policy among it. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** A page in a fresh profile: nothing kept, nobody signed in. */
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
  /** Of the service, to sign in with first. */
  readonly secret?: string;
  /** Complaints of the browser that belong to the walk, such as those about refusals that are meant. */
  readonly meant?: RegExp;
}

/** The browser's complaint about every request that is refused. */
export const expectedRejections = /^Failed to load/;

/** Goes the way of `steps` from a page of the console, in which the browser must have nothing to complain about. */
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

/** Chooses from a list that can be searched. */
export async function choose(within: Page | Locator, label: string, option: string | RegExp): Promise<void> {
  const box = within.getByRole('combobox', { name: label, exact: true });
  await box.click();
  const page = 'page' in within ? within.page() : within;
  // Its own list: that of the box before may still be on its way out, with options of the same name.
  await box.and(page.locator('[aria-controls]')).waitFor();
  const list = page.locator(`[id="${await box.getAttribute('aria-controls')}"]`);
  await list.getByRole('option', { name: option, exact: typeof option === 'string' }).click();
}
