/** Every example of the documentation is run by a test, or is listed in `not-run.ts` with the reason. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type CodeBlock, codeBlocksOf } from '../code-blocks.ts';
import { examplesOf } from '../page-examples.ts';
import { notRun, testsOfPages } from './not-run.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const pages = [
  ...readdirSync(`${root}docs`).filter((name) => name.endsWith('.md')),
  ...['../README.md', '../cli/README.md'],
].map((name) => ({ name, text: readFileSync(`${root}docs/${name}`, 'utf8') }));

/** Whether the block is a request, a statement, data or a call with curl. */
function isExample({ language, text }: CodeBlock): boolean {
  if (['graphql', 'json', 'sql'].includes(language)) return true;
  return ['bash', 'sh', 'console'].includes(language) && /\bcurl\b/.test(text);
}

/** The first lines of the code of blocks that `examples.test.ts` runs or compares. */
function linesOfRun(page: string): ReadonlySet<number> {
  const lines = examplesOf(page).flatMap((example) => [example.line, example.responseLines?.[0] ?? example.line]);
  return new Set(lines.map((line) => line + 1));
}

function isRun(name: string, text: string): (block: CodeBlock) => boolean {
  const lines = linesOfRun(text);
  const { labels } = testsOfPages[name] ?? {};
  return ({ line, language, words }) =>
    lines.has(line) ||
    (language === 'json' && words[0] === 'variables') ||
    (name in testsOfPages && (labels === undefined || labels.test(words.join(' '))));
}

const blocks = pages.flatMap(({ name, text }) => {
  const runs = isRun(name, text);
  return codeBlocksOf(text)
    .filter(isExample)
    .map((block) => ({ name, block, isRun: runs(block) }));
});

function reasonFor(name: string, { text }: CodeBlock): string | undefined {
  return Object.entries(notRun[name] ?? {}).find(([start]) => text.startsWith(start))?.[1];
}

it('every example is run, or is listed with the reason why it is not', () => {
  const others = blocks.filter(({ name, block, isRun: does }) => !does && reasonFor(name, block) === undefined);
  expect(others.map(({ name, block }) => `${name}:${block.line}: ${block.text.split('\n')[0]}`)).toEqual([]);
});

it('every listed example is on its page, and no test runs it', () => {
  const listed = Object.entries(notRun).flatMap(([name, starts]) =>
    Object.keys(starts).map((start) => ({ name, start })),
  );
  const wrong = listed.filter(
    ({ name, start }) =>
      blocks.filter((one) => one.name === name && !one.isRun && one.block.text.startsWith(start)).length !== 1,
  );
  expect(wrong).toEqual([]);
});

it('the tests of single pages read their pages', () => {
  const wrong = Object.entries(testsOfPages).filter(
    ([name, { test }]) => !readFileSync(root + test, 'utf8').includes(name.replace('../', '')),
  );
  expect(wrong).toEqual([]);
});
