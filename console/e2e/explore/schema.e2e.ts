/** Browser tests of the tree of fields and the documentation of the explorer. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Explorer, problems, startExplorer } from '../support/explorer.ts';

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

/** Moves the mouse over a word of the operation. */
async function hoverWord(page: Page, word: string): Promise<void> {
  const place = await page.getByRole('textbox', { name: 'Operation' }).evaluate((editor, text) => {
    const nodes = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
      const at = (node.textContent ?? '').indexOf(text);
      if (at === -1) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }
    return undefined;
  }, word);
  if (place === undefined) throw new Error(`the operation has no text ${word}`);
  await page.mouse.move(place.x - 2, place.y);
  await page.mouse.move(place.x, place.y);
}

const operationText = (page: Page) => page.getByRole('textbox', { name: 'Operation' }).innerText();

test('clicks together fields, arguments and nested input, and follows the text', () =>
  explorer.on(browser, '/explore', async (page) => {
    await write(page, 'Operation', 'query Mine {\n  __typename\n}');
    await page.getByRole('button', { name: 'Fields' }).click();
    const tree = page.getByRole('list', { name: 'Fields of the operation' });
    await tree.getByRole('checkbox', { name: 'customer', exact: true }).click();
    await expect.poll(() => operationText(page)).toContain('  customer {\n    id\n  }');
    await tree.getByRole('checkbox', { name: 'name', exact: true }).click();
    await tree.getByRole('checkbox', { name: '__typename' }).click();
    await tree.getByRole('checkbox', { name: 'limit' }).first().click();
    await tree.getByRole('textbox', { name: 'Value of limit' }).fill('5');
    await tree.getByRole('textbox', { name: 'Value of limit' }).press('Enter');
    await tree.getByRole('button', { name: 'Expand order_by' }).first().click();
    await tree.getByRole('checkbox', { name: 'name', exact: true }).first().click();
    await tree.getByRole('combobox', { name: 'Value of name' }).selectOption('desc');
    await expect
      .poll(() => operationText(page))
      .toContain('query Mine {\n  customer(limit: 5, order_by: {name: desc}) {\n    id\n    name\n  }\n}');
    expect(await problems(page)).toEqual([]);

    await write(page, 'Operation', '{ customer { purchases { id } } }');
    await tree.getByRole('checkbox', { name: 'purchases', exact: true }).and(page.locator(':checked')).waitFor();
    await page.getByRole('textbox', { name: 'Operation' }).press('Control+End');
    await page.getByRole('textbox', { name: 'Operation' }).pressSequentially('(');
    await page.getByText(/The tree shows the operation before the error/).waitFor();
    expect(await tree.getByRole('checkbox', { name: 'customer', exact: true }).isDisabled()).toBe(true);
  }));

test('the keyboard moves in the tree, expands and adds fields', () =>
  explorer.on(browser, '/explore', async (page) => {
    await write(page, 'Operation', '{\n  __typename\n}');
    await page.getByRole('button', { name: 'Fields' }).click();
    const tree = page.getByRole('list', { name: 'Fields of the operation' });
    await tree.getByRole('checkbox', { name: '__typename' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await tree.getByRole('checkbox', { name: 'where' }).waitFor();
    await page.keyboard.press('Space');
    await expect.poll(() => operationText(page)).toContain('customer {\n    id\n  }');
  }));

test('searches types, fields, arguments and descriptions, and links types', () =>
  explorer.on(browser, '/explore', async (page) => {
    await page.getByRole('button', { name: 'Docs' }).click();
    const search = page.getByRole('textbox', { name: 'Search the schema' });
    await search.fill('full name');
    await page.getByRole('button', { name: /^customer\.name field: The full name of a person/ }).click();
    await page.getByRole('heading', { name: 'customer', exact: true }).waitFor();
    await page.getByText('The full name of a person').waitFor();
    expect(await problems(page)).toEqual([]);
    await search.fill('query_root customer where');
    await page.getByRole('button', { name: /^query_root\.customer\(where:\)/ }).click();
    await page.getByRole('heading', { name: 'query_root', exact: true }).waitFor();
    await page.getByRole('button', { name: 'customer_bool_exp' }).first().click();
    await page.getByRole('heading', { name: 'customer_bool_exp', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('heading', { name: 'query_root', exact: true }).waitFor();
  }));

test('shows documentation under the mouse, which leads to the docs', () =>
  explorer.on(browser, '/explore', async (page) => {
    await write(page, 'Operation', '{ customer { name } }');
    // The schema is read when the docs are shown.
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByRole('button', { name: 'query_root' }).waitFor();
    await hoverWord(page, 'name');
    await page.getByText('customer.name: String').waitFor();
    await page.getByRole('button', { name: 'Open in docs' }).click();
    await page.getByRole('heading', { name: 'customer', exact: true }).waitFor();
  }));

test('shows the value of a variable and the arguments of a directive under the mouse', () =>
  explorer.on(browser, '/explore', async (page) => {
    await write(page, 'Operation', 'query A($first: Int = 2) { customer(limit: $first) @include(if: true) { name } }');
    await write(page, 'Variables', '{"first": 41}');
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByRole('button', { name: 'query_root' }).waitFor();
    await hoverWord(page, '$first');
    await page.locator('.cm-tooltip-hover').getByText('$first: Int = 2').waitFor();
    await page.getByText('Value: 41').waitFor();
    await hoverWord(page, '@include');
    await page.getByText('@include(if: Boolean!)').waitFor();
  }));
