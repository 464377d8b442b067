/**
 * The reference of the metadata commands: each command has a section, and the table of its arguments is that of the code.
 * `JOINERY_UPDATE_EXAMPLES=1` writes the tables; the column with the meaning is kept.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commands as edits } from '@joinery/metadata/commands/registry';
import { expect, it } from 'vitest';
import { singleCommands } from '../../src/service/commands/registry.ts';
import { meaningOf } from './argument-meanings.ts';
import { argumentRows } from './command-arguments.ts';

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));
const pages = readdirSync(folder).filter((name) => /^commands(-.+)?\.md$/.test(name));

const header = ['| argument | type | default | meaning |', '|---|---|---|---|'];

interface Section {
  readonly name: string;
  readonly text: string;
}

function sectionsOf(page: string): readonly Section[] {
  return page
    .split(/^(?=## )/m)
    .map((text) => ({ name: /^## `(\w+)`$/m.exec(text.split('\n')[0] ?? '')?.[1] ?? '', text }));
}

function rowsFor(name: string): ReturnType<typeof argumentRows> {
  const schema = edits.get(name as Parameters<typeof edits.get>[0])?.arguments ?? singleCommands.get(name)?.arguments;
  return schema === undefined ? [] : argumentRows(schema);
}

/** The section with the table of the code, before the first example; a section without known arguments is left as it is. */
function withTable({ name, text }: Section): string {
  const rows = rowsFor(name);
  if (rows.length === 0) return text;
  const known = new Map(
    [...text.matchAll(/^\| `([^`]+)` \|.*\| ([^|]*) \|$/gm)].map(([, argument = '', meaning = '']) => [
      argument,
      meaning,
    ]),
  );
  const lines = rows.map((row) => {
    const meaning = known.get(row.name)?.trim() || meaningOf(row.name);
    return `| \`${row.name}\` | ${row.type.replaceAll('|', '\\|')} | ${row.default} | ${meaning} |`;
  });
  const table = [...header, ...lines].join('\n');
  const present = /^\| argument \|.*\n(?:\|.*\n)*/m;
  if (present.test(text)) return text.replace(present, () => `${table}\n`);
  const [title = '', paragraph = '', ...rest] = text.trimEnd().split('\n\n');
  return `${[title, paragraph, table, ...rest].join('\n\n')}\n\n`;
}

/** The name without the prefix that means the same command. */
function withoutPrefix(name: string): string {
  return name.replace(/^(?:pg|citus|cockroach)_/, '');
}

const documented = pages.flatMap((page) => sectionsOf(readFileSync(folder + page, 'utf8')).map(({ name }) => name));

it.each([...singleCommands.keys()].filter((name) => withoutPrefix(name) === name))(
  'the command %s has one section',
  (name) => {
    expect(documented.filter((one) => one === name)).toEqual([name]);
  },
);

it.each(pages)('docs/%s names only commands that exist', (page) => {
  const bulks = ['bulk', 'bulk_keep_going', 'bulk_atomic', 'concurrent_bulk'];
  const names = sectionsOf(readFileSync(folder + page, 'utf8')).map(({ name }) => name);
  expect(names.filter((name) => name !== '' && !bulks.includes(name) && !singleCommands.has(name))).toEqual([]);
});

it.each(pages)('docs/%s has the arguments of the code', (page) => {
  const text = readFileSync(folder + page, 'utf8');
  const generated = `${sectionsOf(text).map(withTable).join('').trimEnd()}\n`;
  if (process.env.JOINERY_UPDATE_EXAMPLES === '1') writeFileSync(folder + page, generated);
  expect(readFileSync(folder + page, 'utf8')).toBe(generated);
});
