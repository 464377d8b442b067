/** Forms that create and drop enum types, and add and rename their values. */
import { Checkbox, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { tableLabel } from '../../../../shared/sources/table-paths.ts';
import type { EnumType } from '../enum-types-api.ts';
import {
  addEnumValueSql,
  createEnumSql,
  dropTypeSql,
  type EnumTypeDraft,
  type EnumValueDraft,
  enumTypeErrors,
  enumTypeName,
  enumValueErrors,
  newEnumType,
  renameEnumValueSql,
  restoreEnumSql,
} from '../sql/enum-sql.ts';
import classes from '../structure.module.css';
import { SqlForm } from './sql-form.tsx';

interface CreateFormProps {
  readonly source: string;
  readonly onClose: () => void;
}

export function CreateEnumTypeForm({ source, onClose }: CreateFormProps) {
  return (
    <SqlForm<EnumTypeDraft>
      source={source}
      initial={newEnumType}
      validate={enumTypeErrors}
      sqlOf={(draft) => (draft.name.trim() === '' || draft.values.trim() === '' ? '' : createEnumSql(draft))}
      undoOf={(draft) => dropTypeSql(enumTypeName(draft), false)}
      submit="Create the enum type"
      done="The enum type was created"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <EnumTypeFields fieldOf={(field) => form.getInputProps(field)} />
          <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
        </>
      )}
    </SqlForm>
  );
}

interface EnumTypeFieldsProps {
  /** Returns the props of the input of a field. */
  readonly fieldOf: (field: 'schema' | 'name' | 'values') => object;
}

export function EnumTypeFields({ fieldOf }: EnumTypeFieldsProps) {
  return (
    <>
      <div className={classes.two}>
        <TextInput label="Name of the type" required autoComplete="off" spellCheck={false} {...fieldOf('name')} />
        <TextInput label="Schema of the type" required autoComplete="off" spellCheck={false} {...fieldOf('schema')} />
      </div>
      <Textarea
        label="Values"
        description="One on each line, in their order"
        required
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        {...fieldOf('values')}
      />
    </>
  );
}

interface FormProps {
  readonly source: string;
  readonly type: EnumType;
  readonly onClose: () => void;
}

export function AddValueForm({ source, type, onClose }: FormProps) {
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

export function RenameValueForm({ source, type, onClose }: FormProps) {
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

export function DropTypeForm({ source, type, onClose }: FormProps) {
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
