/** The join condition: fields of the answer to columns of the table, of which those that fit are offered. */
import { ActionIcon, Button, Select, Stack, Text } from '@mantine/core';
import form from '../show/form.module.css';
import { CrossIcon, PlusIcon } from '../show/icons.tsx';
import classes from './actions.module.css';
import type { Keys } from './actions-api.ts';

export interface MappingRow {
  /** Stays with the row while rows come and go. */
  readonly key: number;
  readonly from: string | null;
  readonly to: string | null;
}

interface MappingRowsProps {
  readonly rows: readonly MappingRow[];
  /** Undefined while they are not known. */
  readonly keys: readonly Keys[] | undefined;
  readonly onChange: (rows: readonly MappingRow[]) => void;
}

export function MappingRows({ rows, keys, onChange }: MappingRowsProps) {
  const change = (row: MappingRow): void => onChange(rows.map((one) => (one.key === row.key ? row : one)));
  return (
    <fieldset className={form.fieldset}>
      <legend className={form.legend}>Fields of the answer, and the columns that they match</legend>
      <Stack gap="xs">
        {rows.map((row, index) => (
          <MappingFields
            key={row.key}
            row={row}
            place={index + 1}
            keys={keys}
            onChange={change}
            onRemove={rows.length > 1 ? () => onChange(rows.filter(({ key }) => key !== row.key)) : undefined}
          />
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() =>
            onChange([...rows, { key: Math.max(...rows.map(({ key }) => key)) + 1, from: null, to: null }])
          }
        >
          Add a pair
        </Button>
      </Stack>
    </fieldset>
  );
}

interface MappingFieldsProps {
  readonly row: MappingRow;
  /** From 1. */
  readonly place: number;
  readonly keys: readonly Keys[] | undefined;
  readonly onChange: (row: MappingRow) => void;
  readonly onRemove: (() => void) | undefined;
}

function MappingFields({ row, place, keys, onChange, onRemove }: MappingFieldsProps) {
  const field = keys?.find((one) => one.field === row.from);
  const fitting = field?.columns.filter(({ problem }) => problem === undefined) ?? [];
  const others = field?.columns.filter(({ problem }) => problem !== undefined) ?? [];
  const number = place === 1 ? '' : ` ${place}`;
  return (
    <div>
      <div className={form.row}>
        <Select
          label={`From${number}`}
          placeholder="Field"
          data={(keys ?? []).map((one) => ({ value: one.field, label: `${one.field}: ${one.type}` }))}
          value={row.from}
          onChange={(from) => onChange({ ...row, from, to: null })}
        />
        <Select
          label={`To${number}`}
          placeholder={field === undefined ? 'Choose a field first' : 'Column'}
          disabled={field === undefined}
          data={fitting.map(({ column, type }) => ({ value: column, label: `${column}: ${type}` }))}
          value={row.to}
          onChange={(to) => onChange({ ...row, to })}
        />
        {onRemove !== undefined && (
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={`Remove pair ${place}`} onClick={onRemove}>
            <CrossIcon size={16} />
          </ActionIcon>
        )}
      </div>
      {field !== undefined && fitting.length === 0 && (
        <Text size="sm" mt={6}>
          No column of this table fits the field {field.field}.
        </Text>
      )}
      {others.length > 0 && (
        <details className={classes.others}>
          <summary>
            {others.length} {others.length === 1 ? 'column does' : 'columns do'} not fit {field?.field}
          </summary>
          <ul>
            {others.map(({ column, problem }) => (
              <li key={column}>
                <strong>{column}</strong>: {problem}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
