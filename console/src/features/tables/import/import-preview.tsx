/** The first rows as they will be inserted, with the values that cannot be. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { Text } from '@mantine/core';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import { CellValue } from '../grid/cell-value.tsx';
import { shortType } from '../grid/use-grid-columns.ts';
import type { FileRecord } from './file-records.ts';
import classes from './import.module.css';
import { rowOf } from './prepare-import.ts';
import type { ReadFile } from './read-file.ts';
import type { Importing } from './use-import.ts';

interface ImportPreviewProps {
  readonly importing: Importing;
  readonly read: ReadFile;
}

export function ImportPreview({ importing: { columns, settings }, read }: ImportPreviewProps) {
  const { format, first } = read;
  const mapped = columns.filter(({ name }) => settings.mapping[name] !== undefined);
  if (first.length === 0) return <Text size="sm">The file has no rows.</Text>;
  const rows = first.map((record) => ({ record, ...rowOf(record, { ...settings, format, columns: mapped }) }));
  return (
    <div className={classes.scroll}>
      <PlainTable
        rows={rows}
        keyOf={({ record }) => record.line}
        columns={[
          {
            key: 'line',
            header: format.kind === 'csv' ? 'Line' : 'Row',
            cell: ({ record }) => record.line,
            isNumber: true,
          },
          ...mapped.map((column) => ({
            key: column.name,
            header: (
              <>
                {column.name}
                <Text size="xs" ff="monospace" c="dimmed">
                  {shortType(column.sql_type)}
                </Text>
              </>
            ),
            cell: (row: PreviewRow) => <PreviewValue row={row} column={column} />,
            cellProps: (row: PreviewRow) => {
              const problem = problemOf(row, column);
              return problem === undefined
                ? { className: classes.cell ?? '' }
                : { className: `${classes.cell} ${classes.invalid}`, title: problem };
            },
          })),
        ]}
      />
      {rows.some(({ errors }) => errors.length > 0) && (
        <Text size="sm" c="dimmed" mt="xs">
          {rows
            .flatMap(({ errors }) => errors)
            .slice(0, 3)
            .map(({ line, column, message }) => `Line ${line}${column === undefined ? '' : `, ${column}`}: ${message}`)
            .join(' ')}
        </Text>
      )}
    </div>
  );
}

type PreviewRow = ReturnType<typeof rowOf> & { readonly record: FileRecord };

function problemOf({ errors }: PreviewRow, { name }: ColumnInfo): string | undefined {
  return errors.find(({ column }) => column === undefined || column === name)?.message;
}

function PreviewValue({ row, column }: { readonly row: PreviewRow; readonly column: ColumnInfo }) {
  if (problemOf(row, column) !== undefined) return 'invalid';
  const value = row.row[column.name];
  return value === undefined ? <CellValue value={null} absent="default" /> : <CellValue value={value} />;
}
