/** Editor of row filters. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { ActionIcon, Button, Group, NativeSelect, Paper, Pill, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { CrossIcon, PlusIcon } from '../../../ui/page/icons.tsx';
import classes from '../../../ui/table/cells.module.css';
import { choicesOf, isReadable } from '../row-model/column-family.ts';
import {
  describeFilter,
  type Filter,
  filterProblem,
  type Operator,
  operatorLabel,
  operatorsFor,
  takesValue,
} from '../row-model/row-filters.ts';

interface FilterBarProps {
  readonly columns: readonly ColumnInfo[];
  readonly filters: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
  /** Further actions. */
  readonly actions: ReactNode;
}

export function FilterBar({ columns, filters, onChange, actions }: FilterBarProps) {
  const [opened, setOpened] = useState(false);
  const testable = columns.filter((column) => isReadable(column) && operatorsFor(column).length > 0);
  const [first] = testable;
  if (first === undefined) return <Group justify="flex-end">{actions}</Group>;
  const bar = (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<PlusIcon size={14} />}
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
      >
        Filter
      </Button>
      {filters.map((filter, index) => (
        <Pill
          // biome-ignore lint/suspicious/noArrayIndexKey: the same filter may stand twice
          key={index}
          withRemoveButton
          onRemove={() => onChange(filters.filter((_one, place) => place !== index))}
          removeButtonProps={{ 'aria-label': `Remove: ${describeFilter(filter)}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {describeFilter(filter)}
        </Pill>
      ))}
    </Group>
  );
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" gap="xs">
        {bar}
        <Group gap="xs">{actions}</Group>
      </Group>
      {opened && (
        <FilterForm
          columns={testable}
          before={filters.length > 0 ? filters : [usual(first)]}
          onChange={(next) => {
            onChange(next);
            setOpened(false);
          }}
          onClose={() => setOpened(false)}
        />
      )}
    </Stack>
  );
}

function usual(column: ColumnInfo): Filter {
  return { column: column.name, operator: operatorsFor(column)[0] ?? 'eq', text: '' };
}

interface FilterDraft {
  /** Identifies the row while rows are added and removed. */
  readonly key: number;
  readonly filter: Filter;
}

interface FilterFormProps {
  readonly columns: readonly ColumnInfo[];
  readonly before: readonly Filter[];
  readonly onChange: (filters: readonly Filter[]) => void;
  readonly onClose: () => void;
}

function FilterForm({ columns, before, onChange, onClose }: FilterFormProps) {
  const form = useDraftForm({
    isTransient: true,
    initial: { rows: before.map((filter, key): FilterDraft => ({ key, filter })) },
    validate: ({ rows }) =>
      Object.fromEntries(rows.map(({ key, filter }) => [`rows.${key}`, filterProblem(filter, columns)])),
  });
  const { rows } = form.values;
  const submit = form.onSubmit((draft) => onChange(draft.rows.map(({ filter }) => filter)));
  const setRows = (changed: readonly FilterDraft[]): void => form.setFieldValue('rows', [...changed]);
  const change = (key: number, filter: Filter): void => {
    setRows(rows.map((row) => (row.key === key ? { key, filter } : row)));
    form.clearFieldError(`rows.${key}`);
  };
  const [first] = columns;
  return (
    <Paper withBorder p="sm" bg="var(--joinery-surface)">
      <form onSubmit={submit} noValidate aria-label="Filters">
        <Stack gap="xs">
          {rows.map(({ key, filter }) => (
            <FilterFields
              key={key}
              columns={columns}
              filter={filter}
              problem={form.errors[`rows.${key}`]}
              onChange={(next) => change(key, next)}
              onRemove={() => setRows(rows.filter((row) => row.key !== key))}
            />
          ))}
          <Group gap="xs">
            <Button type="submit" size="xs">
              Show matching rows
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<PlusIcon size={14} />}
              onClick={() =>
                first !== undefined &&
                setRows([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, filter: usual(first) }])
              }
            >
              Add another
            </Button>
            <Button size="xs" variant="subtle" color="gray" onClick={onClose}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

interface FilterFieldsProps {
  readonly columns: readonly ColumnInfo[];
  readonly filter: Filter;
  readonly problem: ReactNode;
  readonly onChange: (filter: Filter) => void;
  readonly onRemove: () => void;
}

function FilterFields({ columns, filter, problem, onChange, onRemove }: FilterFieldsProps) {
  const column = columns.find(({ name }) => name === filter.column);
  const operators = column === undefined ? [filter.operator] : operatorsFor(column);
  const choices = ['eq', 'neq'].includes(filter.operator) && column !== undefined ? choicesOf(column) : undefined;
  return (
    <div className={classes.filter}>
      <NativeSelect
        size="xs"
        aria-label="Column"
        data={columns.map(({ name }) => name)}
        value={filter.column}
        onChange={(event) => {
          const chosen = columns.find(({ name }) => name === event.currentTarget.value);
          if (chosen !== undefined) onChange({ ...usual(chosen), text: filter.text });
        }}
      />
      <NativeSelect
        size="xs"
        aria-label="Test"
        data={operators.map((operator) => ({ value: operator, label: operatorLabel(operator) }))}
        value={filter.operator}
        onChange={(event) => onChange({ ...filter, operator: event.currentTarget.value as Operator })}
      />
      {column !== undefined && choices !== undefined ? (
        <NativeSelect
          size="xs"
          aria-label="Value"
          data={choices.includes(filter.text) ? [...choices] : [{ value: filter.text, label: 'Choose' }, ...choices]}
          value={filter.text}
          error={problem}
          onChange={(event) => onChange({ ...filter, text: event.currentTarget.value })}
        />
      ) : takesValue(filter.operator) ? (
        <TextInput
          size="xs"
          aria-label="Value"
          placeholder={filter.operator === 'in' ? 'one, two, three' : (column?.sql_type ?? '')}
          value={filter.text}
          error={problem}
          autoFocus
          onChange={(event) => onChange({ ...filter, text: event.currentTarget.value })}
        />
      ) : (
        <span />
      )}
      <ActionIcon variant="subtle" color="gray" size={30} aria-label="Remove the filter" onClick={onRemove}>
        <CrossIcon size={16} />
      </ActionIcon>
    </div>
  );
}
