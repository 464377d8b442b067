/** A service with customers for tests of the explorer, and steps in the explorer. */
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeViolations, settled } from './axe.ts';
import { walk } from './browser.ts';
import { write } from './editors.ts';
import { type Service, startService } from './service.ts';

const secret = 'only for these tests';

export interface Explorer {
  readonly service: Service;
  /** Runs SQL as admin. */
  sql(sql: string): Promise<void>;
  /** Opens a path of the console. Fails for unexpected console messages, such as violations of the content policy. */
  on(browser: Browser, path: string, steps: (page: Page) => Promise<void>, meant?: RegExp): Promise<void>;
}

/** Customers with their purchases, which the role `user` sees for its own id. */
export async function startExplorer(environment: Readonly<Record<string, string>> = {}): Promise<Explorer> {
  const service = await startService({ JOINERY_ADMIN_SECRET: secret, ...environment });
  const sql = async (text: string): Promise<void> => {
    const response = await fetch(`${service.url}/v2/query`, {
      method: 'POST',
      headers: { 'x-service-admin-secret': secret },
      body: JSON.stringify({ type: 'run_sql', args: { sql: text } }),
    });
    expect(await response.text()).toContain('result');
  };
  await sql(`create table customer (id int primary key, name text);
    insert into customer values (7, 'Ada'), (8, 'Bea');
    comment on column customer.name is 'The full name of a person';
    create table purchase (id int primary key, customer_id int references customer);
    insert into purchase values (1, 7)`);
  const permission = { columns: ['id', 'name'], filter: { id: { _eq: 'X-Service-User-Id' } } };
  const using = { foreign_key_constraint_on: { table: 'purchase', column: 'customer_id' } };
  await service.command('bulk', [
    { type: 'pg_track_table', args: { table: 'customer' } },
    { type: 'pg_track_table', args: { table: 'purchase' } },
    { type: 'pg_create_array_relationship', args: { table: 'customer', name: 'purchases', using } },
    { type: 'pg_create_select_permission', args: { table: 'customer', role: 'user', permission } },
  ]);
  return {
    service,
    sql,
    on: (browser, path, steps, meant) =>
      walk(browser, `${service.url}/console${path}`, steps, { secret, ...(meant !== undefined && { meant }) }),
  };
}

/** Replaces the operation and runs it. */
export async function runOperation(page: Page, text: string): Promise<void> {
  await write(page, 'Operation', text);
  await page.getByRole('button', { name: 'Run' }).click();
}

/** Opens a part of the request, such as `Headers`. */
export async function openPart(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await page.getByRole('textbox', { name, exact: true }).waitFor();
}

/** Accessibility violations in both themes, and content wider than a narrow window. */
export async function problems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    for (const problem of await axeViolations(page)) found.push(`${colorScheme}: ${problem}`);
  }
  await page.setViewportSize({ width: 400, height: 800 });
  await settled(page);
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (beyond > 0) found.push(`the page is ${beyond} pixels wider than a narrow window`);
  await page.setViewportSize({ width: 1_280, height: 800 });
  return found;
}
