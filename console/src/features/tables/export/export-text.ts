/** Rows as the text of a file, written in parts. Pure. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { csvHeader, csvLines, insertText, withColumns } from '../row-model/copy-rows.ts';
import type { Row } from '../row-model/row-values.ts';

export const exportFormats = ['CSV', 'JSON', 'JSON lines', 'SQL inserts'] as const;
export type ExportFormat = (typeof exportFormats)[number];

interface TextWriter {
  readonly begin: string;
  /** Returns the text of further rows. */
  readonly rows: (rows: readonly Row[]) => string;
  readonly end: () => string;
}

/** Rows of one insert statement. */
const INSERTED = 500;

/** Returns a writer for one file. */
export function textWriter(
  format: ExportFormat,
  columns: readonly ColumnInfo[],
  { table }: Pick<TableInfo, 'table'>,
): TextWriter {
  let isFirst = true;
  const jsonLine = (row: Row): string => JSON.stringify(withColumns(row, columns));
  switch (format) {
    case 'CSV':
      return { begin: csvHeader(columns), rows: (rows) => csvLines(rows, columns), end: () => '' };
    case 'JSON':
      return {
        begin: '[',
        rows: (rows) => {
          if (rows.length === 0) return '';
          const text = `${isFirst ? '\n' : ',\n'}${rows.map((row) => `  ${jsonLine(row)}`).join(',\n')}`;
          isFirst = false;
          return text;
        },
        end: () => (isFirst ? ']\n' : '\n]\n'),
      };
    case 'JSON lines':
      return { begin: '', rows: (rows) => rows.map((row) => `${jsonLine(row)}\n`).join(''), end: () => '' };
    case 'SQL inserts':
      return {
        begin: '',
        rows: (rows) => {
          let text = '';
          for (let start = 0; start < rows.length; start += INSERTED) {
            text += insertText(rows.slice(start, start + INSERTED), columns, table);
          }
          return text;
        },
        end: () => '',
      };
    default:
      return format satisfies never;
  }
}

const endings: Readonly<Record<ExportFormat, readonly [ending: string, type: string]>> = {
  CSV: ['csv', 'text/csv'],
  JSON: ['json', 'application/json'],
  'JSON lines': ['jsonl', 'application/x-ndjson'],
  'SQL inserts': ['sql', 'application/sql'],
};

export function fileOf(format: ExportFormat, { table }: Pick<TableInfo, 'table'>) {
  const [ending, type] = endings[format];
  const name = `${table.schema}.${table.name}`.replace(/[^\p{L}\p{N}._-]/gu, '_');
  return { name: `${name}.${ending}`, ending, type };
}
