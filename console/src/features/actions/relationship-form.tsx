/** Form for a relationship of an output type to a table. */
import { TableActionRelationship } from '@joinery/metadata/schema/actions';
import { NativeSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { type MappingRow, MappingRows } from '../../shared/remote-relationships/mapping-fields.tsx';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { byMember, schemaErrors } from '../../ui/form/schema-errors.ts';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
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
  const form = useDraftForm<Draft>({
    initial: draftOf(relationship, sources),
    validate: (draft) => schemaErrors(TableActionRelationship, savedOf(draft), { fieldOf }),
    immediate: true,
  });
  const { type, source, schema, table, rows } = form.values;
  const tables = tablesOf(sources, source);
  const schemas = [...new Set(tables.map((one) => one.schema))];
  const emptied = rowsOf(undefined);
  const keys = useQuery({
    queryKey: ['metadata', 'action-keys', typeName, source, schema, table],
    queryFn: ({ signal }) => readKeys(client, typeName, source, { schema: schema ?? '', name: table ?? '' }, signal),
    enabled: schema !== null && table !== null,
  });
  const { basis, newer } = useEditConflict(relationship && nowOf(metadata, typeName, relationship.name), version);
  const command = useCommand((client, { saved, before }: Change) => saveRelationship(client, typeName, saved, before), {
    notice: () => ({ title: relationship === undefined ? 'Relationship added' : 'Relationship changed' }),
    onDone: onClose,
  });
  const saveOn = (before: Change['before']) => form.onSubmit((draft) => command.run({ saved: savedOf(draft), before }));
  return (
    <form onSubmit={saveOn(basis)} noValidate>
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
          onChange={(event) => form.change({ type: event.currentTarget.value as TableRelationship['type'] })}
        />
        <TextInput
          label="Relationship name"
          placeholder="customer"
          autoComplete="off"
          required
          {...form.getInputProps('name')}
        />
        <div className={classes.table}>
          <NativeSelect
            label="Reference source"
            value={source}
            data={sources.map((one) => one.name)}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              form.change({
                source: chosen,
                schema: tablesOf(sources, chosen)[0]?.schema ?? null,
                table: null,
                rows: emptied,
              });
            }}
          />
          <Select
            label="Reference schema"
            data={schemas}
            value={schema}
            allowDeselect={false}
            onChange={(chosen) => form.change({ schema: chosen, table: null, rows: emptied })}
          />
          <Select
            label="Reference table"
            placeholder="Table"
            searchable
            allowDeselect={false}
            data={tables.filter((one) => one.schema === schema).map((one) => one.name)}
            value={table}
            onChange={(chosen) => form.change({ table: chosen, rows: emptied })}
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
            onChange={(changed) => form.change({ rows: changed })}
          />
        )}
        <FormActions
          submit={relationship === undefined ? 'Add the relationship' : 'Save the relationship'}
          command={command}
          disabled={!form.isValid()}
          failed="The relationship was not saved"
          onSaveOver={newer && saveOn(newer)}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
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
    rows: rowsOf(relationship),
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

function rowsOf(relationship: TableRelationship | undefined): readonly MappingRow[] {
  const pairs = Object.entries(relationship?.field_mapping ?? {});
  if (pairs.length === 0) return [{ key: 0, from: null, to: null }];
  return pairs.map(([from, to], key) => ({ key, from, to }));
}
