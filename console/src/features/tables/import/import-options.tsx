/** How the file is read, and what happens to rows that exist. */
import { Checkbox, Group, NativeSelect, Text } from '@mantine/core';
import type { CsvFormat } from './file-records.ts';
import type { EmptyChoice } from './import-values.ts';
import type { ReadFile } from './read-file.ts';
import type { Importing } from './use-import.ts';

interface ImportOptionsProps {
  readonly importing: Importing;
  readonly read: ReadFile;
}

export function ImportOptions({ importing, read }: ImportOptionsProps) {
  const { settings, change, setFormat, keys } = importing;
  const { format } = read;
  const isDisabled = importing.running !== undefined;
  return (
    <Group gap="sm" align="flex-end">
      <NativeSelect
        label="Format"
        size="xs"
        disabled={isDisabled}
        data={[
          { value: 'csv', label: 'CSV' },
          { value: 'json', label: 'JSON' },
        ]}
        value={format.kind}
        onChange={(event) => setFormat(event.currentTarget.value === 'csv' ? standardCsv : { kind: 'json' })}
      />
      {format.kind === 'csv' && (
        <>
          <NativeSelect
            label="Delimiter"
            size="xs"
            disabled={isDisabled}
            data={withCurrent(delimiters, format.delimiter)}
            value={format.delimiter}
            onChange={(event) => setFormat({ ...format, delimiter: event.currentTarget.value })}
          />
          <NativeSelect
            label="Quote"
            size="xs"
            disabled={isDisabled}
            data={['"', "'"]}
            value={format.quote}
            onChange={(event) => setFormat({ ...format, quote: event.currentTarget.value })}
          />
          <NativeSelect
            label="Empty fields are"
            size="xs"
            disabled={isDisabled}
            data={emptyOptions}
            value={settings.empty}
            onChange={(event) => change({ empty: event.currentTarget.value as EmptyChoice })}
          />
        </>
      )}
      {keys.length > 0 && (
        <NativeSelect
          label="Rows that exist"
          size="xs"
          disabled={isDisabled}
          data={[
            { value: 'fail', label: 'are an error' },
            { value: 'skip', label: 'are skipped' },
            ...(importing.canUpdate
              ? keys.map((key, index) => ({ value: String(index), label: `are updated by ${key.join(', ')}` }))
              : []),
          ]}
          value={settings.conflict}
          onChange={(event) => change({ conflict: event.currentTarget.value })}
        />
      )}
      {format.kind === 'csv' && (
        <Checkbox
          size="xs"
          pb={8}
          label="First line has the names"
          disabled={isDisabled}
          checked={format.hasHeader}
          onChange={(event) => setFormat({ ...format, hasHeader: event.currentTarget.checked })}
        />
      )}
      {format.kind === 'csv' && (
        <Text size="xs" c="dimmed" w="100%">
          A field in quotes without characters is always the empty text.
        </Text>
      )}
    </Group>
  );
}

const standardCsv: CsvFormat = { kind: 'csv', delimiter: ',', quote: '"', hasHeader: true };

const delimiters = [
  { value: ',', label: 'Comma' },
  { value: ';', label: 'Semicolon' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Bar |' },
];

function withCurrent(options: typeof delimiters, current: string): typeof delimiters {
  return options.some(({ value }) => value === current) ? options : [...options, { value: current, label: current }];
}

const emptyOptions: readonly { readonly value: EmptyChoice; readonly label: string }[] = [
  { value: 'null', label: 'null' },
  { value: 'text', label: 'the empty text, or null for other types' },
  { value: 'default', label: 'the default of the column' },
];
