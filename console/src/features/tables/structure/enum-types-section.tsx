/** Enum types of the columns: their values, with forms that add and rename them. */
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { tableKey, tableLabel } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { NameForm } from './forms/name-form.tsx';
import { SqlForm } from './forms/sql-form.tsx';
import { typeObject } from './sql/name-sql.ts';
import {
  addEnumValueSql,
  dropTypeSql,
  type EnumValueDraft,
  enumValueErrors,
  renameEnumValueSql,
} from './sql/table-sql.ts';
import { restoreEnumSql } from './sql/undo-sql.ts';
import classes from './structure.module.css';
import type { EnumType } from './structure-api.ts';

interface EnumTypesProps {
  readonly source: string;
  readonly types: readonly EnumType[];
}

interface Open {
  readonly form: 'add' | 'value' | 'type' | 'drop';
  readonly type: EnumType;
}

const titles = { add: 'Add a value to', value: 'Rename a value of', type: 'Change', drop: 'Drop' } as const;

export function EnumTypesSection({ source, types }: EnumTypesProps) {
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  if (types.length === 0) return null;
  return (
    <Section title="Enum types of its columns">
      <Stack gap="md">
        {types.map((type) => (
          <Stack key={tableKey(type)} gap={6}>
            <Text size="sm">
              <strong>{tableLabel(type)}</strong> of {type.columns.join(', ')}: {type.values.join(', ')}
            </Text>
            {type.comment !== null && (
              <Text size="sm" c="dimmed">
                {type.comment}
              </Text>
            )}
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => setOpen({ form: 'add', type })}>
                Add a value to {tableLabel(type)}
              </Button>
              <Button size="xs" variant="default" onClick={() => setOpen({ form: 'value', type })}>
                Rename a value
              </Button>
              <Button size="xs" variant="default" onClick={() => setOpen({ form: 'type', type })}>
                Rename or comment
              </Button>
              <Button size="xs" variant="default" onClick={() => setOpen({ form: 'drop', type })}>
                Drop the type
              </Button>
            </Group>
          </Stack>
        ))}
      </Stack>
      <DetailDrawer
        subject={open}
        title={({ form, type }) => `${titles[form]} ${tableLabel(type)}`}
        size="form"
        onClose={close}
      >
        {({ form, type }) => {
          const props = { source, type, onClose: close };
          if (form === 'add') return <AddValueForm {...props} />;
          if (form === 'drop') return <DropTypeForm {...props} />;
          return form === 'value' ? (
            <RenameValueForm {...props} />
          ) : (
            <NameForm source={source} noun="type" object={typeObject(type)} onClose={close} />
          );
        }}
      </DetailDrawer>
    </Section>
  );
}

interface FormProps {
  readonly source: string;
  readonly type: EnumType;
  readonly onClose: () => void;
}

function AddValueForm({ source, type, onClose }: FormProps) {
  return (
    <SqlForm<EnumValueDraft>
      source={source}
      initial={{ value: '', place: 'last', neighbor: type.values[0] ?? '' }}
      validate={enumValueErrors}
      sqlOf={(draft) => (draft.value.trim() === '' ? '' : addEnumValueSql(type, draft))}
      submit="Add the value"
      done="The value was added"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <TextInput
            label="Value"
            description="A value cannot be removed from an enum type."
            required
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('value')}
          />
          <div className={classes.two}>
            <NativeSelect
              label="Place"
              data={[
                { value: 'last', label: 'Last' },
                { value: 'before', label: 'Before' },
                { value: 'after', label: 'After' },
              ]}
              {...form.getInputProps('place')}
            />
            {form.values.place !== 'last' && (
              <NativeSelect label="Of value" data={[...type.values]} {...form.getInputProps('neighbor')} />
            )}
          </div>
        </>
      )}
    </SqlForm>
  );
}

function RenameValueForm({ source, type, onClose }: FormProps) {
  return (
    <SqlForm<{ readonly from: string; readonly to: string }>
      source={source}
      initial={{ from: type.values[0] ?? '', to: '' }}
      sqlOf={({ from, to }) => (to.trim() === '' || to.trim() === from ? '' : renameEnumValueSql(type, from, to))}
      undoOf={({ from, to }) => renameEnumValueSql(type, to.trim(), from)}
      submit="Rename the value"
      done="The value was renamed"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <div className={classes.two}>
          <NativeSelect label="Value" data={[...type.values]} {...form.getInputProps('from')} />
          <TextInput label="New name" required autoComplete="off" spellCheck={false} {...form.getInputProps('to')} />
        </div>
      )}
    </SqlForm>
  );
}

function DropTypeForm({ source, type, onClose }: FormProps) {
  return (
    <SqlForm<{ readonly cascade: boolean }>
      source={source}
      initial={{ cascade: false }}
      sqlOf={({ cascade }) => dropTypeSql(type, cascade)}
      undoOf={({ cascade }) => (cascade ? undefined : restoreEnumSql(type))}
      drop={({ cascade }) => ({ object: { kind: 'type', type }, cascade })}
      submit="Drop the type"
      isRemoval
      done={`Type ${tableLabel(type)} dropped`}
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Text size="sm">
            Columns of the type prevent this. Change their type first, or drop them with the type: their values are
            lost.
          </Text>
          <Checkbox
            label="Also drop the columns and functions that use it"
            {...form.getInputProps('cascade', { type: 'checkbox' })}
          />
        </>
      )}
    </SqlForm>
  );
}
