/** Browser tests of native queries: errors at their line, tracking, editing and untracking. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';
import { command } from '../support/shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  const sql = "create table article (id int primary key, title text); insert into article values (1, 'Trees')";
  await command(service, 'run_sql', { sql });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant: expectedRejections });

test('tracks, edits and untracks a logical model and a native query, and marks the line of an error in the SQL', () =>
  on('/data/default', async (page) => {
    await page.getByRole('link', { name: 'Native queries' }).click();
    await page.getByText('No native queries').waitFor();
    const drawer = page.getByRole('dialog');

    await page.getByRole('button', { name: 'Track a logical model' }).click();
    await drawer.getByRole('textbox', { name: 'Name' }).fill('titled');
    for (const [index, [name, type]] of Object.entries([
      ['id', 'integer'],
      ['title', 'text'],
    ])) {
      await drawer.getByRole('button', { name: 'Add a field' }).click();
      await drawer.getByLabel(`Name of field ${Number(index) + 1}`).fill(name ?? '');
      await drawer.getByLabel(`Type of field ${Number(index) + 1}`).fill(type ?? '');
    }
    await drawer.getByLabel('Nullable field 2').check();
    await drawer.getByRole('button', { name: 'Track the logical model' }).click();
    await page.getByRole('region', { name: 'Logical model titled' }).getByText('id: integer!, title: text').waitFor();

    await page.getByRole('button', { name: 'Track a native query' }).click();
    await drawer.getByLabel('Root field').fill('articles_by_title');
    await write(page, 'SQL', 'select id,\n  titel\nfrom article\nwhere title ilike {{like}}');
    await drawer.getByRole('button', { name: 'Add an argument' }).click();
    await drawer.getByLabel('Name of argument 1').fill('like');
    await drawer.getByLabel('Type of argument 1').fill('text');
    await drawer.getByRole('button', { name: 'Track the native query' }).click();
    await drawer.getByText('Line 2: column "titel" does not exist.', { exact: true }).waitFor();
    expect(await drawer.locator('.cm-lintRange-error').textContent()).toBe('titel');
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);

    await write(page, 'SQL', 'select id,\n  title\nfrom article\nwhere title ilike {{like}}');
    expect(await drawer.getByText(/^Line 2:/).count()).toBe(0);
    await drawer.getByRole('button', { name: 'Track the native query' }).click();
    const query = page.getByRole('region', { name: 'Native query articles_by_title' });
    await query.getByText('articles_by_title(like: text!): titled').waitFor();
    await query.getByText('where title ilike {{like}}').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    expect(await service.query('{ articles_by_title(args: { like: "t%" }) { id } }')).toEqual({
      data: { articles_by_title: [{ id: 1 }] },
    });

    await query.getByRole('button', { name: 'Edit' }).click();
    await drawer.getByLabel('Nullable argument 1').check();
    await drawer.getByRole('button', { name: 'Save the native query' }).click();
    await query.getByText('articles_by_title(like: text): titled').waitFor();

    await command(service, 'run_sql', {
      sql: 'alter table article rename title to name',
      check_metadata_consistency: false,
    });
    await command(service, 'reload_metadata', {});
    await page.reload();
    await query.getByText('Inconsistent').waitFor();
    await query.getByText(/line 1: column "title" does not exist|line 2: column "title" does not exist/).waitFor();

    await query.getByRole('button', { name: 'Untrack' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Untrack' }).click();
    await page.getByText('No native queries').waitFor();
  }));
