/** Browser tests of the runs of an asynchronous action: list, filter, pages, addresses, accessibility. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { capture } from '../support/scenes.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let service: Service;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  service = await startService({ HANDLERS: webhook.url });
  await service.command('set_custom_types', {
    objects: [{ name: 'Report', fields: [{ name: 'accepted', type: 'Boolean!' }] }],
  });
  const definition = { kind: 'asynchronous', output_type: 'Report' };
  const create = (name: string, more: object) =>
    service.command('create_action', { name, definition: { ...definition, ...more } });
  await create('report', { handler: '{{HANDLERS}}/report' });
  await create('flaky', { handler: '{{HANDLERS}}/fail', retry_conf: { num_retries: 1, retry_interval_seconds: 1 } });
  await create('held', { handler: '{{HANDLERS}}/held' });
  await create('unused', { handler: '{{HANDLERS}}/unused' });
  await create('direct', { handler: '{{HANDLERS}}/direct', kind: 'synchronous' });
});

afterAll(async () => {
  webhook?.release('/held');
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);
const call = (name: string) => service.query(`mutation { ${name} }`, { 'X-Service-Role': 'admin' });
const runs = (page: Page) => page.getByRole('table', { name: 'Runs' });
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Run' });

test('only an asynchronous action has runs', () =>
  on('/actions/of/direct?tab=runs', async (page) => {
    await page.getByRole('tab', { name: 'Definition', selected: true }).waitFor();
    expect(await page.getByRole('tab', { name: 'Runs' }).count()).toBe(0);
  }));

test('an action without runs leads to its first one', () =>
  on('/actions/of/unused?tab=runs', async (page) => {
    await page.getByText('No runs yet').waitFor();
    await page.getByRole('link', { name: 'Try the action' }).click();
    await page.getByRole('tab', { name: 'Try it', selected: true }).waitFor();
  }));

test('lists runs by status and page, and opens one by its address, which Back closes', async () => {
  await Promise.all(Array.from({ length: 25 }, () => call('report')));
  await on('/actions/of/report?tab=runs', async (page) => {
    await expect.poll(() => runs(page).getByText('Completed').count()).toBe(20);
    await page.getByRole('button', { name: 'Show earlier runs' }).click();
    await expect.poll(() => runs(page).getByText('Completed').count()).toBe(25);
    await page.getByLabel('Status').selectOption('error');
    await page.getByText('No run has this status').waitFor();
    await page.getByRole('button', { name: 'Show all runs' }).click();
    await runs(page).getByRole('link').first().click();
    await drawer(page).getByText('Completed').waitFor();
    const address = page.url();
    await page.goBack();
    await drawer(page).waitFor({ state: 'hidden' });
    await page.goto(address);
    await drawer(page).getByRole('region', { name: 'response body' }).getByText('"accepted": true').waitFor();
  });
});

test('shows each attempt of a failed run with its response', async () => {
  await call('flaky');
  await on('/actions/of/flaky?tab=runs', async (page) => {
    await runs(page).getByText('Failed').waitFor({ timeout: 20_000 });
    await runs(page).getByRole('link').first().click();
    await drawer(page)
      .getByRole('button', { name: /^Attempt 1/ })
      .click();
    await expect.poll(() => drawer(page).getByText('out of order').count()).toBe(2);
  });
});

test('follows a run until its handler has responded', async () => {
  await call('held');
  await on('/actions/of/held?tab=runs', async (page) => {
    await runs(page).getByRole('link').first().click();
    await drawer(page).getByText('In flight').waitFor();
    webhook.release('/held');
    await drawer(page).getByText('Completed').waitFor();
    await drawer(page)
      .getByRole('button', { name: /^Attempt 1/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await runs(page).getByText('Completed').waitFor();
  });
});

test.each([
  {
    name: 'action-runs',
    path: '/actions/of/flaky?tab=runs',
    act: (page: Page) => runs(page).getByText('Failed').first().waitFor({ timeout: 20_000 }),
  },
  {
    name: 'action-run',
    path: '/actions/of/flaky?tab=runs',
    above: true,
    act: async (page: Page) => {
      await runs(page).getByText('Failed').first().waitFor({ timeout: 20_000 });
      await runs(page).getByRole('link').last().click();
      await drawer(page).getByRole('region', { name: 'request body' }).first().waitFor();
    },
  },
] as const)('is accessible: $name', async (scene) => {
  await call('flaky');
  expect(await capture(browser, service.url, scene)).toEqual([]);
});
