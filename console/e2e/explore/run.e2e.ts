/** Browser tests of operations that are run in the explorer: responses, plans, subscriptions. */
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

test('completes an operation and runs it as a role with its plan', () =>
  explorer.on(browser, '/explore', async (page) => {
    const operation = page.getByRole('textbox', { name: 'Operation' });
    await write(page, 'Operation', '{ customer { na');
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByRole('button', { name: 'query_root' }).waitFor();
    await operation.press('End');
    await operation.pressSequentially('m');
    await page.getByRole('option', { name: /^name/ }).first().waitFor();
    await write(page, 'Operation', 'query Mine($least: Int) { customer(where: { id: { _gte: $least } }) { name } }');
    await write(page, 'Variables', '{"least": 1}');
    await page.getByRole('button', { name: 'Run' }).click();
    const response = page.getByRole('region', { name: 'response' });
    await response.getByText('"Bea"').waitFor();

    await page.getByRole('combobox', { name: 'Role', exact: true }).fill('user');
    await openPart(page, 'Session variables');
    await write(page, 'Session variables', 'user-id: 7');
    await page.getByLabel('Measure queries').check();
    await operation.press('Control+Enter');
    await response.getByText('"Bea"').waitFor({ state: 'detached' });
    await response.getByText('"Ada"').waitFor();
    const plan = page.getByRole('list', { name: 'Plan' });
    await plan.getByText('Statement on default').waitFor();
    await plan.getByText(/ on customer, 1 row, /).waitFor();
    await plan.getByText(/^took [\d.]+ ms$/).waitFor();
    await plan.getByText('SQL and plan').click();
    await plan.getByText(/from "public"."customer"/).waitFor();
    expect(await problems(page)).toEqual([]);
  }));

test('shows the errors of a response with code and path, and that there is no plan', () =>
  explorer.on(browser, '/explore', async (page) => {
    await runOperation(page, '{ nothing }');
    const errors = page.getByRole('list', { name: 'Errors' });
    await errors
      .getByText(/nothing/)
      .first()
      .waitFor();
    await errors.getByText(/^validation-failed at /).waitFor();
    await page.getByText('There is no plan').waitFor();
    await page.getByText('200, 1 error').waitFor();
    await page.getByText('Headers', { exact: true }).last().click();
    await page.getByRole('table', { name: 'Received' }).getByText('content-type').waitFor();
  }));

test('a subscription shows results of the websocket as they arrive, until it is stopped', () =>
  explorer.on(browser, '/explore', async (page) => {
    const role = page.getByRole('combobox', { name: 'Role', exact: true });
    // On a loaded machine, the list of suggestions may close while the page still loads.
    await expect
      .poll(
        async () => {
          await role.fill('');
          await role.fill('us');
          return page
            .getByRole('option', { name: 'user' })
            .click({ timeout: 5_000 })
            .then(
              () => true,
              () => false,
            );
        },
        { timeout: 25_000, message: 'the role "user" was not suggested' },
      )
      .toBe(true);
    await openPart(page, 'Session variables');
    await write(page, 'Session variables', 'user-id: 7');
    await runOperation(page, 'subscription Watch { customer { name } }');
    const response = page.getByRole('region', { name: 'response' });
    await response.getByText('"Ada"').waitFor();
    expect(await response.getByText('"Bea"').count()).toBe(0);
    await page.getByRole('list', { name: 'Plan' }).getByText('Statement on default').waitFor();
    await explorer.sql("update customer set name = 'Ada Two' where id = 7");
    await response.getByText('"Ada Two"').waitFor();
    await page.getByText(/^2 results, the latest at/).waitFor();
    const shown = page.getByRole('combobox', { name: 'Shown result' });
    await shown.selectOption('1');
    await page.getByRole('region', { name: 'result 1' }).getByText('"Ada"').waitFor();
    await shown.selectOption('latest');
    expect(await problems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Ended').waitFor();
    await explorer.sql("update customer set name = 'Ada' where id = 7");
    await runOperation(page, 'subscription { nothing }');
    await page.getByText('The subscription ended').waitFor();
    await page
      .getByText(/nothing/)
      .first()
      .waitFor();
  }));

test('the display of a subscription is paused, resumed, cleared and shown as a table', () =>
  explorer.on(browser, '/explore', async (page) => {
    await runOperation(page, 'subscription { customer(order_by: {id: asc}) { id name } }');
    const response = page.getByRole('region', { name: 'response' });
    await response.getByText('"Ada"').waitFor();
    await page.getByText('Table', { exact: true }).click();
    const table = page.getByRole('table', { name: 'customer' });
    await table.getByRole('row', { name: '8 Bea' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await explorer.sql("update customer set name = 'Eve' where id = 8");
    await page.getByText(/^2 results, the latest at .+, 1 not shown$/).waitFor();
    expect(await table.getByRole('row', { name: '8 Bea' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await table.getByRole('row', { name: '8 Eve' }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Results are shown as they arrive.').waitFor();
    await explorer.sql("update customer set name = 'Bea' where id = 8");
    await response.getByText('"Bea"').waitFor();
    await page.getByText(/^3 results, the latest at/).waitFor();
  }));

test('a stream shows each batch of rows as a result', () =>
  explorer.on(browser, '/explore', async (page) => {
    await runOperation(
      page,
      'subscription { customer_stream(batch_size: 1, cursor: {initial_value: {id: 6}}) { id name } }',
    );
    const response = page.getByRole('region', { name: 'response' });
    await response.getByText('"Bea"').waitFor();
    await page.getByRole('combobox', { name: 'Shown result' }).selectOption('1');
    await page.getByRole('region', { name: 'result 1' }).getByText('"Ada"').waitFor();
    await page.getByRole('combobox', { name: 'Shown result' }).selectOption('latest');
    await explorer.sql("insert into customer values (9, 'Cy')");
    await response.getByText('"Cy"').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Ended').waitFor();
    await explorer.sql('delete from customer where id = 9');
  }));

test('a subscription continues while another tab is shown', () =>
  explorer.on(browser, '/explore', async (page) => {
    await runOperation(page, 'subscription Watch { customer(order_by: {id: asc}) { name } }');
    const response = page.getByRole('region', { name: 'response' });
    await response.getByText('"Ada"').waitFor();
    await page.getByRole('button', { name: 'New tab' }).click();
    await response.waitFor({ state: 'detached' });
    await explorer.sql("update customer set name = 'Eve' where id = 8");
    await page.getByRole('tab', { name: 'Watch' }).click();
    await response.getByText('"Eve"').waitFor();
    await explorer.sql("update customer set name = 'Bea' where id = 8");
  }));

test('folds and searches a response, and shows its lists as tables', () =>
  explorer.on(browser, '/explore', async (page) => {
    await runOperation(
      page,
      '{ customer(order_by: {id: asc}) { id name purchases_aggregate { aggregate { count } } } }',
    );
    const response = page.getByRole('region', { name: 'response' });
    await response.getByText('"Bea"').waitFor();
    await page.getByRole('button', { name: 'Search the response' }).click();
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('Bea');
    await response.locator('.cm-searchMatch', { hasText: 'Bea' }).first().waitFor();
    await response.getByTitle('Fold line', { exact: true }).first().click();
    await response.getByText('"Bea"').waitFor({ state: 'detached' });

    await page.getByText('Table', { exact: true }).click();
    const table = page.getByRole('table', { name: 'customer' });
    await table.getByRole('columnheader', { name: 'purchases_aggregate.aggregate.count' }).waitFor();
    await table.getByRole('row', { name: '8 Bea 0' }).waitFor();
    expect(await problems(page)).toEqual([]);
  }));
