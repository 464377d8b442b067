/** Screenshots and accessibility checks of all pages in both themes and widths. */
import type { Page } from 'playwright-core';
import { captureScenes, type ServiceScene, signIn } from './two-services.ts';

/** Opens the first row that contains `text`. */
function openRow(text: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator('tbody tr').filter({ hasText: text }).first().click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Response' }).first().waitFor();
  };
}

async function fillInBadly(page: Page): Promise<void> {
  await page.getByLabel('Webhook URL').fill('ftp://example.com');
  await page.getByLabel('Payload').fill('{"customerId": }');
  await page.getByRole('button', { name: 'Advanced' }).click();
  await page.getByRole('button', { name: 'Add a header' }).click();
  await page.getByLabel('Name of header 1').fill('X Key');
  await page.getByLabel('Source of the value of header 1').selectOption('environment');
  await page.getByLabel('Tolerance in seconds').fill('a day');
  await page.getByRole('button', { name: 'Schedule the event' }).click();
  await page.getByText('Must be a whole number').waitFor();
}

const scenes: readonly ServiceScene[] = [
  { name: 'sign-in', path: '/', guarded: true },
  { name: 'overview', path: '/', act: (page) => page.getByText('Inconsistent metadata objects').waitFor() },
  {
    name: 'overview-without-errors',
    path: '/',
    guarded: true,
    act: async (page) => {
      await signIn(page);
      await page.getByText('Consistent').waitFor();
    },
  },
  { name: 'events', path: '/events/activity?time=any' },
  {
    name: 'events-cancel',
    path: '/events/activity?status=scheduled&time=any',
    above: true,
    act: async (page) => {
      await page.getByRole('checkbox').nth(1).click();
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByText('Cancel this event?').waitFor();
    },
  },
  {
    name: 'events-empty',
    path: '/events/activity',
    guarded: true,
    act: async (page) => {
      await signIn(page);
      await page.getByText('There is no event yet').waitFor();
    },
  },
  {
    name: 'events-chosen',
    path: '/events/activity?time=any&q=renewal',
    act: async (page) => {
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByRole('checkbox').nth(1).click();
      await page.getByText('1 event chosen').waitFor();
    },
  },
  {
    name: 'reschedule',
    path: '/events/activity?status=scheduled&time=any',
    above: true,
    act: async (page) => {
      await page.getByRole('checkbox').nth(1).click();
      await page.getByRole('button', { name: 'Reschedule' }).click();
      await page.getByText('Reschedule this event?').waitFor();
    },
  },
  {
    name: 'delivery',
    path: '/events/delivery',
    act: async (page) => {
      await page.getByText('https://api.example.com').waitFor();
      await page.getByRole('img', { name: /^Calls in each minute/ }).waitFor();
    },
  },
  {
    name: 'destination',
    path: '/events/delivery',
    above: true,
    act: async (page) => {
      await page.getByText('https://api.example.com').click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
    },
  },
  { name: 'cron', path: '/events/cron/all', act: (page) => page.getByText('nightly_orders').waitFor() },
  {
    name: 'cron-trigger',
    path: '/events/cron/all',
    above: true,
    act: async (page) => {
      await page.getByText('nightly_orders').click();
      await page.getByRole('list', { name: 'Next runs' }).waitFor();
    },
  },
  {
    name: 'cron-form',
    path: '/events/cron/new',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Schedule' }).fill('*/15 9-17 * * MON-FRI');
      await page.getByRole('list', { name: 'Next runs' }).waitFor();
    },
  },
  {
    name: 'schedule-advanced',
    path: '/events/one-off/schedule',
    act: async (page) => {
      await page.getByRole('button', { name: 'Advanced' }).click();
      await page.getByLabel('Signature').selectOption('own');
      await page.getByLabel('Variable with the keys').fill('NOTIFY_KEY');
      await page.getByRole('button', { name: 'Start from an example' }).click();
      await page.getByRole('button', { name: 'How the receiver verifies it' }).click();
      await page.getByLabel('Jitter').waitFor();
    },
  },
  { name: 'retrying', path: '/events/activity?time=any', above: true, act: openRow('Retrying') },
  { name: 'delivered', path: '/events/activity?status=delivered&time=any', above: true, act: openRow('Order 2') },
  {
    name: 'failed',
    path: '/events/activity?status=error&time=any&q=No%20server%20listens',
    above: true,
    act: openRow('No server listens'),
  },
  { name: 'logs', path: '/events/activity?call=failure&time=any' },
  {
    name: 'logs-search',
    path: '/events/activity?call=failure&destination={{NOTIFY_URL}}&time=any',
    act: async (page) => {
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByRole('button', { name: 'Show matching events' }).waitFor();
    },
  },
  { name: 'log-entry', path: '/events/activity?call=503&time=any', above: true, act: openRow('503') },
  { name: 'schedule', path: '/events/one-off/schedule' },
  { name: 'schedule-rejected', path: '/events/one-off/schedule', act: fillInBadly },
  {
    name: 'menu',
    path: '/events/activity',
    above: true,
    from: 'narrow',
    act: (page) => page.getByRole('button', { name: 'Open the navigation' }).click(),
  },
  { name: 'nowhere', path: '/no/such/page' },
  {
    name: 'lost',
    path: '/events/activity?time=any',
    unreachable: true,
    act: async (page) => {
      await page.getByRole('table').waitFor();
      await page.route('**/v1/**', (route) => route.abort());
      await page.getByText('The service is unreachable.').waitFor();
    },
  },
  {
    name: 'lost-overview',
    path: '/',
    unreachable: true,
    act: async (page) => {
      await page.getByText('2 inconsistent').waitFor();
      await page.route(/v1|readyz/, (route) => route.abort());
      await page.getByText('The service is unreachable.').first().waitFor();
    },
  },
];

captureScenes(scenes);
