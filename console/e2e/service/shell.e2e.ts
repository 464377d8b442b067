/** Browser tests of the shell: sign-in, theme, keyboard, connection loss, first load. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser, type Visit, visit, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

const guard = { JOINERY_ADMIN_SECRET: 'the right secret', JOINERY_HEADER_PREFIX: 'X-Hasura-' };

let browser: Browser;
let service: Service;
let guarded: Service;

beforeAll(async () => {
  browser = await startBrowser();
  [service, guarded] = await Promise.all([startService(), startService(guard)]);
  const event = {
    webhook: 'http://127.0.0.1:9/x',
    payload: {},
    schedule_at: '2031-01-01T00:00:00Z',
    comment: 'Far off',
  };
  await service.command('create_scheduled_event', event);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), guarded?.stop()]);
});

/** A test that failed may leave pages open, a service stopped or its settings changed. */
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await Promise.all([service.restore(), guarded.restore()]);
});

async function signIn(page: Page, secret: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Admin secret' }).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Messages other than expected error responses. */
function unexpected({ complaints }: Visit): string[] {
  return complaints.filter((text) => !/Failed to load resource/.test(text));
}

describe('a service with an admin secret', () => {
  test('requires the secret with any header prefix, and stores it for the tab only', async () => {
    const seen = await visit(browser, `${guarded.url}/console/events/one-off/pending`);
    const { page } = seen;
    await signIn(page, 'a wrong secret');
    await page.getByText('This is not the admin secret').waitFor();
    await signIn(page, guard.JOINERY_ADMIN_SECRET);
    await page.getByText('No event matches the search').waitFor();
    await page.reload();
    await page.getByText('No event matches the search').waitFor();
    const kept = await page.evaluate(() => ({ local: JSON.stringify(localStorage), cookie: document.cookie }));
    expect(JSON.stringify(kept)).not.toContain(guard.JOINERY_ADMIN_SECRET);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByLabel('Admin secret').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin secret').waitFor();
    await seen.close();
    expect(unexpected(seen)).toEqual([]);
  });

  test('requests the secret again after it changed, and preserves the input', async () => {
    const seen = await visit(browser, `${guarded.url}/console/events/one-off/schedule`);
    const { page } = seen;
    await signIn(page, guard.JOINERY_ADMIN_SECRET);
    await page.getByLabel('Webhook URL').fill('http://127.0.0.1:9/typed');
    await guarded.interrupt();
    await guarded.resume({ ...guard, JOINERY_ADMIN_SECRET: 'another' });
    // Polling continues without user input and is rejected.
    await page.getByRole('dialog').waitFor();
    await signIn(page, 'another');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Webhook URL').inputValue()).toBe('http://127.0.0.1:9/typed');
    await page.getByRole('button', { name: 'Schedule the event' }).click();
    await page.getByText('Event scheduled').waitFor();
    await seen.close();
    expect(unexpected(seen)).toEqual([]);
  });
});

test('requests no secret when there is none', async () => {
  const seen = await visit(browser, `${service.url}/console`);
  await seen.page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await seen.page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
  await seen.close();
  expect(seen.complaints).toEqual([]);
});

test('the theme follows the system until it is switched, and persists', async () => {
  const seen = await visit(browser, `${service.url}/console`, { colorScheme: 'dark' });
  const { page } = seen;
  const theme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme);
  await page.getByRole('button', { name: 'Switch to the light theme' }).waitFor();
  expect(await theme()).toBe('dark');
  await page.getByRole('button', { name: 'Switch to the light theme' }).click();
  await expect.poll(theme).toBe('light');
  await page.reload();
  await page.getByRole('button', { name: 'Switch to the dark theme' }).waitFor();
  expect(await theme()).toBe('light');
  await seen.close();
  expect(seen.complaints).toEqual([]);
});

test('an event can be opened and closed by keyboard', async () => {
  const seen = await visit(browser, `${service.url}/console`);
  const { page } = seen;
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Tab');
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  expect(await focused()).toBe('Skip to the page');
  await page.getByRole('link', { name: 'Events', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('page');
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Upcoming' }).focus();
  await page.keyboard.press('Enter');
  const opener = page.getByRole('row').filter({ hasText: 'Far off' }).getByRole('link').first();
  await opener.focus();
  const opened = await focused();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Event', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect.poll(focused).toBe(opened);
  await seen.close();
  expect(seen.complaints).toEqual([]);
});

test('reports an unreachable service, preserves the data, and reconnects automatically', async () => {
  const seen = await visit(browser, `${service.url}/console/events/one-off/pending`);
  const { page } = seen;
  await page.getByText('Far off').waitFor();
  await service.interrupt();
  await page.getByText('The service is unreachable.').waitFor();
  await page.getByText('The data on this page is from before').waitFor();
  await expect
    .poll(() => page.getByRole('alert').allTextContents())
    .toEqual([expect.stringContaining('The service is unreachable')]);
  expect(await page.getByText('Far off').isVisible()).toBe(true);
  await service.resume();
  await page.getByText('The service is unreachable.').waitFor({ state: 'detached' });
  await seen.close();
  expect(unexpected(seen)).toEqual([]);
});

test('the banner of a lost connection replaces the `busy` error of a stopping service', async () => {
  const seen = await visit(browser, `${service.url}/console/events/one-off/pending`);
  const { page } = seen;
  await page.getByText('Far off').waitFor();
  const isListing = (data: string | null): boolean => data?.includes('search_events') === true;
  const stopping = { status: 503, json: { code: 'busy', error: 'the service is shutting down', path: '$' } };
  await page.route('**/v1/metadata', (route) =>
    isListing(route.request().postData()) ? route.fulfill(stopping) : route.continue(),
  );
  await page.getByText('The service is shutting down').first().waitFor();
  // Requests of the list stay open, so that its last result remains the rejection.
  await page.unroute('**/v1/metadata');
  await page.route(/\/v1\//, (route) => (isListing(route.request().postData()) ? undefined : route.abort()));
  await page.getByText('The service is unreachable.').waitFor();
  await expect
    .poll(() => page.getByRole('alert').allTextContents())
    .toEqual([expect.stringContaining('The service is unreachable')]);
  await seen.close();
  expect(unexpected(seen)).toEqual([]);
});

test('code of a page that cannot be loaded is reported in its place, and is loaded when the page opens again', async () => {
  await walk(
    browser,
    `${service.url}/console/`,
    async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.route('**/actions-page-*.js', (route) => route.abort());
      await page.getByRole('link', { name: 'Actions', exact: true }).click();
      await page.getByText('This page could not be shown').waitFor();
      await page.unroute('**/actions-page-*.js');
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.getByRole('link', { name: 'Actions', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Actions' }).waitFor();
    },
    { meant: /Failed to|dynamically imported/ },
  );
});

test('preserves input over a lost connection, does not resubmit it, and submits it on request', async () => {
  const count = async () =>
    ((await service.command('get_scheduled_events', { type: 'one_off', get_rows_count: true })) as { count: number })
      .count;
  const before = await count();
  const seen = await visit(browser, `${service.url}/console/events/one-off/schedule`);
  const { page } = seen;
  await page.getByLabel('Webhook URL').fill('http://127.0.0.1:9/typed');
  await page.getByLabel('Payload').fill('{"typed": 1}');
  await service.interrupt();
  await page.getByRole('button', { name: 'Schedule the event' }).click();
  await page.getByText('The event was not scheduled').waitFor();
  await page.getByText('The data on this page is from before').waitFor();
  await service.resume();
  await page.getByText('The data on this page is from before').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Payload').inputValue()).toBe('{"typed": 1}');
  expect(await count()).toBe(before);
  await page.getByRole('button', { name: 'Schedule the event' }).click();
  await page.getByText('Event scheduled').waitFor();
  expect(await count()).toBe(before + 1);
  await seen.close();
  expect(unexpected(seen)).toEqual([]);
});

test('reports external metadata changes but not own ones, and preserves the input of a form', async () => {
  const seen = await visit(browser, `${service.url}/console/operations/collections`);
  const { page } = seen;
  const changed = page.getByText('The metadata has changed');
  await page.getByRole('button', { name: 'New collection' }).click();
  await page.getByLabel('Name').fill('mine');
  await page.getByRole('button', { name: 'Create the collection' }).click();
  await page.getByRole('heading', { name: 'mine' }).waitFor();
  const readMetadata = () =>
    page.waitForResponse((response) => response.request().postData()?.includes('get_resource_version') ?? false);
  await readMetadata();
  await readMetadata();
  expect(await changed.count()).toBe(0);

  await page.getByRole('button', { name: 'Add an operation' }).click();
  await page.getByLabel('Name').fill('half typed');
  await service.command('create_query_collection', { name: 'theirs', definition: { queries: [] } });
  await changed.waitFor({ state: 'attached' });
  expect(await page.getByLabel('Name').inputValue()).toBe('half typed');
  await page.getByRole('textbox', { name: 'Operation' }).fill('{ __typename }');
  await page.getByRole('button', { name: 'Add the operation' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'theirs' }).waitFor();
  await changed.waitFor({ state: 'detached' });
  await seen.close();
  expect(unexpected(seen)).toEqual([]);
});

test('does not overwrite limits that changed elsewhere', async () => {
  const seen = await visit(browser, `${service.url}/console/operations/limits`);
  const { page } = seen;
  await page.getByRole('button', { name: 'Set limits' }).click();
  await service.command('set_api_limits', { depth_limit: { global: 3 } });
  await page.getByRole('button', { name: 'Save the limits' }).click();
  await page.getByText('The limits were not changed').waitFor();
  expect(await service.command('export_metadata', {})).toMatchObject({ api_limits: { depth_limit: { global: 3 } } });
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('cell', { name: '3 levels of selections' }).waitFor();
  await seen.close();
  expect(unexpected(seen)).toEqual([]);
});

test('does not overwrite types that changed elsewhere while an action is edited', async () => {
  const types = (...names: string[]) => ({
    objects: names.map((name) => ({ name, fields: [{ name: 'id', type: 'Int!' }] })),
  });
  const names = async () => {
    const { custom_types } = (await service.command('export_metadata', {})) as {
      custom_types: { objects: readonly { readonly name: string }[] };
    };
    return custom_types.objects.map(({ name }) => name).sort();
  };
  await service.command('set_custom_types', types('Placed'));
  const definition = { handler: 'http://127.0.0.1:9/place', output_type: 'Placed', type: 'mutation' };
  await service.command('create_action', { name: 'place', definition });
  const seen = await visit(browser, `${service.url}/console/actions/of/place?tab=handler`);
  const { page } = seen;
  await page.getByRole('textbox', { name: 'Handler' }).fill('http://127.0.0.1:9/other');
  await service.command('set_custom_types', types('Placed', 'Theirs'));
  const save = page.getByRole('button', { name: 'Save the action' });
  await save.click();
  await page.getByText(/did not match current version/).waitFor();
  expect(await names()).toEqual(['Placed', 'Theirs']);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('Data reloaded').waitFor();
  await save.click();
  await page.getByText('Action changed').waitFor();
  expect(await names()).toEqual(['Placed', 'Theirs']);
  expect(await service.command('export_metadata', {})).toMatchObject({
    actions: [{ name: 'place', definition: { handler: 'http://127.0.0.1:9/other' } }],
  });
  await seen.close();
  expect(unexpected(seen)).toEqual([]);
});

test('does not overwrite a cron trigger that changed elsewhere', async () => {
  const trigger = { name: 'nightly', webhook: 'http://127.0.0.1:9/x', include_in_metadata: true };
  await service.command('create_cron_trigger', { ...trigger, schedule: '0 2 1 1 *' });
  const seen = await visit(browser, `${service.url}/console/events/cron/edit:nightly`);
  const { page } = seen;
  await page.getByRole('textbox', { name: 'Schedule' }).fill('0 3 1 1 *');
  await page.waitForLoadState('networkidle');
  await service.command('create_cron_trigger', { ...trigger, schedule: '0 4 1 1 *', replace: true });
  await page.getByRole('button', { name: 'Save the trigger' }).click();
  await page.getByText(/did not match current version/).waitFor();
  expect(await page.getByRole('textbox', { name: 'Schedule' }).inputValue()).toBe('0 3 1 1 *');
  expect(await service.command('get_cron_triggers', {})).toMatchObject({ cron_triggers: [{ schedule: '0 4 1 1 *' }] });
  await seen.close();
  expect(unexpected(seen)).toEqual([]);
});

test('the first load is under 400 kB compressed, and all of it comes from the service', async () => {
  const seen = await visit(browser, `${service.url}/console`);
  await seen.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await seen.page.waitForLoadState('networkidle');
  const bytes = await seen.page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize)
      .reduce((sum, size) => sum + size, 0),
  );
  await seen.close();
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(400_000);
  expect(seen.complaints).toEqual([]);
});
