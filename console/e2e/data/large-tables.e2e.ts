/** Browser tests of a table with a million rows and a database with two thousand tables. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, visit } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command } from '../support/shop.ts';

let browser: Browser;
let service: Service;

const ROWS = 1_000_000;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await command(service, 'run_sql', {
    sql: `create table reading (id bigint primary key, sensor int not null, value numeric, at timestamptz not null);
      insert into reading select n, n % 1000, n / 7.0, timestamptz '2026-01-01' + n * interval '1 second'
        from generate_series(1, ${ROWS}) n;
      analyze reading;`,
  });
  await command(service, 'track_table', 'reading');
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test('scrolls, sorts and filters a million rows, and counts them only on request', async () => {
  const { page, close, complaints } = await visit(browser, `${service.url}/console/data/default/public/reading/rows`);
  const requests: { type: string; args: Record<string, unknown> }[] = [];
  const took: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/v2/query')) requests.push(JSON.parse(request.postData() ?? '{}'));
  });
  const timed = async (what: string, work: () => Promise<void>): Promise<void> => {
    const started = performance.now();
    await work();
    took.push(`${what}: ${Math.round(performance.now() - started)} ms`);
  };
  const grid = page.getByRole('grid');
  const opener = (id: number) => page.getByRole('button', { name: `Open reading ${id}`, exact: true });
  await timed('first page', () => opener(1).waitFor());
  await page.getByText('About 1,000,000 rows', { exact: true }).waitFor();
  await timed('the next pages by the keyboard', async () => {
    for (let step = 0; step < 40 && !(await opener(200).isVisible()); step += 1) await grid.press('PageDown');
    await opener(200).waitFor();
  });
  await timed('sorted by the key, the largest first', async () => {
    await page.getByRole('button', { name: 'id', exact: true }).click();
    await opener(1).waitFor();
    await page.getByRole('button', { name: 'id', exact: true }).click();
    await opener(ROWS).waitFor();
  });
  await timed('a jump by a filter', async () => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Test', { exact: true }).selectOption('lt');
    await page.getByLabel('Value', { exact: true }).fill('500000');
    await page.getByRole('button', { name: 'Show matching rows' }).click();
    await opener(499_999).waitFor();
  });
  await timed('sorted by a column without an index', async () => {
    await page.getByRole('button', { name: 'Remove: id < 500000' }).click();
    await page.getByRole('button', { name: 'sensor', exact: true }).click();
    await opener(1_000).waitFor();
  });
  expect(requests.filter(({ args }) => Number(args.offset ?? 0) > 0)).toEqual([]);
  const counts = requests.filter(({ type }) => type === 'pg_count');
  expect(counts.length).toBeGreaterThan(0);
  for (const { args } of counts) expect(args.limit).toBe(10_001);
  await timed('counted exactly', async () => {
    await page.getByRole('button', { name: 'Count exactly' }).click();
    await page.getByText('1,000,000 rows', { exact: true }).waitFor();
  });
  await timed('the last row', async () => {
    await page.getByRole('button', { name: 'id', exact: true }).click();
    await opener(1).waitFor();
    await grid.press('Control+End');
    await opener(ROWS).waitFor();
  });
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  expect(complaints).toEqual([]);
  process.stdout.write(`${took.join('\n')}\n`);
  await close();
});

test('searches and tracks two thousand tables, with progress', async () => {
  const sql =
    'do $$ begin for n in 1..2000 loop execute format($f$create table many.t_%s (id int primary key, a text)$f$, n); end loop; end $$';
  await command(service, 'run_sql', { sql: 'create schema many' });
  await command(service, 'run_sql', { sql, check_metadata_consistency: false });
  const { page, close, complaints } = await visit(browser, `${service.url}/console/data/default?schema=many`);
  await page.getByText('1–20 of 2,000').waitFor();
  await page.getByRole('searchbox', { name: 'Search tables' }).fill('t_1999');
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('searchbox', { name: 'Search tables' }).fill('');
  await page.getByRole('checkbox', { name: 'Choose all on this page' }).click();
  await page.getByRole('button', { name: 'Choose all 2,000 that are listed' }).click();
  const started = performance.now();
  await page.getByRole('button', { name: 'Track 2,000' }).click();
  await page.getByRole('progressbar', { name: 'Done so far' }).waitFor();
  await page.getByText('2,000 tables tracked').waitFor({ timeout: 100_000 });
  process.stdout.write(`2,000 tables tracked: ${Math.round(performance.now() - started)} ms\n`);
  expect(complaints).toEqual([]);
  await close();
});
