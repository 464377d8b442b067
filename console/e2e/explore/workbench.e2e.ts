/** Browser tests of the tabs, the request and the panels of the explorer. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Explorer, openPart, problems, runOperation, startExplorer } from '../support/explorer.ts';

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

test('sends headers as written, with and without the admin secret', () =>
  explorer.on(
    browser,
    '/explore',
    async (page) => {
      const sent = page.waitForRequest((request) => request.postData()?.includes('Sent') === true);
      await openPart(page, 'Headers');
      await write(page, 'Headers', 'Authorization: Bearer abc\n# X-Off: 1\nX-Trace-Id: 7');
      await page
        .getByText(/authenticates by the admin secret, not by this header/)
        .first()
        .waitFor();
      await runOperation(page, 'query Sent { __typename }');
      const headers = await (await sent).allHeaders();
      expect(headers).toMatchObject({
        authorization: 'Bearer abc',
        'x-trace-id': '7',
        'x-service-role': 'admin',
        'x-service-admin-secret': 'only for these tests',
      });
      expect(Object.keys(headers)).not.toContain('x-service-authorization');
      await page.getByRole('region', { name: 'response' }).getByText('"query_root"').waitFor();

      const again = page.waitForRequest((request) => request.postData()?.includes('Again') === true);
      await page.getByLabel('Send the admin secret').uncheck();
      await runOperation(page, 'query Again { __typename }');
      const others = Object.keys(await (await again).allHeaders());
      expect(others).toContain('authorization');
      expect(others).not.toContain('x-service-admin-secret');
      expect(others).not.toContain('x-service-role');
      await page.getByText('The plan is computed for a role and session variables').waitFor();
      expect(await problems(page)).toEqual([]);
    },
    /^Failed to load resource/,
  ));

test('an HTTP header among the session variables is an error', () =>
  explorer.on(browser, '/explore', async (page) => {
    await openPart(page, 'Session variables');
    await write(page, 'Session variables', 'Authorization: Bearer abc');
    await page
      .getByText(/is an HTTP header and not a session variable/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true);
  }));

test('marks variables that are missing, unknown or of another type, and completes their names', () =>
  explorer.on(browser, '/explore', async (page) => {
    await write(
      page,
      'Operation',
      'query A($n: Int!, $order: order_by) { customer(limit: $n, order_by: {id: $order}) { id } }',
    );
    const status = page.getByRole('status');
    await status.getByText('The variable `n` of type `Int!` is missing.').waitFor();
    await write(page, 'Variables', '{"n": "x"}');
    await status.getByText('Expected a 32-bit integer: `Int`.').waitFor();
    await write(page, 'Variables', '{"n": 1, "m": 2}');
    await status.getByText('The operation has no variable `m`.').waitFor();
    const variables = page.getByRole('textbox', { name: 'Variables', exact: true });
    await variables.press('Control+A');
    await variables.pressSequentially('{"n": 1, "o');
    await page.getByRole('option', { name: /^order/ }).click();
    await variables.pressSequentially('"a');
    await page.getByRole('option', { name: /^asc/ }).first().click();
    await expect.poll(() => variables.innerText()).toContain('"order": "asc');
    await write(page, 'Variables', '{"n": }');
    await page
      .getByText(/Unexpected token/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true);
  }));

test('runs the operation under the caret', () =>
  explorer.on(browser, '/explore', async (page) => {
    const operation = page.getByRole('textbox', { name: 'Operation' });
    await write(
      page,
      'Operation',
      'query First { one: __typename }\nquery Second { two: __typename }\n{ three: __typename }',
    );
    const response = page.getByRole('region', { name: 'response' });
    await operation.press('Control+Home');
    await page.getByRole('button', { name: 'Run First' }).waitFor();
    await operation.press('Control+Enter');
    await response.getByText('"one"').waitFor();
    await operation.press('ArrowDown');
    await operation.press('Control+Enter');
    await response.getByText('"two"').waitFor();
    await operation.press('ArrowDown');
    await operation.press('Control+Enter');
    await response.getByText('"three"').waitFor();
    await page.getByRole('combobox', { name: 'Operation to run' }).selectOption('First');
    await operation.press('Control+Enter');
    await response.getByText('"one"').waitFor();
  }));

test('tabs survive a reload and a closed tab can be opened again', () =>
  explorer.on(browser, '/explore', async (page) => {
    const operation = page.getByRole('textbox', { name: 'Operation' });
    await write(page, 'Operation', 'query Mine($a: Int) { customer(limit: $a) { name } }');
    await write(page, 'Variables', '{"a": 1}');
    await page.getByRole('combobox', { name: 'Role', exact: true }).fill('user');
    await openPart(page, 'Headers');
    await write(page, 'Headers', 'X-Trace-Id: 7');
    await page.getByRole('button', { name: 'New tab' }).click();
    await write(page, 'Operation', 'query Other { __typename }');
    await page.reload();
    await operation
      .getByText(/query Other/)
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Mine' }).click();
    await operation
      .getByText(/query Mine/)
      .first()
      .waitFor();
    await expect.poll(() => page.getByRole('combobox', { name: 'Role', exact: true }).inputValue()).toBe('user');
    await page.getByRole('textbox', { name: 'Variables', exact: true }).getByText('"a"').waitFor();
    await openPart(page, 'Headers');
    await page.getByRole('textbox', { name: 'Headers', exact: true }).getByText('X-Trace-Id: 7').waitFor();
    await page.getByRole('button', { name: 'Close the tab' }).click();
    await page.getByRole('tab', { name: 'Mine' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reopen the closed tab' }).click();
    await operation
      .getByText(/query Mine/)
      .first()
      .waitFor();
    expect(await problems(page)).toEqual([]);
  }));

test('typing over colored text adds no style attributes', () =>
  explorer.on(browser, '/explore', async (page) => {
    const operation = page.getByRole('textbox', { name: 'Operation' });
    await write(page, 'Operation', 'query A { customer(where: {name: {_eq: "x"}}) { name } }');
    await operation.press('Control+A');
    await operation.pressSequentially('query B { __typename }');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('region', { name: 'response' }).getByText('"query_root"').waitFor();
    expect(await operation.innerText()).toContain('query B { __typename }');
  }));

test('the panes keep the sizes that the user gave them', () =>
  explorer.on(browser, '/explore', async (page) => {
    const separator = page.getByRole('separator', { name: 'Resize the response' });
    await separator.focus();
    const width = () => page.getByRole('textbox', { name: 'Operation' }).evaluate((element) => element.clientWidth);
    const before = await width();
    for (let presses = 0; presses < 3; presses += 1) await separator.press('ArrowLeft');
    await expect.poll(width).toBeLessThan(before - 50);
    const after = await width();
    await page.reload();
    await page.getByRole('textbox', { name: 'Operation' }).waitFor();
    await expect.poll(async () => Math.abs((await width()) - after)).toBeLessThan(3);
  }));
