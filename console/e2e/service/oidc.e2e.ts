/** Browser tests of the sign-in by OpenID Connect. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type OidcProvider, oidcClient, startOidcProvider } from '../../../server/test/support/http/oidc-provider.ts';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { runOperation } from '../support/explorer.ts';
import { type Service, startService } from '../support/service.ts';

const secret = 'only for these tests';

let browser: Browser;
let provider: OidcProvider;
let service: Service;
let settings: Readonly<Record<string, string>>;

beforeAll(async () => {
  browser = await startBrowser();
  provider = await startOidcProvider();
  // The address of the callback has the port of the service, which is known after its first start.
  service = await startService({ JOINERY_ADMIN_SECRET: secret });
  const sql = 'create table note (id int primary key); insert into note values (4711)';
  await fetch(`${service.url}/v2/query`, {
    method: 'POST',
    headers: { 'x-service-admin-secret': secret },
    body: JSON.stringify({ type: 'run_sql', args: { sql } }),
  });
  await service.command('pg_track_table', { table: 'note' });
  settings = {
    JOINERY_ADMIN_SECRET: secret,
    JOINERY_CONSOLE_OIDC_ISSUER: provider.issuer,
    JOINERY_CONSOLE_OIDC_CLIENT_ID: oidcClient.id,
    JOINERY_CONSOLE_OIDC_CLIENT_SECRET: oidcClient.secret,
    JOINERY_CONSOLE_OIDC_REDIRECT_URL: `${service.url}/console/oidc/callback`,
    JOINERY_CONSOLE_OIDC_ALLOWED: 'ada@example.com',
    JOINERY_CONSOLE_OIDC_NAME: 'Example ID',
  };
  await service.interrupt();
  await service.resume(settings);
});

afterEach(() => provider.reset());

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await provider?.close();
});

/** The provider has an origin of its own. */
const on = (path: string, steps: (page: Page) => Promise<void>, meant = /^loads http/) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant });

const signIn = (page: Page) => page.getByRole('link', { name: 'Sign in with Example ID' }).click();

test('a user who signed in with the provider is the author of a change in the audit log', () =>
  on('/sql', async (page) => {
    await signIn(page);
    await write(page, 'SQL', 'create table signed_in (id int primary key)');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/^Done in/).waitFor();
    await page.goto(`${service.url}/console/audit`);
    const row = page.getByRole('table', { name: 'Audit log' }).getByRole('row').filter({ hasText: 'signed_in' });
    await row.getByText('oidc:ada@example.com').waitFor();
  }));

test('the sign-in page explains why a user was rejected', () =>
  on('/', async (page) => {
    provider.claims = { sub: '2', email: 'eve@example.com', email_verified: true };
    await signIn(page);
    await page.getByText(/eve@example.com may not sign in/i).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
    }
  }));

test('the explorer runs operations with the session, over HTTP and a websocket', () =>
  on('/explore', async (page) => {
    await signIn(page);
    const result = page.getByText('4711').first();
    await runOperation(page, '{ note { id } }');
    await result.waitFor();
    await runOperation(page, 'subscription { note { id } }');
    await page.getByText(/^1 result, the latest at/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByLabel('Send the session of the console').uncheck();
    await runOperation(page, 'query Other { note { id } }');
    await page.getByText('access-denied at $').waitFor();
  }));

test('signing out leads to the sign-in page, also after a reload', () =>
  on('/', async (page) => {
    await signIn(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in with Example ID' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Sign in with Example ID' }).waitFor();
  }));

test('a session that ends keeps the input, and continues after the sign-in in another tab', () =>
  on(
    '/sql',
    async (page) => {
      await signIn(page);
      await write(page, 'SQL', 'select 41 + 1');
      await service.interrupt();
      await service.resume({ ...settings, JOINERY_ADMIN_SECRET: 'another secret' });
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      const opened = page.context().waitForEvent('page');
      await dialog.getByRole('link', { name: 'Sign in with Example ID' }).click();
      await (await opened).getByRole('textbox', { name: 'SQL' }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page
        .getByRole('gridcell', { name: '42' })
        .or(page.getByRole('cell', { name: '42' }))
        .first()
        .waitFor();
    },
    /^(loads http|Failed to load)/,
  ));
