/** Form that creates a table and shows the generated SQL. */

import { ActionIcon, Autocomplete, Button, Checkbox, Code, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { useCommand } from '../../api/use-command.ts';
import { linkTo, navigate } from '../../router/location.ts';
import { sourcePath, type TableName, tablePath } from '../../shared/sources/table-paths.ts';
import { TrackDialog } from '../../shared/sources/track-dialog.tsx';
import { runSql } from '../../shared/sql/sql-api.ts';
import { qualifiedName } from '../../shared/sql/sql-names.ts';
import { SqlFailure } from '../../shared/sql/sql-result.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { type FormErrors, useDraftForm } from '../../ui/form/use-draft-form.ts';
import classes from '../../ui/page/data-page.module.css';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Section } from '../../ui/page/section.tsx';
import {
  type ColumnDraft,
  createTableSql,
  emptyTable,
  missingFields,
  nextColumn,
  type TableDraft,
  usualTypes,
} from './new-table.ts';
import { useEnumTypes } from './structure/enum-types-api.ts';

export function NewTablePage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { source = '' } = params;
  const form = useDraftForm({ initial: { ...emptyTable, track: true }, validate: tableErrors });
  const draft = form.values;
  const enumTypes = (useEnumTypes(source).data ?? []).map(qualifiedName);
  const missing = missingFields(draft);
  const sql = createTableSql(draft);
  const [created, setCreated] = useState<TableName>();
  const command = useCommand((client, { sql }: NewTable) => create(client, source, sql), {
    notice: (_result, { table }) => ({ title: `${table.name} was created` }),
    onDone: (_result, { table, track }) => (track ? setCreated(table) : navigate(tablePath(source, table))),
  });
  const submit = form.onSubmit((typed) => {
    const table = { schema: typed.schema.trim(), name: typed.name.trim() };
    command.run({ sql: createTableSql(typed), table, track: typed.track });
  });
  const change = (column: ColumnDraft): void =>
    form.change({ columns: draft.columns.map((one) => (one.key === column.key ? column : one)) });
  return (
    <>
      <PageHeader title="Create a table" back={{ to: sourcePath(source), label: 'Tables' }} />
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          <div className={classes.three}>
            <TextInput label="Name" placeholder="order" required autoComplete="off" {...form.getInputProps('name')} />
            <TextInput label="Schema" required autoComplete="off" {...form.getInputProps('schema')} />
            <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
          </div>
          <Section title="Columns">
            <Stack gap="sm">
              {draft.columns.map((column, index) => (
                <ColumnFields
                  key={column.key}
                  column={column}
                  place={index + 1}
                  enumTypes={enumTypes}
                  onChange={change}
                  onRemove={() => form.change({ columns: draft.columns.filter(({ key }) => key !== column.key) })}
                />
              ))}
              <Button
                size="xs"
                variant="default"
                leftSection={<PlusIcon size={14} />}
                style={{ alignSelf: 'flex-start' }}
                onClick={() => form.change({ columns: [...draft.columns, nextColumn(draft.columns)] })}
              >
                Add a column
              </Button>
            </Stack>
          </Section>
          <Section title="SQL">
            {missing === undefined ? (
              <Code block>{sql}</Code>
            ) : (
              <Text size="sm" c="dimmed">
                {missing}
              </Text>
            )}
          </Section>
          <Checkbox
            label="Track it, so that it is part of the GraphQL schema"
            {...form.getInputProps('track', { type: 'checkbox' })}
          />
          {command.failure !== undefined && <SqlFailure failure={command.failure} sql={sql} />}
          <Group>
            <ReasonButton type="submit" loading={command.isPending || created !== undefined} reason={missing}>
              Create the table
            </ReasonButton>
            <Button
              variant="default"
              component="a"
              {...linkTo(`/sql?source=${encodeURIComponent(source)}&sql=${encodeURIComponent(sql)}`)}
            >
              Continue in the SQL editor
            </Button>
          </Group>
        </Stack>
      </form>
      <TrackDialog
        source={source}
        tables={created === undefined ? [] : [created]}
        onClose={() => created && navigate(tablePath(source, created))}
        onDone={() => created && navigate(tablePath(source, created))}
      />
    </>
  );
}

interface NewTable {
  readonly sql: string;
  readonly table: TableName;
  readonly track: boolean;
}

async function create(client: Client, source: string, sql: string): Promise<void> {
  await runSql(client, { source, sql, readOnly: false, cascade: false, check: undefined });
}

/** The message is shown in place of the SQL. */
function tableErrors(draft: TableDraft): FormErrors {
  return { columns: missingFields(draft) };
}

interface ColumnFieldsProps {
  readonly column: ColumnDraft;
  /** Starts at 1. */
  readonly place: number;
  /** Enum types of the source, as SQL. */
  readonly enumTypes: readonly string[];
  readonly onChange: (column: ColumnDraft) => void;
  readonly onRemove: () => void;
}

function ColumnFields({ column, place, enumTypes, onChange, onRemove }: ColumnFieldsProps) {
  return (
    <Paper withBorder p="sm" bg="var(--joinery-surface)" role="group" aria-label={`Column ${place}`}>
      <div className={classes.column}>
        <TextInput
          size="xs"
          label="Name"
          autoComplete="off"
          value={column.name}
          onChange={(event) => onChange({ ...column, name: event.currentTarget.value })}
        />
        <Autocomplete
          size="xs"
          label="Type"
          data={[
            { group: 'Usual types', items: [...usualTypes] },
            { group: 'Enum types', items: [...enumTypes] },
          ]}
          value={column.type}
          onChange={(type) => onChange({ ...column, type })}
        />
        <TextInput
          size="xs"
          label="Default"
          placeholder="none"
          autoComplete="off"
          value={column.expression}
          onChange={(event) => onChange({ ...column, expression: event.currentTarget.value })}
        />
        <Group gap="md" className={classes.flags ?? ''} wrap="nowrap">
          <Checkbox
            size="xs"
            label="Nullable"
            checked={column.nullable && !column.primary}
            disabled={column.primary}
            onChange={(event) => onChange({ ...column, nullable: event.currentTarget.checked })}
          />
          <Checkbox
            size="xs"
            label="Primary key"
            checked={column.primary}
            onChange={(event) => onChange({ ...column, primary: event.currentTarget.checked })}
          />
          <ActionIcon variant="subtle" color="gray" aria-label={`Remove column ${place}`} onClick={onRemove}>
            <CrossIcon size={16} />
          </ActionIcon>
        </Group>
      </div>
    </Paper>
  );
}
