/** The messages of docs/troubleshooting.md are those of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const sources = ['server/src', 'metadata/src', 'cli/src']
  .flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(`${root}${folder}/${name}`, 'utf8')),
  )
  .join('\n');

const page = readFileSync(`${root}docs/troubleshooting.md`, 'utf8');
/** The first cell of a row where it is a message. */
const messages = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = '']) => message);

it.each(messages)('the code has the message "%s"', (message) => {
  expect(sources.includes(message)).toBe(true);
});

it('the page lists messages', () => {
  expect(messages.length).toBeGreaterThan(10);
});
