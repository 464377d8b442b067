/** Browser tests of completion with 320 tables of 60 columns. They print how long a completion list takes. */
import { loadavg } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';
import { command } from '../support/shop.ts';

const TABLES = 320;
const COLUMNS = 60;
const SAMPLES = 12;

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  const columns = Array.from({ length: COLUMNS - 1 }, (_, index) => `column_${index + 1} text`).join(', ');
  const names = Array.from({ length: TABLES }, (_, index) => `entity_${index + 1}`);
  const sql = names.map((name) => `create table ${name} (id int primary key, ${columns})`).join(';');
  await command(service, 'run_sql', { sql, check_metadata_consistency: false });
  const tables = names.map((table) => ({ type: 'pg_track_table', args: { table } }));
  await service.command('bulk', tables);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Records the milliseconds from each key to the frame that shows the completion list. */
async function recordCompletions(page: Page): Promise<() => Promise<number | undefined>> {
  await page.evaluate(() => {
    const recorded = window as unknown as { key: number; shown: number | undefined };
    document.addEventListener(
      'keydown',
      (event) => {
        recorded.key = event.timeStamp;
        recorded.shown = undefined;
      },
      true,
    );
    new MutationObserver(() => {
      if (recorded.shown !== undefined || document.querySelector('.cm-tooltip-autocomplete li') === null) return;
      recorded.shown = 0;
      // The second callback runs after the frame was drawn.
      requestAnimationFrame(() =>
        requestAnimationFrame((at) => {
          recorded.shown = at - recorded.key;
        }),
      );
    }).observe(document, { childList: true, subtree: true });
  });
  return () =>
    page.evaluate(() => {
      const { shown } = window as unknown as { shown: number | undefined };
      return shown === 0 ? undefined : shown;
    });
}

interface Typing {
  readonly name: 'Operation' | 'SQL';
  /** The text before the caret, and after it. */
  readonly before: string;
  readonly after: string;
  readonly key: string;
}

interface Times {
  /** Milliseconds until the first list after the page was opened. */
  readonly first: number;
  /** Milliseconds until the list is shown for each later sample, in ascending order. */
  readonly later: readonly number[];
}

async function completionTimes(page: Page, { name, before, after, key }: Typing): Promise<Times> {
  await write(page, name, before + after);
  const editor = page.getByRole('textbox', { name, exact: true });
  await editor.press('Control+End');
  for (let step = 0; step < after.length; step += 1) await editor.press('ArrowLeft');
  const list = page.locator('.cm-tooltip-autocomplete');
  const recorded = await recordCompletions(page);
  let first = 0;
  // The names are read when the page is opened.
  await expect
    .poll(async () => {
      await editor.press(key);
      const isShown = await list.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
      if (isShown) {
        await expect.poll(recorded, { interval: 20 }).toBeGreaterThan(0);
        first = (await recorded()) ?? 0;
        await editor.press('Escape');
      }
      await editor.press('Backspace');
      return isShown;
    })
    .toBe(true);
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await editor.press(key);
    await expect.poll(recorded, { interval: 20 }).toBeGreaterThan(0);
    times.push((await recorded()) ?? 0);
    await editor.press('Escape');
    await list.waitFor({ state: 'detached' });
    await editor.press('Backspace');
    await editor.press('Escape');
    await list.waitFor({ state: 'detached' });
  }
  return { first, later: times.sort((one, other) => one - other) };
}

function report(what: string, { first, later }: Times): void {
  const figures = [later[Math.floor(later.length / 2)] ?? 0, later.at(-1) ?? 0, first].map(Math.round);
  const load = loadavg().map((one) => one.toFixed(1));
  process.stdout.write(
    `${what}: median ${figures[0]} ms, maximum ${figures[1]} ms, first ${figures[2]} ms (load ${load.join(', ')})\n`,
  );
}

test.each([
  ['tables in SQL', '/sql', { name: 'SQL', before: 'select * from ', after: '', key: 'e' }],
  ['columns in SQL', '/sql', { name: 'SQL', before: 'select e.', after: ' from entity_200 e', key: 'c' }],
  ['fields of the root in GraphQL', '/explore', { name: 'Operation', before: 'query { ', after: ' }', key: 'e' }],
  [
    'fields of a table in GraphQL',
    '/explore',
    { name: 'Operation', before: 'query { entity_200 { ', after: ' } }', key: 'c' },
  ],
  [
    'input fields in GraphQL',
    '/explore',
    { name: 'Operation', before: 'query { entity_200(where: {', after: '}) { id } }', key: 'c' },
  ],
] as const)('completes %s with 320 tables of 60 columns', (what, path, typing) =>
  walk(browser, `${service.url}/console${path}`, async (page) => {
    const times = await completionTimes(page, typing);
    report(`completion of ${what}`, times);
    expect(times.later).toHaveLength(SAMPLES);
  }),
);
