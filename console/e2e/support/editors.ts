/** Writing into the code editors of the console. */
import type { Page } from 'playwright-core';

/** Into an empty editor: what the browser types over coloured text it gives that colour, which the page forbids. */
export async function write(page: Page, name: string, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name, exact: true });
  await editor.press('Control+A');
  await editor.press('Delete');
  await editor.fill(text);
}
