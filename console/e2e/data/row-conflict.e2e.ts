/** Two users edit one row: the second sees what the first saved. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command } from '../support/shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  const sql = `create table person (id int primary key, name text, note text, doc json);
    insert into person values (1, 'Ann', null, '{"a": 1}'), (2, 'Bob', 'x', null)`;
  await command(service, 'run_sql', { sql });
  await command(service, 'pg_track_table', { table: 'person' });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function personOf(id: number): Promise<readonly string[] | undefined> {
  const sql = `select name, coalesce(note, '-'), coalesce(doc::text, '-') from person where id = ${id}`;
  const { result } = (await command(service, 'run_sql', { sql })) as { result: readonly string[][] };
  return result[1];
}

/** Opens the form of a row, runs `sql` as another user, then saves what `type` enters. */
const edit = (id: number, sql: string, type: (page: Page) => Promise<void>, then: (page: Page) => Promise<void>) =>
  walk(
    browser,
    `${service.url}/console/data/default/public/person/rows`,
    async (page) => {
      await page.getByRole('button', { name: `Open person ${id}` }).click();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await command(service, 'run_sql', { sql });
      await type(page);
      await page.getByRole('button', { name: 'Save the row' }).click();
      await then(page);
    },
    { meant: expectedRejections },
  );

const typeName = (name: string) => async (page: Page) => {
  await page.getByRole('dialog').getByRole('textbox', { name: 'name' }).fill(name);
};

test('shows the current value of a column that another user has changed, and overwrites it on request', async () => {
  await edit(1, "update person set name = 'Anna' where id = 1", typeName('Anne'), async (page) => {
    const changes = page.getByRole('table', { name: 'Changed by another user' });
    await changes.getByRole('row', { name: 'person 1 name Ann Anna Anne' }).waitFor();
    expect(await personOf(1)).toEqual(['Anna', '-', '{"a": 1}']);
    await page.getByRole('button', { name: 'Overwrite their change' }).click();
    await page.getByText('Row changed').waitFor();
    expect(await personOf(1)).toEqual(['Anne', '-', '{"a": 1}']);
  });
});

test('a change of another column is not a conflict', async () => {
  await edit(2, "update person set note = 'y' where id = 2", typeName('Bert'), async (page) => {
    await page.getByText('Row changed').waitFor();
    expect(await personOf(2)).toEqual(['Bert', 'y', '-']);
  });
});

test('reports a row that was deleted meanwhile', async () => {
  await edit(2, 'delete from person where id = 2', typeName('Bill'), async (page) => {
    await page.getByText(/does not exist any more/).waitFor();
    expect(await personOf(2)).toBeUndefined();
  });
});

test('changes in the grid are saved together only if no other user has changed their cells', async () => {
  await command(service, 'run_sql', {
    sql: "insert into person values (7, 'Eve', null, '{\"a\": 1}'), (8, 'Fay', null, null)",
  });
  await walk(
    browser,
    `${service.url}/console/data/default/public/person/rows`,
    async (page) => {
      const cell = (id: number, column: number) =>
        page
          .getByRole('row')
          .filter({ has: page.getByRole('button', { name: `Open person ${id}`, exact: true }) })
          .locator(`[aria-colindex="${column}"]`);
      const type = async (id: number, text: string): Promise<void> => {
        await cell(id, 3).dblclick();
        await page.getByRole('textbox', { name: 'name' }).fill(text);
        await page.keyboard.press('Enter');
      };
      await type(7, 'Eva');
      await type(8, 'Faye');
      await command(service, 'run_sql', { sql: "update person set name = 'Fayette', note = 'z' where id = 8" });
      await page.getByRole('button', { name: 'Save 2 changes' }).click();
      const changes = page.getByRole('table', { name: 'Changed by another user' });
      await changes.getByRole('row', { name: 'person 8 name Fay Fayette Faye' }).waitFor();
      expect(await personOf(7)).toEqual(['Eve', '-', '{"a": 1}']);
      await page.getByRole('button', { name: 'Overwrite their change' }).click();
      await page.getByText('2 changes saved').waitFor();
      expect([await personOf(7), await personOf(8)]).toEqual([
        ['Eva', '-', '{"a": 1}'],
        ['Faye', 'z', '-'],
      ]);
    },
    { meant: expectedRejections },
  );
});
