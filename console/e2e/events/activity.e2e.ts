/** Browser tests of the list of events of all kinds: search, views, addresses, live tail, drawer and changes of many events. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type OrderTable, openOrders } from '../support/order-table.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let service: Service;
let orders: OrderTable;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  service = await startService({ HOOKS: webhook.url });
  orders = await openOrders(service);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console/events/activity${path}`, steps);

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
async function expectAccessible(page: Page): Promise<void> {
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
}

const calls = (path: string) => webhook.received.filter((one) => one.path === path).length;

async function schedule(args: object): Promise<string> {
  const usual = { webhook: '{{HOOKS}}/x', payload: {}, schedule_at: '2031-01-01T00:00:00Z' };
  const created = await service.command('create_scheduled_event', { ...usual, ...args });
  return (created as { event_id: string }).event_id;
}

async function eventOf(id: string): Promise<Record<string, unknown>> {
  const response = await service.command('get_scheduled_event', { event_id: id });
  return (response as { event: Record<string, unknown> }).event;
}

async function finish(args: object): Promise<string> {
  const id = await schedule({ schedule_at: new Date().toISOString(), ...args });
  await expect.poll(async () => (await eventOf(id)).status).not.toMatch(/scheduled|locked/);
  return id;
}

test('lists events of all kinds with their last call, and counts them by status in the same response', async () => {
  await orders.create('paid', { webhook: '{{HOOKS}}/paid' });
  await orders.sql('insert into orders (total) values (1)');
  await finish({ webhook: '{{HOOKS}}/fail/mixed', comment: 'mixed' });
  await expect.poll(() => calls('/paid')).toBe(1);
  await on('', async (page) => {
    await row(page, 'paid').getByText('Delivered').waitFor();
    await row(page, '/fail/mixed').getByText('503 out of order').waitFor();
    await page.getByRole('button', { name: 'Failed 1' }).click();
    await row(page, 'paid').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delivered 1' }).waitFor();
    await page.getByRole('button', { name: 'Failed 1' }).click();
    await page.getByLabel('Kind').selectOption('trigger');
    await row(page, '/fail/mixed').waitFor({ state: 'detached' });
    await row(page, 'paid').waitFor();
    await expectAccessible(page);
  });
});

test('shows 20 events on a screen of 900 pixels', async () => {
  await Promise.all(Array.from({ length: 22 }, (_, number) => schedule({ comment: `dense ${number}` })));
  await on('?q=dense&time=any', async (page) => {
    await page.setViewportSize({ width: 1_440, height: 900 });
    await expect.poll(() => row(page, 'dense').count()).toBe(22);
    const box = await row(page, 'dense').nth(19).boundingBox();
    expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
  });
});

test('a search by text, a saved view and an event have addresses, and Back closes the drawer', async () => {
  const id = await schedule({ comment: 'Contract of Ada' });
  await schedule({ comment: 'Contract of Bob' });
  await on('?time=any', async (page) => {
    await row(page, 'Bob').waitFor();
    await page.getByLabel('Id, key, or part of').fill('of ada');
    await row(page, 'Bob').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('Ada');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await row(page, 'Ada').getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByText(id).waitFor();
    await expectAccessible(page);
    expect(new URL(page.url()).searchParams.get('event')).toBe(id);
    await page.goBack();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'All' }).click();
    await page.reload();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Ada' }).click();
    await row(page, 'Ada').waitFor();
    await row(page, 'Bob').waitFor({ state: 'detached' });
  });
});

test('finds events by the error and the result of a call, and each attempt has an address', async () => {
  const retried = { num_retries: 1, retry_interval_seconds: 0 };
  await finish({ webhook: '{{HOOKS}}/fail/attempts', comment: 'twice', retry_conf: retried });
  await finish({ webhook: '{{HOOKS}}/fine', comment: 'fine' });
  await on('?q=OUT+of+order', async (page) => {
    await row(page, 'twice').waitFor();
    expect(await row(page, 'fine').count()).toBe(0);
    await row(page, 'twice').getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByRole('button', { name: /^Attempt 1/ }).click();
    await drawer.getByRole('button', { name: 'Copy link to attempt 1' }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('attempt')).not.toBeNull();
    const address = page.url();
    await page.goto(
      `${service.url}/console/events/activity?call=503&response=out+of&destination=${encodeURIComponent('{{HOOKS}}')}`,
    );
    await row(page, 'twice').waitFor();
    expect(await row(page, 'fine').count()).toBe(0);
    await page.goto(address);
    await drawer.getByRole('button', { name: 'Copy id' }).waitFor();
    await expect
      .poll(() => drawer.getByRole('button', { name: /^Attempt 1/ }).getAttribute('aria-expanded'))
      .toBe('true');
    expect(await drawer.getByRole('button', { name: /^Attempt 2/ }).getAttribute('aria-expanded')).toBe('false');
    await expectAccessible(page);
  });
});

test('new events appear at the top until the list is paused', () =>
  on('?q=tail', async (page) => {
    await page.getByText('No event matches the search').waitFor();
    await finish({ webhook: '{{HOOKS}}/tail/1' });
    await row(page, '/tail/1').waitFor();
    await page.getByRole('button', { name: 'Pause live' }).click();
    await finish({ webhook: '{{HOOKS}}/tail/2' });
    expect(await row(page, '/tail/2').count()).toBe(0);
    await page.getByRole('button', { name: 'Resume live' }).click();
    await row(page, '/tail/2').waitFor();
  }));

test('a redelivery is reported as queued, and the open drawer follows it to its outcome', async () => {
  const id = await finish({ webhook: '{{HOOKS}}/fail/followed' });
  await on(`?event=${id}`, async (page) => {
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByText('Given up after 1 attempt').waitFor();
    await drawer.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('button', { name: 'Redeliver this event' }).click();
    await page.getByText('1 event queued for redelivery').waitFor();
    await page.getByRole('link', { name: 'Follow the event' }).waitFor();
    await drawer.getByText('Given up after 2 attempts').waitFor();
    await drawer.getByRole('list', { name: 'Timeline' }).getByText('Attempt 2').waitFor();
    expect(await page.getByText('delivered again').count()).toBe(0);
  });
});

test('cancels all events that match a search, and restores them at their time', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => schedule({ comment: 'to be dropped' })));
  await on('?q=DROPPED&time=any', async (page) => {
    await page.getByRole('button', { name: 'Scheduled 3' }).waitFor();
    await page.getByRole('button', { name: 'Change all that match' }).click();
    await page.getByRole('menuitem', { name: /^Cancel/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 events match now.').waitFor();
    await dialog.getByRole('button', { name: /^Cancel all/ }).click();
    await dialog.getByText('3 events canceled').waitFor();
    for (const id of ids) expect(await eventOf(id)).toMatchObject({ status: 'cancelled' });
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('3 events changed back').waitFor();
  });
  for (const id of ids) {
    expect(await eventOf(id)).toMatchObject({ status: 'scheduled', scheduled_time: '2031-01-01T00:00:00Z' });
  }
});

test('changes the chosen events, and reports those that cannot be changed with the reason', async () => {
  const pending = await schedule({ comment: 'chosen one' });
  const done = await finish({ webhook: '{{HOOKS}}/chosen', comment: 'chosen two' });
  await on('?q=chosen&time=any', async (page) => {
    await row(page, 'chosen two').waitFor();
    await page.getByRole('checkbox', { name: 'Choose all on this page' }).click();
    await page.getByText('2 events chosen').waitFor();
    await page.getByRole('group', { name: 'Actions on events' }).getByRole('button', { name: 'Reschedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reschedule 2 events?' });
    await dialog.getByLabel('UTC').fill('2032-01-01T00:00:00');
    await dialog.getByRole('button', { name: 'Reschedule 2 events' }).click();
    await dialog.getByText('1 event rescheduled').waitFor();
    await dialog.getByText('The event has been delivered.').waitFor();
    await expectAccessible(page);
    expect(await eventOf(pending)).toMatchObject({ scheduled_time: '2032-01-01T00:00:00Z' });
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('1 event changed back').waitFor();
  });
  expect(await eventOf(pending)).toMatchObject({ scheduled_time: '2031-01-01T00:00:00Z' });
  expect(await eventOf(done)).toMatchObject({ status: 'delivered' });
});

test('offers the index of payloads, and searches with it', async () => {
  await schedule({ payload: { customer: 7 }, comment: 'seven' });
  await schedule({ payload: { customer: 8 }, comment: 'eight' });
  await on(`?time=any&payload=${encodeURIComponent('{"customer": 7}')}`, async (page) => {
    await row(page, 'seven').waitFor();
    await page.getByRole('button', { name: 'Create the index' }).click();
    await page.getByText('Payloads have no index').waitFor({ state: 'detached' });
    await page.reload();
    await row(page, 'seven').waitFor();
    expect(await row(page, 'eight').count()).toBe(0);
  });
  expect(await service.command('index_event_payloads', {})).toEqual({ state: 'present' });
});

test('former addresses open views of the list', () =>
  walk(browser, `${service.url}/console/events/one-off/pending?comment=dense`, async (page) => {
    await row(page, 'dense').first().waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).toBe('/console/events/activity');
    expect(searchParams.get('status')).toBe('scheduled,locked');
  }));
