/** Browser tests of links, history, favorites, code and documentation of the explorer. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Explorer, problems, runOperation, startExplorer } from '../support/explorer.ts';

let browser: Browser;
let explorer: Explorer;

beforeAll(async () => {
  browser = await startBrowser();
  explorer = await startExplorer();
});

afterAll(async () => {
  await browser?.close();
  await explorer?.service.stop();
});

test('opens operations from a link and from the history, with status and time, and formats them', () =>
  explorer.on(
    browser,
    `/explore#${new URLSearchParams({ query: 'query Linked{customer{name}}', role: 'admin' })}`,
    async (page) => {
      const operation = page.getByRole('textbox', { name: 'Operation' });
      await operation
        .getByText(/query Linked/)
        .first()
        .waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await page.getByRole('button', { name: 'Prettify' }).click();
      await expect.poll(() => operation.innerText()).toContain('customer {\n    name');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('region', { name: 'response' }).getByText('"Bea"').waitFor();
      await runOperation(page, 'query Wrong { nothing }');
      await page.getByRole('list', { name: 'Errors' }).waitFor();
      await page.getByRole('button', { name: 'History' }).click();
      const history = page.getByRole('list', { name: 'Operations that were run' });
      await history.getByRole('button', { name: /^Wrong Errors [\d,]+ ms as admin/ }).waitFor();
      expect(await problems(page)).toEqual([]);
      await page.getByRole('textbox', { name: 'Search the history' }).fill('Linked');
      await history.getByText('Wrong').waitFor({ state: 'detached' });
      await history.getByRole('button', { name: /^Linked OK / }).click();
      await operation
        .getByText(/query Linked/)
        .first()
        .waitFor();
    },
  ));

test('copies a link that opens the operation with its variables, here and in another browser', async () => {
  let link = '';
  await explorer.on(browser, '/explore', async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await write(page, 'Operation', 'query Shared($a: Int) { customer(limit: $a) { name } }');
    await write(page, 'Variables', '{"a": 1}');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    link = await page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: 'Close the tab' }).click();
    await page.goto(link);
    await page.getByRole('tab', { name: 'Shared' }).waitFor();
    await page.getByRole('textbox', { name: 'Variables', exact: true }).getByText('"a"').waitFor();
  });
  const { pathname, search, hash } = new URL(link);
  // Browsers do not send the fragment to the server.
  expect(search).toBe('');
  await explorer.on(browser, pathname.replace('/console', '') + hash, async (page) => {
    await page.getByRole('tab', { name: 'Shared' }).waitFor();
    await page.getByRole('textbox', { name: 'Variables', exact: true }).getByText('"a"').waitFor();
  });
});

test('a link of a long operation is compressed, and one that is cut off is reported and leaves the tabs', async () => {
  const fields = Array.from({ length: 90 }, (_one, place) => `name_${place}: name`).join(' ');
  await explorer.on(browser, '/explore', async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await write(page, 'Operation', `query Long { customer { ${fields} } }`);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/#packed=[\w-]+$/);
    await page.getByRole('button', { name: 'Close the tab' }).click();
    await page.goto(link);
    await page.getByRole('tab', { name: 'Long' }).waitFor();
    await page.goto(link.slice(0, -20));
    await page.getByText('The link is damaged').waitFor();
    await page.getByRole('tab', { name: 'Long' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('The link is damaged').waitFor({ state: 'detached' });
  });
});

test('the help sheet lists the shortcuts of the explorer', () =>
  explorer.on(browser, '/explore', async (page) => {
    await page.getByRole('textbox', { name: 'Operation' }).waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Run the operation under the caret').waitFor();
    await sheet.getByText('Stop the request or subscription').waitFor();
  }));

test('shows code for clients without the admin secret', () =>
  explorer.on(browser, '/explore', async (page) => {
    await write(page, 'Operation', 'query Named { customer { name } }');
    await page.getByRole('button', { name: 'Code' }).click();
    await page
      .getByRole('region', { name: 'code for curl' })
      .getByText(/admin-secret: \$ADMIN_SECRET/)
      .waitFor();
    for (const [name, text] of [
      ['fetch', /await fetch\('http/],
      ['Apollo Client', /client\.query\(/],
      ['urql', /client\.query\(document/],
      ['graphql-request', /new GraphQLClient/],
      ['Python', /requests\.post/],
    ] as const) {
      await page.getByRole('tab', { name }).click();
      await page
        .getByRole('region', { name: `code for ${name}` })
        .getByText(text)
        .waitFor();
    }
    expect(await page.getByText('only for these tests').count()).toBe(0);
    expect(await problems(page)).toEqual([]);
  }));

test('saves, opens and removes favorites', () =>
  explorer.on(browser, '/explore', async (page) => {
    await write(page, 'Operation', 'query Kept { customer { name } }');
    await page.getByRole('button', { name: 'Favorites' }).click();
    await page.getByRole('textbox', { name: 'Save as' }).fill('mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const favorites = page.getByRole('list', { name: 'Favorites' });
    await favorites.getByText('Kept').waitFor();
    expect(await problems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close the tab' }).click();
    await favorites.getByRole('button', { name: /^mine/ }).click();
    await page.getByRole('tab', { name: 'Kept' }).waitFor();
    await favorites.getByRole('button', { name: 'Remove mine' }).click();
    await page.getByText('No favorites').waitFor();
  }));
