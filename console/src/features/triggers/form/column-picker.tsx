/** An input for columns of the table of a trigger. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { MultiSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DraftForm } from '../../../ui/form/use-draft-form.ts';
import type { TriggerDraft } from './trigger-draft.ts';

/** Props of the parts of the form. */
export interface TriggerFields {
  readonly form: DraftForm<TriggerDraft>;
  /** The chosen table. Undefined while loading and without one. */
  readonly info: TableInfo | undefined;
}

interface ColumnPickerProps {
  readonly label: string;
  readonly description?: string;
  /** What no column means, such as `All columns`. */
  readonly none: string;
  readonly info: TableInfo | undefined;
  readonly value: readonly string[];
  readonly onChange: (columns: readonly string[]) => void;
  readonly error: ReactNode;
}

export function ColumnPicker({ label, description, none, info, value, onChange, error }: ColumnPickerProps) {
  const names = info?.columns.map(({ name }) => name) ?? [];
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={value.length === 0 ? none : ''}
      searchable
      clearable
      hidePickedOptions
      // Columns that were dropped can be removed here.
      data={[...names, ...value.filter((name) => !names.includes(name))]}
      value={[...value]}
      nothingFoundMessage={info === undefined ? 'Choose a table first' : 'No other column'}
      onChange={onChange}
      error={error}
    />
  );
}
