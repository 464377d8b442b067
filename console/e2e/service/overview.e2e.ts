/** Browser tests of the overview: whether the service is well, and links to what needs attention. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { callsCounted } from '../support/traffic.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let well: Service;
let failing: Service;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  [well, failing] = await Promise.all([startService(), startService({ JOINERY_EVENTS_CIRCUIT_FAILURES: '0' })]);
  const at = new Date().toISOString();
  const event = (path: string) => ({ webhook: `${webhook.url}/${path}`, schedule_at: at, payload: 1 });
  await failing.command('create_scheduled_events', {
    events: [...Array(50).fill(event('fail')), ...Array(25).fill(event('x'))],
  });
  await callsCounted(failing, 75);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([well?.stop(), failing?.stop(), webhook?.stop()]);
});

const on = (service: Service, steps: (page: Page) => Promise<void>) => walk(browser, `${service.url}/console`, steps);

test('a service without failures is well', () =>
  on(well, async (page) => {
    await page.getByRole('heading', { name: 'All is well', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Nodes' }).getByText('1 node alive').waitFor();
  }));

test('failed calls of events are a problem, which leads to the charts of their destination', () =>
  on(failing, async (page) => {
    await page.getByRole('heading', { name: /needs? attention$/ }).waitFor();
    await page.getByRole('region', { name: 'Calls of events' }).getByText('75 calls').waitFor();
    await page.getByRole('link', { name: '50 of 75 calls failed in the last hour (67 %)' }).click();
    await page.getByRole('heading', { name: 'Delivery', level: 1 }).waitFor();
    await page.getByRole('img', { name: /^Calls in each minute: 75 calls, 50 failed/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('destination')).toBe(webhook.url);
  }));

test('a paused destination is a notice', async () => {
  await well.command('pause_event_destination', { destination: 'https://paused.example.com' });
  await on(well, async (page) => {
    await page.getByRole('heading', { name: 'All is well, with 1 notice' }).waitFor();
    await page.getByRole('link', { name: 'https://paused.example.com is paused' }).waitFor();
  });
  await well.command('resume_event_destination', { destination: 'https://paused.example.com' });
});

test.each([
  ['Calls of events', /\/events\/delivery$/],
  ['Metadata', /\/settings$/],
  ['Nodes', /\/settings\/nodes$/],
])('the card %s leads to its page', (name, path) =>
  on(well, async (page) => {
    await page.getByRole('region', { name }).getByRole('link').click();
    await expect.poll(() => new URL(page.url()).pathname, { message: 'the page of the card' }).toMatch(path);
  }),
);

test.each([
  ['light', 1_440],
  ['dark', 390],
] as const)('the page has no serious accessibility violation in %s at a width of %d', (colorScheme, width) =>
  on(failing, async (page) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.getByRole('heading', { name: /needs? attention$/ }).waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
  }),
);
