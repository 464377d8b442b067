/** Form that adds a foreign key. */
import { ActionIcon, Button, Checkbox, NativeSelect, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useClient } from '../../../../api/context.ts';
import { readSourceTables } from '../../../../shared/sources/sources-api.ts';
import { tableKey, tableLabel } from '../../../../shared/sources/table-paths.ts';
import { useTableInfo } from '../../../../shared/sources/use-sources.ts';
import type { DraftForm } from '../../../../ui/form/use-draft-form.ts';
import { CrossIcon, PlusIcon } from '../../../../ui/page/icons.tsx';
import { type ForeignKeyDraft, foreignKeyActions, foreignKeyErrors, foreignKeySql } from '../sql/constraint-sql.ts';
import classes from '../structure.module.css';
import { type ConstraintFormProps, ConstraintName, NotValid } from './constraint-forms.tsx';
import { SqlForm } from './sql-form.tsx';

const newForeignKey: ForeignKeyDraft = {
  name: '',
  schema: '',
  table: '',
  pairs: [{ from: '', to: '' }],
  onUpdate: 'no action',
  onDelete: 'no action',
  deferrable: false,
  notValid: false,
  index: true,
};

export function ForeignKeyForm({ source, info, onClose }: ConstraintFormProps) {
  return (
    <SqlForm<ForeignKeyDraft>
      source={source}
      initial={newForeignKey}
      validate={foreignKeyErrors}
      sqlOf={(draft) => (Object.keys(foreignKeyErrors(draft)).length > 0 ? '' : foreignKeySql(info.table, draft))}
      submit="Add the foreign key"
      done="The foreign key was added"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => <Fields source={source} info={info} form={form} />}
    </SqlForm>
  );
}

interface FieldsProps extends Omit<ConstraintFormProps, 'onClose'> {
  readonly form: DraftForm<ForeignKeyDraft>;
}

function Fields({ source, info, form }: FieldsProps) {
  const client = useClient();
  const { schema, table, pairs } = form.values;
  const { data: tables = [] } = useQuery({
    queryKey: ['metadata', 'source-tables', source],
    queryFn: ({ signal }) => readSourceTables(client, source, signal),
  });
  const { data: target } = useTableInfo(source, table === '' ? undefined : { schema, name: table });
  const key = target?.primary_key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a suggestion when the table was selected
  useEffect(() => {
    const [only, second] = key ?? [];
    if (only === undefined || second !== undefined || pairs.length > 1 || pairs[0]?.to !== '') return;
    form.change({ pairs: [{ from: pairs[0].from, to: only }] });
  }, [key]);
  const set = (index: number, part: Partial<ForeignKeyDraft['pairs'][number]>): void =>
    form.change({ pairs: pairs.map((one, at) => (at === index ? { ...one, ...part } : one)) });
  return (
    <>
      <Select
        label="References table"
        required
        searchable
        limit={100}
        data={tables.map((one) => ({ value: tableKey(one), label: tableLabel(one) }))}
        value={table === '' ? null : tableKey({ schema, name: table })}
        error={form.errors.table}
        onChange={(key) => {
          const chosen = tables.find((one) => tableKey(one) === key);
          form.change({ schema: chosen?.schema ?? '', table: chosen?.name ?? '', pairs: [{ from: '', to: '' }] });
        }}
      />
      <Stack gap={6} role="group" aria-label="Columns of the foreign key">
        {pairs.map(({ from, to }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pairs have nothing but their place
          <div key={index} className={classes.pair}>
            <Select
              aria-label={`Column ${index + 1}`}
              placeholder="Column"
              searchable
              data={info.columns.map(({ name }) => name)}
              value={from === '' ? null : from}
              onChange={(name) => set(index, { from: name ?? '' })}
            />
            <Text span size="sm" c="dimmed">
              →
            </Text>
            <Select
              aria-label={`Referenced column ${index + 1}`}
              placeholder="Referenced column"
              searchable
              disabled={target === undefined}
              data={(target?.columns ?? []).map(({ name }) => name)}
              value={to === '' ? null : to}
              onChange={(name) => set(index, { to: name ?? '' })}
            />
            {pairs.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove pair ${index + 1}`}
                onClick={() => form.change({ pairs: pairs.filter((_one, at) => at !== index) })}
              >
                <CrossIcon size={16} />
              </ActionIcon>
            )}
          </div>
        ))}
        {form.errors.pairs !== undefined && (
          <Text size="xs" c="red">
            {form.errors.pairs}
          </Text>
        )}
        {target !== undefined && (
          <Text size="xs" c="dimmed">
            Key of {tableLabel(target.table)}: {target.primary_key?.join(', ') ?? 'none'}. The referenced columns must
            be a primary or unique key.
          </Text>
        )}
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => form.change({ pairs: [...pairs, { from: '', to: '' }] })}
        >
          Add a pair of columns
        </Button>
      </Stack>
      <div className={classes.two}>
        <NativeSelect
          label="When a referenced row is deleted"
          data={[...foreignKeyActions]}
          {...form.getInputProps('onDelete')}
        />
        <NativeSelect
          label="When a referenced key changes"
          data={[...foreignKeyActions]}
          {...form.getInputProps('onUpdate')}
        />
      </div>
      <ConstraintName form={form} />
      <Checkbox
        label="Create an index on the columns"
        description="Deletes of referenced rows, and relationships from them, need it."
        {...form.getInputProps('index', { type: 'checkbox' })}
      />
      <NotValid form={form} />
      <Checkbox
        label="Check at the end of each transaction"
        {...form.getInputProps('deferrable', { type: 'checkbox' })}
      />
    </>
  );
}
