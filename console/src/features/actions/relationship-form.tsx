/** Form for a relationship of an output type to a table. */
import { NativeSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { type MappingRow, MappingRows } from '../../shared/remote-relationships/mapping-fields.tsx';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import classes from './actions.module.css';
import {
  type ActionsMetadata,
  type Relationship,
  readKeys,
  saveRelationship,
  type TableRelationship,
} from './actions-api.ts';

export interface EditedRelationship {
  readonly typeName: string;
  /** Name of the action. Undefined for a new one. */
  readonly relationship: TableRelationship | undefined;
}

interface RelationshipDrawerProps {
  /** Undefined closes the form. */
  readonly edited: EditedRelationship | undefined;
  /** The current metadata. */
  readonly metadata: ActionsMetadata;
  readonly onClose: () => void;
}

export function RelationshipDrawer({ edited, metadata, onClose }: RelationshipDrawerProps) {
  return (
    <DetailDrawer
      subject={edited}
      title={({ relationship }) => (relationship === undefined ? 'Add a relationship' : 'Edit the relationship')}
      size="form"
      onClose={onClose}
    >
      {(shown) => <RelationshipForm {...shown} metadata={metadata} onClose={onClose} />}
    </DetailDrawer>
  );
}

interface RelationshipFormProps extends EditedRelationship {
  readonly metadata: ActionsMetadata;
  readonly onClose: () => void;
}

function RelationshipForm({ typeName, relationship, metadata, onClose }: RelationshipFormProps) {
  const { sources, version } = metadata;
  const client = useClient();
  const [type, setType] = useState<TableRelationship['type']>(relationship?.type ?? 'object');
  const [name, setName] = useState(relationship?.name ?? '');
  const [source, setSource] = useState(() => firstSource(relationship, sources));
  const tables = sources.find((one) => one.name === source)?.tables ?? [];
  const schemas = [...new Set(tables.map((one) => one.schema))];
  const [schema, setSchema] = useState<string | null>(relationship?.remote_table.schema ?? schemas[0] ?? null);
  const [table, setTable] = useState<string | null>(relationship?.remote_table.name ?? null);
  const [rows, setRows] = useState<readonly MappingRow[]>(() => rowsOf(relationship));
  const emptied = rowsOf(undefined);
  const keys = useQuery({
    queryKey: ['metadata', 'action-keys', typeName, source, schema, table],
    queryFn: ({ signal }) => readKeys(client, typeName, source, { schema: schema ?? '', name: table ?? '' }, signal),
    enabled: schema !== null && table !== null,
  });
  const { basis, newer } = useEditConflict(relationship && nowOf(metadata, typeName, relationship.name), version);
  const { run, failure, isPending } = useCommand(
    (client, { saved, before }: Change) => saveRelationship(client, typeName, saved, before),
    {
      notice: () => ({ title: relationship === undefined ? 'Relationship added' : 'Relationship changed' }),
      onDone: onClose,
    },
  );
  const complete =
    name.trim() !== '' &&
    schema !== null &&
    table !== null &&
    rows.every(({ from, to }) => from !== null && to !== null);
  const save = (before: Change['before']): void => {
    if (!complete) return;
    const saved = {
      name: name.trim(),
      type,
      source,
      remote_table: { schema, name: table },
      field_mapping: Object.fromEntries(rows.map(({ from, to }) => [from ?? '', to ?? ''])),
    };
    run({ saved, before });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save(basis);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Every object of type <strong>{typeName}</strong> gets a field of this name with the rows that belong to it.
        </Text>
        <NativeSelect
          label="Relationship type"
          value={type}
          data={[
            { value: 'object', label: 'Object: one row, or null' },
            { value: 'array', label: 'Array: any number of rows' },
          ]}
          onChange={(event) => setType(event.currentTarget.value as TableRelationship['type'])}
        />
        <TextInput
          label="Relationship name"
          placeholder="customer"
          autoComplete="off"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <div className={classes.table}>
          <NativeSelect
            label="Reference source"
            value={source}
            data={sources.map((one) => one.name)}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              setSource(chosen);
              setSchema(sources.find((one) => one.name === chosen)?.tables[0]?.schema ?? null);
              setTable(null);
              setRows(emptied);
            }}
          />
          <Select
            label="Reference schema"
            data={schemas}
            value={schema}
            allowDeselect={false}
            onChange={(chosen) => {
              setSchema(chosen);
              setTable(null);
              setRows(emptied);
            }}
          />
          <Select
            label="Reference table"
            placeholder="Table"
            searchable
            allowDeselect={false}
            data={tables.filter((one) => one.schema === schema).map((one) => one.name)}
            value={table}
            onChange={(chosen) => {
              setTable(chosen);
              setRows(emptied);
            }}
            nothingFoundMessage="No such tracked table"
          />
        </div>
        {keys.error !== null && (
          <FailureNotice title="The columns could not be read" failure={toFailure(keys.error)} onRetry={keys.refetch} />
        )}
        {table !== null && (
          <MappingRows
            legend="Output fields, and the columns that they match"
            noun="field"
            rows={rows}
            keys={keys.data}
            onChange={setRows}
          />
        )}
        <FormActions
          submit={relationship === undefined ? 'Add the relationship' : 'Save the relationship'}
          busy={isPending}
          disabled={!complete}
          error={failure ?? null}
          failed="The relationship was not saved"
          onSaveOver={newer && (() => save(newer))}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
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

function rowsOf(relationship: TableRelationship | undefined): readonly MappingRow[] {
  const pairs = Object.entries(relationship?.field_mapping ?? {});
  if (pairs.length === 0) return [{ key: 0, from: null, to: null }];
  return pairs.map(([from, to], key) => ({ key, from, to }));
}
