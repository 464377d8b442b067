/** Form for a relationship of an output type to a table. The name, the type and the mapping are prefilled. */
import type { SuggestedActionRelationship } from '@joinery/metadata/api/sources/catalog';
import { TableActionRelationship } from '@joinery/metadata/schema/actions';
import { NativeSelect, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { type Reading, useEditConflict } from '../../../api/edit-conflict.ts';
import { toFailure } from '../../../api/failure.ts';
import { useCommand } from '../../../api/use-command.ts';
import type { TargetKind } from '../../../shared/remote-relationships/definition-draft.ts';
import { type MappingRow, MappingRows } from '../../../shared/remote-relationships/mapping-fields.tsx';
import { TargetChoice } from '../../../shared/remote-relationships/target-choice.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { byMember, schemaErrors } from '../../../ui/form/beside-text/schema-errors.ts';
import { FormActions } from '../../../ui/form/form-actions.tsx';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import classes from '../actions.module.css';
import {
  type ActionsMetadata,
  type Relationship,
  readKeys,
  saveRelationship,
  type TableRelationship,
} from '../actions-api.ts';
import { prefilled, rowsOf } from './prefill.ts';

interface RelationshipFormProps {
  readonly typeName: string;
  /** The relationship to change. Undefined for a new one. */
  readonly relationship: TableRelationship | undefined;
  readonly metadata: ActionsMetadata;
  readonly suggestions: readonly SuggestedActionRelationship[];
  /** Called when a new relationship is to lead to another object than a table. `name`: as entered. */
  readonly onElsewhere: (kind: TargetKind, name: string) => void;
  readonly onClose: () => void;
}

export function RelationshipForm(props: RelationshipFormProps) {
  const { typeName, relationship, metadata, suggestions, onElsewhere, onClose } = props;
  const { sources, version } = metadata;
  const client = useClient();
  const form = useDraftForm<Draft>({
    initial: draftOf(relationship, sources),
    validate: (draft) => schemaErrors(TableActionRelationship, savedOf(draft), { fieldOf }),
    immediate: true,
  });
  const { type, source, schema, table, rows } = form.values;
  const tables = tablesOf(sources, source);
  const schemas = [...new Set(tables.map((one) => one.schema))];
  // The name that was filled in, which another table replaces.
  const [filledName, setFilledName] = useState('');
  const keys = useQuery({
    queryKey: ['metadata', 'action-keys', typeName, source, schema, table],
    queryFn: ({ signal }) => readKeys(client, typeName, source, { schema: schema ?? '', name: table ?? '' }, signal),
    enabled: schema !== null && table !== null,
  });
  const isUnmapped = rows.every(({ from, to }) => from === null && to === null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: filled in once for each table.
  useEffect(() => {
    if (keys.data === undefined || schema === null || table === null || !isUnmapped) return;
    const fields = new Set(keys.data.map(({ field }) => field));
    const filled = prefilled({ source, table: { schema, name: table } }, keys.data, suggestions, fields);
    const isOwnName = form.values.name.trim() !== '' && form.values.name !== filledName;
    if (!isOwnName) setFilledName(filled.name);
    form.change({ type: filled.type, rows: filled.rows, ...(!isOwnName && { name: filled.name }) });
  }, [keys.data, source, schema, table]);
  const { basis, newer } = useEditConflict(relationship && nowOf(metadata, typeName, relationship.name), version);
  const command = useCommand((client, { saved, before }: Change) => saveRelationship(client, typeName, saved, before), {
    notice: () => ({ title: relationship === undefined ? 'Relationship added' : 'Relationship changed' }),
    onDone: onClose,
  });
  const saveOn = (before: Change['before']) => form.onSubmit((draft) => command.run({ saved: savedOf(draft), before }));
  const title = relationship === undefined ? 'Add a relationship' : `Edit ${relationship.name}`;
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <form onSubmit={saveOn(basis)} noValidate>
        <Stack gap="md">
          <div>
            <Title order={3} size="h5">
              {title}
            </Title>
            <Text size="sm" c="dimmed">
              Every object of type <strong>{typeName}</strong> gets a field of this name with the rows that belong to
              it.
            </Text>
          </div>
          {relationship === undefined && (
            <TargetChoice
              value="table"
              targets={['table', 'function', 'remote schema', 'action']}
              onChange={(kind) => kind !== 'table' && onElsewhere(kind, form.values.name)}
            />
          )}
          <div className={classes.table}>
            {(sources.length > 1 || sources[0]?.name !== source) && (
              <NativeSelect
                label="Reference source"
                value={source}
                data={sources.map((one) => one.name)}
                onChange={(event) => {
                  const chosen = event.currentTarget.value;
                  const first = tablesOf(sources, chosen)[0]?.schema ?? null;
                  form.change({ source: chosen, schema: first, table: null, rows: rowsOf() });
                }}
              />
            )}
            {(schemas.length > 1 || schemas[0] !== schema) && (
              <Select
                label="Reference schema"
                data={schemas}
                value={schema}
                allowDeselect={false}
                onChange={(chosen) => form.change({ schema: chosen, table: null, rows: rowsOf() })}
              />
            )}
            <Select
              label="Reference table"
              placeholder="Table"
              searchable
              allowDeselect={false}
              autoFocus={relationship === undefined}
              openOnFocus={false}
              data={tables.filter((one) => one.schema === schema).map((one) => one.name)}
              value={table}
              onChange={(chosen) => form.change({ table: chosen, rows: rowsOf() })}
              nothingFoundMessage="No such tracked table"
            />
          </div>
          <div className={classes.table}>
            <TextInput
              label="Relationship name"
              placeholder="customer"
              autoComplete="off"
              required
              {...form.getInputProps('name')}
            />
            <NativeSelect
              label="Relationship type"
              value={type}
              data={[
                { value: 'object', label: 'Object: one row, or null' },
                { value: 'array', label: 'Array: any number of rows' },
              ]}
              onChange={(event) => form.change({ type: event.currentTarget.value as TableRelationship['type'] })}
            />
          </div>
          {keys.error !== null && (
            <FailureNotice
              title="The columns could not be read"
              failure={toFailure(keys.error)}
              onRetry={keys.refetch}
            />
          )}
          {table !== null && (
            <MappingRows
              legend="Output fields, and the columns that they match"
              noun="field"
              rows={rows}
              keys={keys.data}
              onChange={(changed) => form.change({ rows: changed })}
            />
          )}
          <FormActions
            submit={relationship === undefined ? 'Add the relationship' : 'Save the relationship'}
            command={command}
            reason={reasonAgainst(form.values, form.isValid())}
            failed="The relationship was not saved"
            onSaveOver={newer && saveOn(newer)}
            onBack={onClose}
          />
        </Stack>
      </form>
    </Paper>
  );
}

/** Why the draft cannot be saved. */
function reasonAgainst({ name, table, rows }: Draft, isValid: boolean): string | undefined {
  if (table === null) return 'Choose a reference table.';
  if (name.trim() === '') return 'Enter a name.';
  if (rows.some(({ from, to }) => from === null || to === null)) return 'Choose a column for each field.';
  return isValid ? undefined : 'Correct the marked fields.';
}

const fieldOf = byMember({ name: 'name', remote_table: 'table', field_mapping: 'rows' });

interface Draft {
  readonly name: string;
  readonly type: TableRelationship['type'];
  readonly source: string;
  readonly schema: string | null;
  readonly table: string | null;
  readonly rows: readonly MappingRow[];
}

function draftOf(relationship: TableRelationship | undefined, sources: ActionsMetadata['sources']): Draft {
  const source = firstSource(relationship, sources);
  return {
    name: relationship?.name ?? '',
    type: relationship?.type ?? 'object',
    source,
    schema: relationship?.remote_table.schema ?? tablesOf(sources, source)[0]?.schema ?? null,
    table: relationship?.remote_table.name ?? null,
    rows: rowsOf(relationship?.field_mapping),
  };
}

function tablesOf(sources: ActionsMetadata['sources'], source: string) {
  return sources.find((one) => one.name === source)?.tables ?? [];
}

/** A missing choice becomes an empty name, which the schema rejects. */
function savedOf({ name, type, source, schema, table, rows }: Draft): TableRelationship {
  return {
    name: name.trim(),
    type,
    source,
    remote_table: { schema: schema ?? '', name: table ?? '' },
    field_mapping: Object.fromEntries(rows.map(({ from, to }) => [from ?? '', to ?? ''])),
  };
}

interface Change {
  readonly saved: TableRelationship;
  readonly before: Reading<Relationship | undefined>;
}

function nowOf({ types }: ActionsMetadata, typeName: string, name: string): Relationship | undefined {
  const type = types.objects?.find((one) => one.name === typeName);
  return type?.relationships?.find((one) => one.name === name);
}

/** A relationship without source uses `default`, a new one the first source. */
function firstSource(relationship: TableRelationship | undefined, sources: ActionsMetadata['sources']): string {
  const unnamed = relationship === undefined ? sources[0]?.name : undefined;
  return relationship?.source ?? unnamed ?? 'default';
}
