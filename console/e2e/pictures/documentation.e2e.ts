/** Pictures of the README and the documentation that the workflow of mission.e2e.ts does not pass. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { captureForDocs } from '../support/scenes.ts';
import { type Service, startService } from '../support/service.ts';
import { openTeaShop } from '../support/tea-shop.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let service: Service;
let webhook: Webhook;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  service = await startService({ SHOP_URL: webhook.url });
  await openTeaShop(service);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);

test('rows are edited in the grid, and the changes are marked until they are saved', () =>
  on('/data/default/public/order/rows', async (page) => {
    const cell = (row: number) => page.getByRole('row').nth(row).getByRole('gridcell').nth(4);
    await page.getByRole('grid').waitFor();
    for (const [row, note] of [
      [3, 'Ring twice'],
      [5, 'A gift: no invoice'],
    ] as const) {
      await cell(row).dblclick();
      await page.keyboard.type(note);
      await page.keyboard.press('Enter');
    }
    await page.getByText('2 changes in 2 rows not saved').waitFor();
    await captureForDocs(page, 'rows');
  }));

test('a suggested permission fills in the form, and says what it exposes', () =>
  on('/data/default/public/order/permissions', async (page) => {
    await page.getByLabel('New role').fill('customer');
    await page.getByRole('button', { name: 'Select for customer: None' }).click();
    await page.getByRole('button', { name: /^Own rows/ }).click();
    await page.getByText('customer sees id, customer_id').waitFor();
    await captureForDocs(page, 'permission');
  }));

test('the list of events has all states', async () => {
  const comments = ['Remind of the invoice', 'Renew the subscription', 'Request a review', 'Restock assam tea'];
  const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString();
  const event = (place: number, at: string, path: string) => ({
    webhook: `{{SHOP_URL}}/${path}`,
    schedule_at: at,
    payload: { order: place },
    comment: `${comments[place % comments.length]} ${place}`,
    retry_conf: { num_retries: place % 2, retry_interval_seconds: 1, tolerance_seconds: 86_400 },
  });
  await service.command('create_scheduled_events', {
    events: [
      ...Array.from({ length: 14 }, (_, place) => event(place, minutes(place - 40), place % 5 === 2 ? 'fail' : 'mail')),
      ...Array.from({ length: 6 }, (_, place) => event(place + 14, minutes(20 + place * 35), 'mail')),
    ],
  });
  const finished = async () =>
    (
      (await service.command('get_scheduled_events', {
        type: 'one_off',
        status: ['delivered', 'error'],
        get_rows_count: true,
      })) as { count: number }
    ).count;
  await expect.poll(finished, { timeout: 20_000 }).toBe(14);
  await on('/events/activity?time=any', async (page) => {
    await page.getByText('Restock assam tea 3').waitFor();
    await captureForDocs(page, 'events');
  });
});
