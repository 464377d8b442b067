/** Browser tests of the undo of redeliveries and of "run now". */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
/** Its destination is paused while events are changed. */
let paused: Webhook;
let open: Webhook;
let service: Service;

beforeAll(async () => {
  [browser, paused, open] = await Promise.all([startBrowser(), startWebhook(), startWebhook()]);
  service = await startService({ PAUSED: paused.url, OPEN: open.url });
});

beforeEach(() => pause(false));

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), paused?.stop(), open?.stop()]);
});

const pause = (isPaused: boolean) =>
  service.command('set_event_destination', { destination: paused.url, paused: isPaused });

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console/events/activity${path}`, steps);

async function schedule(args: object): Promise<string> {
  const created = await service.command('create_scheduled_event', { payload: {}, ...args });
  return (created as { event_id: string }).event_id;
}

async function eventOf(id: string): Promise<Record<string, unknown>> {
  const response = await service.command('get_scheduled_event', { event_id: id });
  return (response as { event: Record<string, unknown> }).event;
}

async function delivered(webhook: string, comment: string): Promise<string> {
  const id = await schedule({ webhook, comment, schedule_at: new Date().toISOString() });
  await expect.poll(async () => (await eventOf(id)).status).toBe('delivered');
  return id;
}

test('a redelivery that has not started is undone: the event is delivered as before', async () => {
  const id = await delivered('{{PAUSED}}/once', 'once');
  await pause(true);
  await on(`?event=${id}`, async (page) => {
    await page.getByRole('dialog', { name: 'Event' }).getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('button', { name: 'Redeliver this event' }).click();
    await page.getByText('1 event queued for redelivery').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 event changed back').waitFor();
  });
  expect(await eventOf(id)).toMatchObject({ status: 'delivered', tries: 1 });
  expect(paused.received.filter(({ path }) => path === '/once')).toHaveLength(1);
});

test('"run now" that has not started is undone: the event is due at its time', async () => {
  const id = await schedule({ webhook: '{{PAUSED}}/later', schedule_at: '2031-01-01T00:00:00Z' });
  await pause(true);
  await on(`?event=${id}`, async (page) => {
    await page.getByRole('dialog', { name: 'Event' }).getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('button', { name: 'Run this event now' }).click();
    await page.getByText('1 event due now').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 event changed back').waitFor();
  });
  expect(await eventOf(id)).toMatchObject({
    status: 'scheduled',
    scheduled_time: '2031-01-01T00:00:00Z',
    next_retry_at: null,
  });
});

test('of many redeliveries, those that have started are reported and stay', async () => {
  const waiting = await delivered('{{PAUSED}}/two', 'both of them');
  const started = await delivered('{{OPEN}}/two', 'both of them');
  await pause(true);
  await on('?q=both&time=any', async (page) => {
    await page.getByRole('checkbox', { name: 'Choose all on this page' }).click();
    await page.getByRole('group', { name: 'Actions on events' }).getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('button', { name: 'Redeliver 2 events' }).click();
    await page.getByText('2 events queued for redelivery').waitFor();
    await expect.poll(async () => (await eventOf(started)).tries).toBe(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 event had been called or changed.').waitFor();
  });
  expect(await eventOf(waiting)).toMatchObject({ status: 'delivered', tries: 1 });
  expect(await eventOf(started)).toMatchObject({ status: 'delivered', tries: 2 });
});
