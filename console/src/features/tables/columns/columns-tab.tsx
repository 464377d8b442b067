/** Columns, API names, computed fields and enum setting of a table. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/catalog';
import { Code, Stack, Switch, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useCommand } from '../../../api/use-command.ts';
import { type ComputedField, setIsEnum, type TableEntry } from '../../../shared/sources/sources-api.ts';
import { sameTable, type TableTabProps, tableLabel } from '../../../shared/sources/table-paths.ts';
import { useSources, useTableInfo } from '../../../shared/sources/use-sources.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { Section } from '../../../ui/page/section.tsx';
import classes from '../../../ui/table/cells.module.css';
import { type PlainColumn, PlainTable } from '../../../ui/table/plain-table.tsx';
import { filledBy } from '../table-text.ts';
import { ColumnDialog } from './column-dialog.tsx';
import { NamesSection } from './names-section.tsx';
import { columnConfig } from './table-configuration.ts';

export function ColumnsTab({ source, table }: TableTabProps) {
  const { data: info } = useTableInfo(source, table);
  const sources = useSources();
  if (info === undefined || sources.data === undefined) return <Loading />;
  const entry = sources.data.find((one) => one.name === source)?.tables.find((one) => sameTable(one.table, table));
  return (
    <Stack gap="xl">
      <Columns source={source} info={info} entry={entry} />
      <Keys info={info} />
      {entry !== undefined && <NamesSection source={source} entry={entry} />}
      {entry !== undefined && <ComputedFields fields={entry.computed_fields ?? []} />}
      {entry !== undefined && <EnumSwitch source={source} entry={entry} />}
    </Stack>
  );
}

interface ColumnsProps {
  readonly source: string;
  readonly info: TableInfo;
  readonly entry: TableEntry | undefined;
}

function Columns({ source, info, entry }: ColumnsProps) {
  const [edited, setEdited] = useState<string>();
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.scroll} aria-label={`Columns of ${tableLabel(info.table)}`} tabIndex={0}>
        <PlainTable
          className={classes.grid ?? ''}
          horizontalSpacing="md"
          verticalSpacing={8}
          rows={info.columns}
          keyOf={({ name }) => name}
          columns={columnsOf(info, entry, setEdited)}
        />
      </section>
      {entry !== undefined && (
        <ColumnDialog source={source} entry={entry} column={edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

const clipped = { className: classes.cell ?? '' };

function columnsOf(
  info: TableInfo,
  entry: TableEntry | undefined,
  onEdit: (name: string) => void,
): readonly PlainColumn<ColumnInfo>[] {
  const config = (name: string) => columnConfig(entry?.configuration, name);
  const filled = (column: ColumnInfo): string => filledBy(column).join(', ');
  return [
    {
      key: 'name',
      header: 'Column',
      cellProps: { ...clipped, fw: 500 },
      cell: ({ name }) =>
        entry === undefined ? (
          name
        ) : (
          <UnstyledButton
            className={classes.opener}
            aria-haspopup="dialog"
            aria-label={`Edit column ${name}`}
            onClick={() => onEdit(name)}
          >
            {name}
          </UnstyledButton>
        ),
    },
    { key: 'type', header: 'Type', cellProps: clipped, cell: ({ sql_type }) => sql_type },
    { key: 'nullable', header: 'Nullable', cell: ({ nullable }) => (nullable ? 'yes' : 'no') },
    {
      key: 'filled',
      header: 'Filled by',
      cellProps: (column) => ({ ...clipped, title: filled(column) }),
      cell: (column) => (filled(column) === '' ? '–' : filled(column)),
    },
    { key: 'key', header: 'Key', cellProps: clipped, cell: ({ name }) => keyWords(name, info) },
    ...(entry === undefined
      ? []
      : [
          {
            key: 'custom',
            header: 'Name in GraphQL',
            cellProps: clipped,
            cell: ({ name }: ColumnInfo) => config(name).custom_name ?? <Dimmed text="as in the database" />,
          },
        ]),
    {
      key: 'comment',
      header: 'Comment',
      cellProps: clipped,
      cell: ({ name, comment }) => config(name).comment ?? comment ?? <Dimmed text="–" />,
    },
  ];
}

function Dimmed({ text }: { readonly text: string }) {
  return (
    <Text span inherit c="dimmed">
      {text}
    </Text>
  );
}

function keyWords(column: string, { primary_key, unique_keys, foreign_keys }: TableInfo): string {
  const flags = [
    ...(primary_key?.includes(column) === true ? ['primary'] : []),
    ...(unique_keys.some((key) => key.includes(column)) ? ['unique'] : []),
    ...foreign_keys
      .filter(({ columns }) => Object.hasOwn(columns, column))
      .map(({ columns, table }) => `→ ${tableLabel(table)}.${columns[column]}`),
  ];
  return flags.length === 0 ? '–' : flags.join(', ');
}

/** Keys with several columns, which the table above does not show as a unit. */
function Keys({ info }: { readonly info: TableInfo }) {
  const unique = info.unique_keys.filter((key) => key.length > 1);
  const foreign = info.foreign_keys.filter(({ columns }) => Object.keys(columns).length > 1);
  if (unique.length === 0 && foreign.length === 0) return null;
  return (
    <Section title="Keys of several columns">
      {unique.map((key) => (
        <Text key={key.join()} size="sm">
          Unique: {key.join(', ')}
        </Text>
      ))}
      {foreign.map(({ constraint, columns, table }) => (
        <Text key={constraint} size="sm">
          {Object.keys(columns).join(', ')} → {tableLabel(table)} ({Object.values(columns).join(', ')})
        </Text>
      ))}
    </Section>
  );
}

function ComputedFields({ fields }: { readonly fields: readonly ComputedField[] }) {
  return (
    <Section title="Computed fields">
      {fields.length === 0 && (
        <Text size="sm" c="dimmed">
          There is none. The command <Code>pg_add_computed_field</Code> adds a field whose value a function makes.
        </Text>
      )}
      {fields.map(({ name, definition, comment }) => (
        <Text key={name} size="sm">
          <strong>{name}</strong>:{' '}
          {typeof definition.function === 'string' ? definition.function : tableLabel(definition.function)}
          {comment ? `, ${comment}` : ''}
        </Text>
      ))}
    </Section>
  );
}

function EnumSwitch({ source, entry }: { readonly source: string; readonly entry: TableEntry }) {
  const { run, failure, isPending } = useCommand(
    (client, isEnum: boolean) => setIsEnum(client, source, entry.table, isEnum),
    {
      notice: (_result, isEnum) => ({
        title: `${tableLabel(entry.table)} is ${isEnum ? 'an enum now' : 'no enum any more'}`,
      }),
    },
  );
  return (
    <Section title="Enum">
      <Stack gap="sm">
        <Switch
          label="Its rows are the values of a GraphQL enum"
          description="For a small table whose primary key is one text column, with a comment column at most."
          checked={entry.is_enum === true}
          disabled={isPending}
          onChange={(event) => run(event.currentTarget.checked)}
        />
        {failure !== undefined && <FailureNotice title="It was not changed" failure={failure} />}
      </Stack>
    </Section>
  );
}
