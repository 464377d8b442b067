/** Steps of the browser tests of the structure: pages, forms that run SQL, and values of the database. */
import type { Browser, Locator, Page } from 'playwright-core';
import { expectedRejections, walk } from '../../support/browser.ts';
import type { Service } from '../../support/service.ts';
import { command } from '../../support/shop.ts';

/** Runs the steps on the structure of a table. `isRejected`: the service rejects a request of the steps. */
export function onStructure(
  { browser, service }: { readonly browser: Browser; readonly service: Service },
  table: string,
  steps: (page: Page) => Promise<void>,
  isRejected = false,
): Promise<void> {
  const path = `/console/data/default/public/${encodeURIComponent(table)}/structure`;
  return walk(browser, `${service.url}${path}`, steps, isRejected ? { meant: expectedRejections } : {});
}

/** Runs SQL. Resolves with the first value of the first row as text. */
export async function firstValue(service: Service, sql: string): Promise<string | undefined> {
  const { result } = (await command(service, 'run_sql', { sql })) as { result: string[][] };
  return result[1]?.[0];
}

/** Submits the form of the open drawer, and waits until it closes. */
export async function submit(page: Page, dialog: Locator, button: string, notice: string): Promise<void> {
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await page.getByText(notice).first().waitFor();
  await dialog.waitFor({ state: 'hidden' });
}
