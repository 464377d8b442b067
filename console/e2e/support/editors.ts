/** Input into code editors. */
import type { Page } from 'playwright-core';

/**
 * Empties the editor first: typing over colored text would add style attributes, which the content security policy
 * forbids.
 */
export async function write(page: Page, name: string, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name, exact: true });
  await editor.press('Control+A');
  await editor.press('Delete');
  await editor.fill(text);
}
