/** Browser tests of event actions, destinations and cron triggers. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let service: Service;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  service = await startService({ NOTIFY_URL: webhook.url });
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

interface Created {
  readonly event_id: string;
}

async function schedule(args: object): Promise<string> {
  const usual = { webhook: '{{NOTIFY_URL}}/x', payload: {}, schedule_at: '2031-01-01T00:00:00Z' };
  return ((await service.command('create_scheduled_event', { ...usual, ...args })) as Created).event_id;
}

async function eventOf(id: string): Promise<Record<string, unknown>> {
  const response = await service.command('get_scheduled_event', { event_id: id });
  return (response as { event: Record<string, unknown> }).event;
}

const calls = (path: string) => webhook.received.filter((one) => one.path === path).length;

test('editing a pending event preserves untouched values', async () => {
  const rules = { backoff: 'exponential', jitter: 0.5 };
  const id = await schedule({
    payload: { id: 1 },
    comment: 'before',
    key: 'edited-1',
    retry_conf: { num_retries: 2, ...rules },
  });
  await on(`/events/activity?event=${id}`, async (page) => {
    await page.getByRole('dialog').getByRole('link', { name: 'Edit' }).click();
    expect(await page.getByLabel('Jitter').inputValue()).toBe('0.5');
    await page.getByLabel('Comment').fill('after');
    await page.getByRole('button', { name: 'Save the event' }).click();
    await page.getByText('Event changed').waitFor();
    await page.getByRole('dialog', { name: 'Event' }).getByText('after').waitFor();
  });
  expect(await eventOf(id)).toMatchObject({
    comment: 'after',
    key: 'edited-1',
    payload: { id: 1 },
    scheduled_time: '2031-01-01T00:00:00Z',
    retry_conf: { num_retries: 2, ...rules },
  });
});

test('clones an event with its request', async () => {
  const id = await schedule({ webhook: '{{NOTIFY_URL}}/cloned' });
  await on(`/events/activity?event=${id}`, async (page) => {
    await page.getByRole('dialog', { name: 'Event' }).getByRole('link', { name: 'Clone' }).click();
    expect(await page.getByLabel('Webhook URL').inputValue()).toBe('{{NOTIFY_URL}}/cloned');
    await page.getByRole('button', { name: 'Schedule the event' }).click();
    await expect.poll(() => calls('/cloned')).toBe(1);
  });
});

test('accepts a time in any zone, and offers both instants of a time that occurs twice', () =>
  on('/events/one-off/schedule', async (page) => {
    await page.getByLabel('Webhook URL').fill('{{NOTIFY_URL}}/zoned');
    await page.getByLabel('Local (Europe/Berlin)').fill('2030-10-27T02:30:00');
    await page.getByText('The clocks show this time twice.').waitFor();
    expect(await page.getByLabel('UTC').inputValue()).toMatch(/^2030-10-27T00:30/);
    await page.getByText('The second').click();
    expect(await page.getByLabel('UTC').inputValue()).toMatch(/^2030-10-27T01:30/);
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Asia/Tokyo' }).inputValue())
      .toMatch(/^2030-10-27T10:30/);
  }));

test('pauses a destination, whose events wait until it is resumed', async () => {
  const destination = webhook.url;
  await schedule({ webhook: `${destination}/first`, schedule_at: new Date().toISOString() });
  await expect.poll(() => calls('/first')).toBe(1);
  await on('/events/delivery', async (page) => {
    await row(page, destination).click();
    const details = page.getByRole('dialog', { name: 'Destination' });
    await details.getByRole('button', { name: 'Limits' }).click();
    await page.getByLabel('Calls at the same time').fill('3');
    await page.getByRole('button', { name: 'Change the limits' }).click();
    await page.getByText('Limits changed').waitFor();
    await details.getByRole('button', { name: 'Pause' }).click();
    await details.getByText('Paused', { exact: true }).waitFor();
    const settings = await service.command('get_event_destinations', {});
    expect(settings).toMatchObject({ destinations: [{ destination, concurrency: 3, paused: true }] });
    await details.getByRole('button', { name: 'Resume' }).click();
    await details.getByText('Open to calls').waitFor();
  });
});

test('creates a cron trigger with a preview of its next runs, changes and deletes it', () =>
  on('/events/cron/all', async (page) => {
    await page.getByRole('link', { name: 'Create a trigger' }).first().click();
    await page.getByLabel('Name').fill('nightly orders');
    await page.getByLabel('Webhook URL').fill('{{NOTIFY_URL}}/close');
    const runs = page.getByRole('list', { name: 'Next runs' }).getByRole('listitem');
    await page.getByRole('textbox', { name: 'Schedule' }).fill('30 9 29 2 *');
    await expect.poll(() => runs.count()).toBe(10);
    await page.getByRole('textbox', { name: 'Schedule' }).fill('0 2 * * *');
    await expect.poll(() => runs.first().innerText()).toMatch(/02:00$/);
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await row(page, 'nightly orders').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Schedule' }).fill('0 3 * * *');
    await page.getByRole('button', { name: 'Save the trigger' }).click();
    await row(page, 'At 03:00').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the trigger' }).click();
    await page.getByText('There is no cron trigger').waitFor();
    expect(await service.command('get_cron_triggers', {})).toEqual({ cron_triggers: [] });
  }));
