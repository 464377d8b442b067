/** Browser tests of the delivery page: charts of past traffic, destinations with their figures, selection in the address. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { callsCounted } from '../support/traffic.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let service: Service;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  service = await startService({ NOTIFY_URL: webhook.url });
  const at = new Date().toISOString();
  await service.command('create_scheduled_events', {
    events: Array.from({ length: 12 }, (_, n) => ({
      webhook: `{{NOTIFY_URL}}/${n < 4 ? 'fail' : 'x'}`,
      schedule_at: at,
      payload: n,
    })),
  });
  await service.command('create_cron_trigger', {
    name: 'tick',
    webhook: 'https://jobs.example.com/tick',
    schedule: '0 0 1 1 *',
    include_in_metadata: true,
  });
  await callsCounted(service, 12);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('the charts show the calls of the last hour by outcome', () =>
  on('/events/delivery', async (page) => {
    const chart = page.getByRole('img', { name: /^Calls in each minute: 12 calls, 4 failed \(33 %\)/ });
    await chart.waitFor();
    expect(await chart.getAttribute('aria-label')).toContain('delivered at most 8');
    await chart.locator('svg path').first().waitFor({ state: 'attached' });
    await page.getByRole('img', { name: /^Duration of calls: p95/ }).waitFor();
    await page.getByRole('img', { name: /^Lateness of calls: p95/ }).waitFor();
  }));

test('a destination is listed with its calls and failures', () =>
  on('/events/delivery', async (page) => {
    const destination = row(page, webhook.url);
    await destination.getByText('4 (33 %)').waitFor();
    await destination.getByText('12', { exact: true }).waitFor();
  }));

test('the charts of one destination are opened from its details, and the address selects them', () =>
  on('/events/delivery', async (page) => {
    await row(page, webhook.url).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Show its charts' }).click();
    await expect
      .poll(() => new URL(page.url()).searchParams.get('destination'), { message: 'the address has the destination' })
      .toBe(webhook.url);
    expect(await page.getByRole('combobox', { name: 'Destination' }).inputValue()).toBe(webhook.url);
  }));

test('a link selects the range and the cause of calls', () =>
  on('/events/delivery?range=7d&kind=cron', async (page) => {
    await page.getByRole('img', { name: /^Calls in each hour: 0 calls/ }).waitFor();
    expect(await page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
    await page.getByText('30 days').click();
    await page.getByRole('img', { name: /^Calls in each 3 hours: 0 calls/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('range')).toBe('30d');
  }));

test('creates an alert with its errors at the fields, edits and deletes it', () =>
  on('/events/delivery', async (page) => {
    await page.getByRole('button', { name: 'Create an alert' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('textbox', { name: 'Name' }).fill('calls fail');
    await drawer.getByLabel('Failed, in percent').fill('120');
    await drawer.getByLabel('Webhook URL').fill('{{NOTIFY_URL}}/alert');
    await drawer.getByRole('button', { name: 'Create the alert' }).click();
    await drawer.getByText('Must be a number from 0 to 100.').waitFor();
    await drawer.getByLabel('Failed, in percent').fill('50');
    await drawer.getByRole('button', { name: 'Create the alert' }).click();
    await row(page, 'calls fail').getByText('More than 50 % of at least 10 calls fail within 5 minutes').waitFor();
    await row(page, 'calls fail').click();
    await drawer.getByLabel('Condition').selectOption('Due events wait');
    await drawer.getByRole('button', { name: 'Save the alert' }).click();
    await row(page, 'calls fail').getByText('A due event waits for more than 1 minute').waitFor();
    await row(page, 'calls fail').click();
    await drawer.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the alert' }).click();
    await page.getByText('There is no alert').waitFor();
    expect(await service.command('get_alerts', {})).toEqual({ alerts: [] });
  }));

test('an active alert calls its webhook and is listed as active', async () => {
  const rule = { kind: 'failure_rate', percent: 20, window_minutes: 60 };
  await service.command('set_alert', { name: 'many failures', rule, webhook: '{{NOTIFY_URL}}/alert' });
  await on('/events/delivery', (page) => row(page, 'many failures').getByText('Active', { exact: true }).waitFor());
  await expect
    .poll(() => webhook.received.filter(({ path }) => path === '/alert').map(({ body }) => JSON.parse(body).state), {
      timeout: 20_000,
      message: 'the webhook was called',
    })
    .toEqual(['started']);
  await service.command('delete_alert', { name: 'many failures' });
});

test.each([
  ['light', 1_440],
  ['dark', 390],
] as const)('the page has no serious accessibility violation in %s at a width of %d', (colorScheme, width) =>
  on('/events/delivery', async (page) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.getByRole('img', { name: /^Calls in each minute/ }).waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
  }),
);
