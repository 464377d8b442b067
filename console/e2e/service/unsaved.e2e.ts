/** Browser tests of unsaved changes: no form, dialog or drawer is closed before the user has confirmed it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { openTeaShop } from '../support/tea-shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await openTeaShop(service);
  await service.command('create_query_collection', {
    name: 'shop',
    definition: { queries: [{ name: 'kinds', query: '{ __typename }' }] },
  });
  await service.command('pg_create_object_relationship', {
    table: 'order',
    name: 'buyer',
    using: { foreign_key_constraint_on: 'customer_id' },
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);

const confirmation = (page: Page) => page.getByRole('dialog', { name: 'Discard your changes?' });

const press = (name: string | RegExp) => async (page: Page) => {
  await page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();
};

interface Overlay {
  readonly what: string;
  readonly path: string;
  readonly open: (page: Page) => Promise<void>;
}

/** Forms in dialogs and drawers. */
const overlays: readonly Overlay[] = [
  { what: 'a new source', path: '/data', open: press('Add a source') },
  {
    what: 'a new relationship',
    path: '/data/default/public/customer/relationships',
    open: press('Add a relationship'),
  },
  { what: 'an edited relationship', path: '/data/default/public/order/relationships', open: press('Edit buyer') },
  { what: 'the names of a table', path: '/data/default/public/customer/columns', open: press('Edit names') },
  { what: 'a new collection', path: '/operations/collections', open: press('New collection') },
  { what: 'an operation of a collection', path: '/operations/collections', open: press('Add an operation') },
  { what: 'a new REST endpoint', path: '/operations/endpoints', open: press('New endpoint') },
  { what: 'the limits of callers', path: '/operations/limits', open: press('Set limits') },
  { what: 'a logical model', path: '/data/default/native-queries', open: press(/logical model/) },
];

/** Pages that are forms. */
const pages: readonly { readonly what: string; readonly path: string }[] = [
  { what: 'a one-off event', path: '/events/one-off/schedule' },
  { what: 'a cron trigger', path: '/events/cron/new' },
  { what: 'an event trigger', path: '/events/triggers/new' },
  { what: 'an action', path: '/actions/new' },
  { what: 'a remote schema', path: '/remotes/new' },
  { what: 'a new table', path: '/data/default/new-table' },
  { what: 'the settings of a source', path: '/data/default/settings' },
  { what: 'an import of metadata', path: '/settings' },
];

/** Changes the first text field. Returns it. */
async function type(within: Locator): Promise<Locator> {
  const field = within
    .locator('input:not([type=hidden],[type=file],[type=checkbox],[role=combobox],[readonly]), textarea')
    .and(within.page().locator(':visible:enabled'))
    .first();
  await field.fill('typed');
  return field;
}

describe('a form in a dialog or drawer closes with Escape while it is unchanged, and after a confirmation then', () => {
  test.each(overlays)('$what', ({ path, open }) =>
    on(path, async (page) => {
      const dialog = page.getByRole('dialog').first();
      await open(page);
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await open(page);
      const field = await type(dialog);
      await page.keyboard.press('Escape');
      await confirmation(page).waitFor();
      await page.keyboard.press('Escape');
      await confirmation(page).waitFor({ state: 'detached' });
      expect(await field.inputValue()).toBe('typed');
      await dialog.getByRole('button', { name: /^(Back|Cancel)$/ }).click();
      await confirmation(page).getByRole('button', { name: 'Discard the changes' }).click();
      await dialog.waitFor({ state: 'detached' });
    }),
  );
});

describe('a changed form on a page is left after a confirmation', () => {
  test.each(pages)('$what', ({ path }) =>
    on(path, async (page) => {
      const form = page.getByRole('main');
      const field = await type(form);
      await page.getByRole('link', { name: 'Overview' }).click();
      await confirmation(page).getByRole('button', { name: 'Keep editing' }).click();
      expect(await field.inputValue()).toBe('typed');
      await page.getByRole('link', { name: 'Overview' }).click();
      await confirmation(page).getByRole('button', { name: 'Discard the changes' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    }),
  );
});

test('a click beside a drawer with changes closes it after a confirmation', () =>
  on('/data', async (page) => {
    await press('Add a source')(page);
    const dialog = page.getByRole('dialog').first();
    const field = await type(dialog);
    await page.mouse.click(20, 400);
    await confirmation(page).getByRole('button', { name: 'Keep editing' }).click();
    expect(await field.inputValue()).toBe('typed');
  }));

test('the browser confirms a reload while a form has changes, and not after they are saved', () =>
  on('/operations/collections', async (page) => {
    const isGuarded = () => page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(await isGuarded()).toBe(false);
    await press('New collection')(page);
    await page.getByLabel('Name').fill('saved');
    await expect.poll(isGuarded).toBe(true);
    await press('Create the collection')(page);
    await page.getByRole('heading', { name: 'saved' }).waitFor();
    await expect.poll(isGuarded).toBe(false);
  }));

test('a form with a rejected save still has unsaved changes', () =>
  walk(
    browser,
    `${service.url}/console/operations/collections`,
    async (page) => {
      await press('New collection')(page);
      await page.getByLabel('Name').fill('shop');
      await press('Create the collection')(page);
      await page.getByRole('alert').waitFor();
      await page.keyboard.press('Escape');
      await confirmation(page).waitFor();
    },
    { meant: /^Failed to load/ },
  ));

test('every form of the console registers its unsaved changes', () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
  const unregistered = files.filter((name) => {
    const text = readFileSync(join(src, name), 'utf8');
    if (!text.includes('<form')) return false;
    return !/use(DraftForm|ActionForm|RequestForm|Configuration|UnsavedWork)\b|isUnsaved=/.test(text);
  });
  expect(unregistered).toEqual([]);
});
