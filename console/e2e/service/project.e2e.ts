/** Browser tests of the console of a project: changes become files, are reviewed before, and are undone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

const secret = 'only for these tests';

let browser: Browser;
let service: Service;
let folder: string;
let local: ChildProcess;
/** The address with the token. */
let entry: string;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService({ JOINERY_ADMIN_SECRET: secret });
  folder = mkdtempSync(join(tmpdir(), 'joinery-project-'));
  writeFileSync(join(folder, 'config.yaml'), `version: 3\nendpoint: ${service.url}\nadmin_secret: ${secret}\n`);
  const command = fileURLToPath(new URL('../../../cli/bin/joinery.mjs', import.meta.url));
  local = spawn(process.execPath, [command, 'console', '--no-open', '--port', '0', '--project', folder]);
  entry = await new Promise((resolve, reject) => {
    let output = '';
    const listen = (text: Buffer): void => {
      output += text.toString();
      const [, address] = /Console\s+(\S+)[\s\S]*Ready/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    };
    local.stdout?.on('data', listen);
    local.stderr?.on('data', listen);
    local.once('exit', (code) => reject(new Error(`the console ended with code ${code}:\n${output}`)));
  });
});

afterAll(async () => {
  await browser?.close();
  local?.kill('SIGTERM');
  if (local !== undefined) await once(local, 'exit');
  rmSync(folder, { recursive: true, force: true });
  await service?.stop();
});

/** Opens a page of the console of the project. */
const on = (path: string, steps: (page: Page) => Promise<void>, meant?: RegExp) =>
  walk(
    browser,
    entry,
    async (page) => {
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.goto(`${new URL(entry).origin}/console${path}`);
      await steps(page);
    },
    meant === undefined ? {} : { meant },
  );

const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const migrations = () => readdirSync(join(folder, 'migrations/default'));
const review = (page: Page) => page.getByRole('dialog', { name: 'Review the files of this change' });

/** Runs SQL on the SQL page, up to its review. */
async function runSql(page: Page, sql: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'SQL' });
  await editor.press('Control+A');
  await editor.fill(sql);
  await page.getByRole('button', { name: /^Run/ }).first().click();
}

test('SQL that creates a table is reviewed, and becomes a migration with the name of the user', () =>
  on('/sql', async (page) => {
    await runSql(page, 'create table song (id int primary key, title text)');
    const dialog = review(page);
    await dialog.getByText('create table song (id int primary key, title text);').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByLabel('Name').fill('add_song');
    expect(await dialog.getByLabel('down.sql').inputValue()).toBe('drop table song;\n');
    await dialog.getByRole('button', { name: 'Run and write the migration' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => migrations().filter((name) => name.endsWith('_add_song'))).toHaveLength(1);
    expect(read(`migrations/default/${migrations()[0]}/up.sql`)).toBe(
      'create table song (id int primary key, title text);\n',
    );
  }));

test('a canceled review runs nothing', () =>
  on('/sql', async (page) => {
    await runSql(page, 'create table never (id int)');
    await review(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You canceled the change').first().waitFor();
    expect(migrations().filter((name) => name.includes('never'))).toEqual([]);
  }));

/** Creates a collection of operations on the page for them. */
async function createCollection(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New collection' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create the collection' }).click();
}

test('a change of the metadata is written, listed as a difference, and undone', () =>
  on('/operations/collections', async (page) => {
    await createCollection(page, 'shop');
    await page.getByRole('region', { name: 'Collection shop' }).waitFor();
    expect(read('metadata/query_collections.yaml')).toContain('name: shop');
    await page
      .getByRole('banner')
      .getByRole('link', { name: /change/ })
      .click();
    await page.getByRole('heading', { name: /^Project/, level: 1 }).waitFor();
    const changes = page.getByRole('list', { name: 'Changes of this session' });
    await changes.getByText('+ - name: shop').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await changes.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await page.getByText('The change was undone').waitFor();
    expect(existsSync(join(folder, 'metadata/query_collections.yaml'))).toBe(false);
  }));

test('files that were edited reject changes until they are applied', () =>
  on(
    '/project',
    async (page) => {
      writeFileSync(
        join(folder, 'metadata/query_collections.yaml'),
        '- name: edited\n  definition:\n    queries: []\n',
      );
      await page.getByText('1 file of the project differs from the metadata of the service').waitFor();
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Apply the files' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Apply the files' }).click();
      await page.getByText('The files were applied').waitFor();
      await page.getByText('differs from the metadata').waitFor({ state: 'detached' });
      expect(JSON.stringify(await service.command('export_metadata', {}))).toContain('edited');
    },
    expectedRejections,
  ));

test('changes of the metadata are shown before they are made, where the user wants that', () =>
  on('/project', async (page) => {
    await page.getByLabel('Show the files before each change of the metadata').click();
    await page.goto(`${new URL(entry).origin}/console/operations/collections`);
    await createCollection(page, 'reviewed');
    await review(page).getByText('+ - name: reviewed').waitFor();
    await review(page).getByRole('button', { name: 'Change the metadata' }).click();
    await page.getByRole('region', { name: 'Collection reviewed' }).waitFor();
    expect(read('metadata/query_collections.yaml')).toContain('name: reviewed');
  }));

test('a change of a column by a form is reviewed with the SQL that restores it, and undone', () =>
  on('/sql', async (page) => {
    await runSql(page, 'create table album (id int primary key, title text)');
    await review(page).getByRole('button', { name: 'Run and write the migration' }).click();
    await page.getByText(/^Done in/).waitFor();
    await page.goto(`${new URL(entry).origin}/console/data/default/public/album/structure`);
    await page.getByRole('button', { name: 'Change column title' }).click();
    const drawer = page.getByRole('dialog', { name: 'Column title' });
    await drawer.getByRole('textbox', { name: 'Default' }).fill("'untitled'");
    await drawer.getByRole('button', { name: 'Change the column' }).click();
    await expect
      .poll(() => review(page).getByLabel('down.sql').inputValue())
      .toBe('alter table public.album alter column title drop default;\n');
    await review(page).getByRole('button', { name: 'Run and write the migration' }).click();
    await drawer.waitFor({ state: 'detached' });
    const count = migrations().length;
    await page.goto(`${new URL(entry).origin}/console/project`);
    await page.getByRole('list', { name: 'Changes of this session' }).getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await page.getByText('The change was undone').waitFor();
    expect(migrations()).toHaveLength(count - 1);
  }));
