/** Browser tests of cron triggers: runs, run now, pause, presets, and the schedule in words. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let service: Service;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  service = await startService({ NOTIFY_URL: webhook.url });
  const trigger = { schedule: '0 2 * * *', timezone: 'Europe/Berlin', include_in_metadata: true };
  for (const name of ['nightly', 'paused', 'fail']) {
    await service.command('create_cron_trigger', { ...trigger, name, webhook: `{{NOTIFY_URL}}/${name}` });
  }
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const calls = (path: string) => webhook.received.filter((one) => one.path === path).length;

test('the list shows the schedule in words and the next run', () =>
  on('/events/cron/all', async (page) => {
    await row(page, 'nightly').getByText('At 02:00, Europe/Berlin time.').waitFor();
    await row(page, 'nightly')
      .getByText(/^in \d+ (hours?|minutes?|seconds?)$/)
      .waitFor();
  }));

test('runs a trigger at once and shows the result of the run', () =>
  on('/events/cron/all', async (page) => {
    await page.getByRole('button', { name: 'Run now: nightly' }).click();
    await page.getByText('Run queued').waitFor();
    await row(page, 'nightly').getByText('Delivered').waitFor();
    expect(calls('/nightly')).toBe(1);
  }));

test('a failed run is shown in the list and in the details of its trigger', () =>
  on('/events/cron/all?trigger=fail', async (page) => {
    const details = page.getByRole('dialog', { name: 'Cron trigger' });
    await details.getByRole('button', { name: 'Run now' }).click();
    await details.getByRole('table', { name: 'Latest runs' }).getByText('Failed').waitFor();
    await details.getByRole('button', { name: 'Close' }).click();
    await row(page, 'fail').getByText('Failed').waitFor();
    await row(page, 'fail').getByRole('img', { name: 'Last 1 run, 1 failed' }).waitFor();
  }));

test('pauses a trigger, which has no next run until it is resumed', () =>
  on('/events/cron/all', async (page) => {
    await row(page, 'paused').click();
    const details = page.getByRole('dialog', { name: 'Cron trigger' });
    await details.getByRole('button', { name: 'Pause' }).click();
    await details.getByText('None while the trigger is paused.').waitFor();
    expect(await service.command('get_cron_trigger_stats', {})).toMatchObject({
      triggers: expect.arrayContaining([expect.objectContaining({ name: 'paused', paused: true, next_run_at: null })]),
    });
    await details.getByRole('button', { name: 'Resume' }).click();
    await details.getByRole('list', { name: 'Next runs' }).waitFor();
    await details.getByText('Active').waitFor();
  }));

test('the details have an address, and Back closes them', () =>
  on('/events/cron/all', async (page) => {
    await row(page, 'nightly').click();
    await page.getByRole('dialog', { name: 'Cron trigger' }).waitFor();
    expect(new URL(page.url()).searchParams.get('trigger')).toBe('nightly');
    await page.goBack();
    await page.getByRole('dialog', { name: 'Cron trigger' }).waitFor({ state: 'detached' });
  }));

test('a preset fills the schedule, which is read in words while it is typed', () =>
  on('/events/cron/new', async (page) => {
    const words = page.getByRole('status', { name: 'Schedule in words' });
    await page.getByText('Weekdays at 09:00').click();
    expect(await page.getByRole('textbox', { name: 'Schedule' }).inputValue()).toBe('0 9 * * MON-FRI');
    await words.getByText('At 09:00, Monday through Friday, UTC.').waitFor();
    await page.getByRole('textbox', { name: 'Schedule' }).fill('*/10 * * * *');
    await words.getByText('Every 10 minutes, UTC.').waitFor();
  }));

test.each([
  ['the list', '/events/cron/all', 'light', 1_440],
  ['the details', '/events/cron/all?trigger=nightly', 'dark', 1_440],
  ['the list', '/events/cron/all', 'dark', 390],
  ['the form', '/events/cron/new', 'light', 390],
] as const)(
  '%s at %s in %s at a width of %d has no serious accessibility violation',
  (_what, path, colorScheme, width) =>
    on(path, async (page) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (path.includes('?')) await page.getByRole('list', { name: 'Next runs' }).waitFor();
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
    }),
);
