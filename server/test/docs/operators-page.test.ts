/** The tables of docs/operators.md are those of the code. `JOINERY_UPDATE_EXAMPLES=1` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { castsOf, operators, operatorsOf } from '../../src/model/predicate/operators.ts';
import { columnType } from '../support/model/draft.ts';

const file = fileURLToPath(new URL('../../../docs/operators.md', import.meta.url));

/** A type of each family, as the column types of the model write it. */
const families: readonly (readonly [label: string, type: string])[] = [
  ['numbers, `boolean`, `uuid`, dates and times, `interval`, `bytea`, `inet`, enums, composite types', 'Int'],
  ['`text`, `varchar`, `char`, `name`, `citext`', 'String'],
  ['arrays', 'Int[]'],
  ['ranges', 'range int4range'],
  ['`jsonb`', 'jsonb'],
  ['`json`, `xml`, `point` and other types that cannot be compared', 'json'],
  ['`ltree`', 'ltree ltree'],
  ['`geometry` (PostGIS)', 'geometry geometry'],
  ['`geography` (PostGIS)', 'geography geography'],
  ['`raster` (PostGIS)', 'raster raster'],
];

function byType(): readonly string[] {
  const rows = families.map(([label, type]) => {
    const names = operatorsOf(columnType(type)).map(({ name }) => name);
    if (castsOf(columnType(type)).length > 0) names.push('_cast');
    return `| ${label} | ${names.map((name) => `\`${name}\``).join(', ')} |`;
  });
  return ['| columns | operators |', '|---|---|', ...rows];
}

function byName(): readonly string[] {
  const meanings = new Map<string, string[]>();
  for (const { name, description } of operators) {
    const known = meanings.get(name) ?? [];
    if (!known.includes(description)) known.push(description);
    meanings.set(name, known);
  }
  const rows = [...meanings].map(([name, all]) => `| \`${name}\` | ${all.join('; ').replaceAll('|', '\\|')} |`);
  return ['| operator | the column |', '|---|---|', ...rows];
}

/** Replaces the tables, which are the first and the second of the page. */
function withTables(page: string, tables: readonly (readonly string[])[]): string {
  let at = 0;
  return page.replace(/(?:^\|.*\n)+/gm, (table) => {
    const given = tables[at];
    at += 1;
    return given === undefined ? table : `${given.join('\n')}\n`;
  });
}

it('docs/operators.md lists the operators of each type of columns, and what each means', () => {
  const page = readFileSync(file, 'utf8');
  const generated = withTables(page, [byType(), byName()]);
  if (process.env.JOINERY_UPDATE_EXAMPLES === '1') writeFileSync(file, generated);
  expect(readFileSync(file, 'utf8')).toBe(generated);
});
