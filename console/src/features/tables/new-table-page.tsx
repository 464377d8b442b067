/** Form that creates a table and shows the generated SQL. */

import { ActionIcon, Autocomplete, Button, Checkbox, Code, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Client } from '../../api/client.ts';
import { useCommand } from '../../api/use-command.ts';
import { linkTo, navigate } from '../../router/location.ts';
import { trackTables } from '../../shared/sources/sources-api.ts';
import { sourcePath, type TableName, tablePath } from '../../shared/sources/table-paths.ts';
import { runSql } from '../../shared/sql/sql-api.ts';
import { SqlFailure } from '../../shared/sql/sql-result.tsx';
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

export function NewTablePage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { source = '' } = params;
  const [draft, setDraft] = useState<TableDraft>(emptyTable);
  const [track, setTrack] = useState(true);
  const missing = missingFields(draft);
  const sql = createTableSql(draft);
  const table = { schema: draft.schema.trim(), name: draft.name.trim() };
  const { run, failure, isPending } = useCommand((client) => create(client, source, sql, track ? table : undefined), {
    notice: () => ({
      title: `${table.name} was created`,
      text: track ? 'It is part of the GraphQL schema now.' : undefined,
    }),
    onDone: () => {
      navigate(tablePath(source, table));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (missing === undefined) run();
  };
  const change = (column: ColumnDraft): void =>
    setDraft({ ...draft, columns: draft.columns.map((one) => (one.key === column.key ? column : one)) });
  return (
    <>
      <PageHeader title="Create a table" back={{ to: sourcePath(source), label: 'Tables' }} />
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          <div className={classes.three}>
            <TextInput
              label="Name"
              placeholder="order"
              required
              autoComplete="off"
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
            />
            <TextInput
              label="Schema"
              required
              autoComplete="off"
              value={draft.schema}
              onChange={(event) => setDraft({ ...draft, schema: event.currentTarget.value })}
            />
            <TextInput
              label="Comment"
              autoComplete="off"
              value={draft.comment}
              onChange={(event) => setDraft({ ...draft, comment: event.currentTarget.value })}
            />
          </div>
          <Section title="Columns">
            <Stack gap="sm">
              {draft.columns.map((column, index) => (
                <ColumnFields
                  key={column.key}
                  column={column}
                  place={index + 1}
                  onChange={change}
                  onRemove={() =>
                    setDraft({ ...draft, columns: draft.columns.filter(({ key }) => key !== column.key) })
                  }
                />
              ))}
              <Button
                size="xs"
                variant="default"
                leftSection={<PlusIcon size={14} />}
                style={{ alignSelf: 'flex-start' }}
                onClick={() => setDraft({ ...draft, columns: [...draft.columns, nextColumn(draft.columns)] })}
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
            checked={track}
            onChange={(event) => setTrack(event.currentTarget.checked)}
          />
          {failure !== undefined && <SqlFailure failure={failure} sql={sql} />}
          <Group>
            <Button type="submit" loading={isPending} disabled={missing !== undefined}>
              Create the table
            </Button>
            <Button
              variant="default"
              component="a"
              {...linkTo(`/sql?source=${encodeURIComponent(source)}&sql=${encodeURIComponent(sql)}`)}
            >
              Go on in the SQL editor
            </Button>
          </Group>
        </Stack>
      </form>
    </>
  );
}

async function create(client: Client, source: string, sql: string, table: TableName | undefined): Promise<void> {
  await runSql(client, { source, sql, readOnly: false, cascade: false, check: undefined });
  if (table !== undefined) await trackTables(client, source, [table]);
}

interface ColumnFieldsProps {
  readonly column: ColumnDraft;
  /** Starts at 1. */
  readonly place: number;
  readonly onChange: (column: ColumnDraft) => void;
  readonly onRemove: () => void;
}

function ColumnFields({ column, place, onChange, onRemove }: ColumnFieldsProps) {
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
          data={[...usualTypes]}
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
