/** Browser tests of signing in: the secret of the tab, and the one that the device remembers. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

const secret = 'only for these tests';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService({ JOINERY_ADMIN_SECRET: secret });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (steps: (page: Page) => Promise<void>) => walk(browser, `${service.url}/console`, steps);

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Admin secret').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

/** Opens a second tab of the same browser. */
async function secondTab(page: Page): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(`${service.url}/console`);
  return other;
}

test('a remembered secret signs in other tabs until the user signs out', () =>
  on(async (page) => {
    await page.getByLabel('Remember on this device').check();
    await signIn(page);
    const other = await secondTab(page);
    await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByLabel('Admin secret').waitFor();
    expect(await page.evaluate(() => window.localStorage.getItem('joinery.admin-secret'))).toBeNull();
  }));

test('a secret that is not remembered signs in one tab', () =>
  on(async (page) => {
    await signIn(page);
    await (await secondTab(page)).getByLabel('Admin secret').waitFor();
  }));
