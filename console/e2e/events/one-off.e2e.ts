/** Browser tests of one-off events: scheduling, lists, log and cancellation. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser, type Visit, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

const signingKey = randomBytes(32);

let browser: Browser;
let webhook: Webhook;
let service: Service;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  const HOOK_KEY = `whsec_${signingKey.toString('base64')}`;
  service = await startService({ NOTIFY_URL: webhook.url, NOTIFY_KEY: 'k-1', HOOK_KEY });
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page, seen: Visit) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

function schedule(args: object): Promise<unknown> {
  const usual = { webhook: '{{NOTIFY_URL}}/x', payload: {}, schedule_at: new Date().toISOString() };
  return service.command('create_scheduled_event', { ...usual, ...args });
}

test('schedules an event, shows it in flight and processed, and logs its request and response', () =>
  on('', async (page) => {
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('link', { name: 'Schedule an event' }).first().click();
    await page.getByLabel('Webhook URL').fill('{{NOTIFY_URL}}/held');
    await page.getByLabel('Payload').fill('{"customerId": 12345678901234567890, "rate": 1.25}');
    await page.getByRole('button', { name: 'Format' }).click();
    await page.getByRole('button', { name: 'Advanced' }).click();
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 1').fill('X-Key');
    await page.getByLabel('Source of the value of header 1').selectOption('environment');
    await page.getByLabel('Variable of header 1').fill('NOTIFY_KEY');
    await page.getByLabel('Comment').fill('Renewal of the contract');
    await page.getByRole('button', { name: 'Schedule the event' }).click();

    await page.getByText('Event scheduled').waitFor();
    const details = page.getByRole('dialog', { name: 'Event' });
    await details.getByText('In flight', { exact: true }).waitFor();
    webhook.release('/held');
    await details.getByText('Delivered by the first attempt.').waitFor();
    expect(await details.getByRole('region', { name: 'payload' }).innerText()).toBe(
      '{\n  "customerId": 12345678901234567890,\n  "rate": 1.25\n}',
    );
    await details.getByRole('region', { name: 'request body' }).getByText('"scheduled_time"').waitFor();
    await details.getByText('{{NOTIFY_KEY}}').waitFor();
    expect(await details.getByRole('region', { name: 'response body' }).innerText()).toBe('{\n  "accepted": true\n}');
    await page.keyboard.press('Escape');

    await row(page, 'Renewal of the contract').getByText('Delivered').waitFor();

    expect(webhook.received).toHaveLength(1);
    expect(webhook.received[0]).toMatchObject({ path: '/held', headers: { 'x-key': 'k-1' } });
    expect(webhook.received[0]?.body).toContain('12345678901234567890');
    expect(webhook.received[0]?.body).toContain('1.25');
  }));

test('sends the payload alone, signs it with keys of the event, transforms it, and searches the calls', () =>
  on('/events/one-off/schedule', async (page) => {
    await page.getByLabel('Webhook URL').fill('{{NOTIFY_URL}}/bare');
    await page.getByLabel('Payload').fill('{"rate": 12345678901234567890}');
    await page.getByRole('button', { name: 'Advanced' }).click();
    await page.getByRole('combobox', { name: 'Body', exact: true }).selectOption('payload');
    await page.getByLabel('Signature').selectOption('own');
    await page.getByRole('button', { name: 'Schedule the event' }).click();
    await page.getByLabel('Variable with the keys').waitFor();
    await expect.poll(() => page.getByLabel('Variable with the keys').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Variable with the keys').fill('HOOK_KEY');
    await page.getByRole('button', { name: 'How the receiver verifies it' }).click();
    await page.getByText('joinery/webhooks').click();
    await page.getByRole('region', { name: 'verification' }).getByText('receiver.verify(body').waitFor();
    await page.getByRole('region', { name: 'body', exact: true }).getByText('12345678901234567890').waitFor();
    await page.getByRole('button', { name: 'Schedule the event' }).click();
    await page.getByText('Event scheduled').waitFor();
    const call = () => webhook.received.find(({ path }) => path === '/bare');
    await expect.poll(call).toBeDefined();
    const { headers = {}, body = '' } = call() ?? {};
    expect(body).toBe('{"rate":12345678901234567890}');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', signingKey).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);

    await page.goto(`${service.url}/console/events/one-off/schedule`);
    await page.getByLabel('Webhook URL').fill('{{NOTIFY_URL}}/fail');
    await page.getByRole('button', { name: 'Advanced' }).click();
    await page.getByRole('button', { name: 'Start from an example' }).click();
    await page.getByRole('button', { name: 'Try the transform' }).click();
    const tried = page.getByRole('region', { name: 'transformed request' });
    await tried.getByText('PUT https://notify-url.example/fail/').waitFor();
    await page.getByLabel('Comment').fill('Reshaped');
    await page.getByRole('button', { name: 'Schedule the event' }).click();
    await page.getByText('Event scheduled').waitFor();
    await expect.poll(() => webhook.received.some(({ path }) => /^\/fail\/[\w-]{36}$/.test(path))).toBe(true);

    await page.goto(`${service.url}/console/events/one-off/logs?result=5xx`);
    await row(page, '/fail').waitFor();
    expect(await row(page, '/bare').count()).toBe(0);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('combobox', { name: 'Result of a call' }).fill('often');
    await page.getByRole('button', { name: 'Show matching events' }).click();
    await page.getByText('Must be a status such as 503').waitFor();
    await page.getByRole('combobox', { name: 'Result of a call' }).fill('200');
    await page.getByRole('textbox', { name: 'Response or error contains' }).fill('accepted');
    await page.getByRole('button', { name: 'Show matching events' }).click();
    await row(page, '/bare').waitFor();
    await row(page, '/fail').waitFor({ state: 'detached' });
  }));

test('the inputs of local time and UTC follow each other, and a pending event is canceled after a confirmation', () =>
  on('/events/one-off/schedule', async (page) => {
    await page.getByLabel('Webhook URL').fill(`${webhook.url}/canceled`);
    await page.getByLabel('UTC').fill('2030-07-01T08:00:00');
    expect(await page.getByLabel('Local (Europe/Berlin)').inputValue()).toMatch(/^2030-07-01T10:00/);
    await page.getByLabel('Local (Europe/Berlin)').fill('2030-01-01T08:00:30');
    expect(await page.getByLabel('UTC').inputValue()).toBe('2030-01-01T07:00:30');
    await page.getByRole('button', { name: 'Schedule the event' }).click();

    const details = page.getByRole('dialog', { name: 'Event' });
    await details.getByText('1 Jan 2030, 08:00:30').first().waitFor();
    await details.getByRole('button', { name: 'Cancel' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this event?' });
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await details.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Cancel this event' }).click();
    await dialog.getByText('1 event canceled').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await details.getByText('Canceled', { exact: true }).waitFor();
    const left = await service.command('get_scheduled_events', { type: 'one_off', status: ['scheduled', 'locked'] });
    expect(left).toEqual({ events: [] });
  }));

test('does not cancel an event in flight, and logs its call', () =>
  on('/events/one-off/in-flight', async (page) => {
    const retry_conf = { num_retries: 1, retry_interval_seconds: 9_999 };
    await schedule({ webhook: '{{NOTIFY_URL}}/held/and/fail', retry_conf });
    await row(page, '/held/and/fail').getByRole('link').click();
    const details = page.getByRole('dialog', { name: 'Event' });
    await details.getByText('In flight', { exact: true }).waitFor();
    await details.getByRole('button', { name: 'Cancel' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this event?' });
    await dialog.getByRole('button', { name: 'Cancel this event' }).click();
    await dialog.getByText('The event is being called.').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    webhook.release('/held/and/fail');
    await details.getByText('Retrying').waitFor();
    const log = () => service.command('get_scheduled_event_invocations', { type: 'one_off' });
    expect(await log()).toMatchObject({
      invocations: expect.arrayContaining([expect.objectContaining({ status: 503 })]),
    });
  }));

describe('shows errors of the service at their field', () => {
  test.each([
    ['a variable that is not set', '{{NOT_SET}}/remind', 'Webhook URL'],
    ['an invalid URL', 'ftp://example.com', 'Webhook URL'],
  ])('%s', (_what, url, label) =>
    on('/events/one-off/schedule', async (page, seen) => {
      await page.getByLabel('Payload').fill('{"kept": true}');
      await page.getByLabel('Webhook URL').fill(url);
      await page.getByRole('button', { name: 'Schedule the event' }).click();
      const field = page.getByLabel(label);
      await page.locator('[aria-invalid="true"]').waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
      expect(await page.getByLabel('Payload').inputValue()).toBe('{"kept": true}');
      discardRejections(seen);
    }),
  );

  test('also under Advanced, which it opens', () =>
    on('/events/one-off/schedule', async (page, seen) => {
      await page.getByLabel('Webhook URL').fill(webhook.url);
      await page.getByRole('button', { name: 'Advanced' }).click();
      await page.getByRole('button', { name: 'Add a header' }).click();
      await page.getByRole('button', { name: 'Add a header' }).click();
      await page.getByLabel('Name of header 2').fill('X-Key');
      await page.getByLabel('Source of the value of header 2').selectOption('environment');
      await page.getByLabel('Variable of header 2').fill('NOT_SET_EITHER');
      await page.getByRole('button', { name: 'Advanced' }).click();
      await page.getByRole('button', { name: 'Schedule the event' }).click();
      const field = page.getByLabel('Variable of header 2');
      await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      discardRejections(seen);
    }));
});

/** The browser logs each error response. These are expected. */
function discardRejections({ complaints }: Visit): void {
  const list = complaints as string[];
  list.splice(0, list.length, ...list.filter((text) => !/status of (400|409)/.test(text)));
}

describe('a list', () => {
  test('is not polled while the tab is hidden', () =>
    on('/events/activity', async (page) => {
      await page.getByRole('table').waitFor();
      await page.clock.install();
      await page.reload();
      await page.getByRole('table').waitFor();
      let requests = 0;
      page.on('request', () => {
        requests += 1;
      });
      // The interval increases with the duration of requests.
      await page.clock.runFor(60_000);
      await expect.poll(() => requests).toBeGreaterThan(0);
      await setVisibility(page, 'hidden');
      await page.waitForLoadState('networkidle');
      const before = requests;
      await page.clock.runFor(60_000);
      expect(requests).toBe(before);
      await setVisibility(page, 'visible');
      await expect.poll(() => requests).toBeGreaterThan(before);
    }));
});

async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, state);
}
