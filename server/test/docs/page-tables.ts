/** Tables of documentation pages whose rows are those of the code, with columns that are written in the page. */

export interface GeneratedTable {
  /** The heading of its section, without `#`. */
  readonly heading: string;
  /** The titles of the columns: those of the code, then those of the page. */
  readonly columns: readonly string[];
  /** The cells of the code; the first one identifies the row. */
  readonly rows: readonly (readonly string[])[];
}

/** The page with the table in place of the one of its section. The cells that the code does not have are those of the page. */
export function withTable(page: string, { heading, columns, rows }: GeneratedTable): string {
  const sections = page.split(/^(?=#{2,4} )/m);
  const at = sections.findIndex((section) => section.split('\n')[0]?.replace(/^#+ /, '') === heading);
  const section = sections[at];
  if (section === undefined) throw new Error(`the page has no section "${heading}"`);
  const known = new Map(cellsOf(section).map((cells) => [cells[0], cells]));
  const lines = rows.map((row) => {
    const kept = known.get(row[0] ?? '') ?? [];
    const own = columns.slice(row.length).map((_, index) => kept[row.length + index] ?? '');
    return `| ${[...row, ...own].join(' | ')} |`;
  });
  const table = [`| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...lines, ''].join('\n');
  const present = /^\|.*\n\|-.*\n(?:\|.*\n)*/m;
  sections[at] = present.test(section) ? section.replace(present, () => table) : `${section.trimEnd()}\n\n${table}\n`;
  return sections.join('');
}

/** The rows of the table of a section with an empty cell among the columns of the page, by their first cell. */
export function rowsWithoutText(page: string, { heading, columns, rows }: GeneratedTable): readonly string[] {
  const section = page.split(/^(?=#{2,4} )/m).find((one) => one.split('\n')[0]?.replace(/^#+ /, '') === heading) ?? '';
  return cellsOf(section)
    .filter((cells) => columns.some((_, index) => index >= (rows[0]?.length ?? 0) && (cells[index] ?? '') === ''))
    .map((cells) => `${heading}: ${cells[0]}`);
}

/** The cells of the first table, without its head. A pipe in a cell is written `\|`. */
function cellsOf(section: string): readonly (readonly string[])[] {
  const lines = /^\|.*\n\|-.*\n((?:\|.*\n)*)/m.exec(section)?.[1]?.trimEnd().split('\n') ?? [];
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}
