/** The column of the file for each column of the table. */
import { NativeSelect, Stack, Text } from '@mantine/core';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import { isNull, shortText } from '../row-model/row-values.ts';
import { unusedNames } from './column-mapping.ts';
import { emptyField } from './file-records.ts';
import classes from './import.module.css';
import type { ReadFile } from './read-file.ts';
import type { Importing } from './use-import.ts';

interface MappingTableProps {
  readonly importing: Importing;
  readonly read: ReadFile;
}

export function MappingTable({ importing, read }: MappingTableProps) {
  const { columns, settings, change, running } = importing;
  const { mapping } = settings;
  const unused = unusedNames(read.names, mapping);
  const assign = (column: string, name: string): void => {
    const { [column]: _before, ...rest } = mapping;
    change({ mapping: name === '' ? rest : { ...rest, [column]: name } });
  };
  return (
    <Stack gap="xs">
      <div className={classes.scroll}>
        <PlainTable
          rows={columns}
          keyOf={({ name }) => name}
          columns={[
            { key: 'column', header: 'Column of the table', cell: ({ name }) => name, isRowHeader: true },
            {
              key: 'type',
              header: 'Type',
              cell: ({ sql_type, nullable }) => `${sql_type}${nullable ? '' : ', not null'}`,
            },
            {
              key: 'name',
              header: 'Column of the file',
              cell: ({ name, nullable, has_default, identity }) => (
                <NativeSelect
                  size="xs"
                  aria-label={`Column of the file for ${name}`}
                  disabled={running !== undefined}
                  data={[
                    { value: '', label: has_default || identity !== null ? 'default' : nullable ? 'null' : 'none' },
                    ...read.names,
                  ]}
                  value={mapping[name] ?? ''}
                  onChange={(event) => assign(name, event.currentTarget.value)}
                />
              ),
            },
            {
              key: 'example',
              header: 'First value',
              cell: ({ name }) => <Example value={read.first[0]?.values[mapping[name] ?? '']} />,
              cellProps: { className: classes.cell ?? '' },
            },
          ]}
        />
      </div>
      {unused.length > 0 && (
        <Text size="sm" c="dimmed">
          Not imported from the file: {unused.join(', ')}.
        </Text>
      )}
    </Stack>
  );
}

function Example({ value }: { readonly value: unknown }) {
  if (value === undefined) return null;
  if (value === emptyField) return 'empty';
  return isNull(value) ? 'null' : shortText(value);
}
