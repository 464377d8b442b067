/** Inputs for the column mapping of a relationship. Offers the columns of compatible types. */
import { ActionIcon, Button, Select, Stack, Text } from '@mantine/core';
import form from '../../ui/form/form.module.css';
import { counted } from '../../ui/format.ts';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import classes from './remote-relationships.module.css';

/** A field with the columns of the target table. Columns without a `problem` are compatible. */
export interface MappingKey {
  readonly field: string;
  readonly type: string;
  readonly columns: readonly { readonly column: string; readonly type: string; readonly problem?: string }[];
}

export interface MappingRow {
  /** Identifies the row while rows are added and removed. */
  readonly key: number;
  readonly from: string | null;
  readonly to: string | null;
}

interface MappingRowsProps {
  /** Legend of the group. */
  readonly legend: string;
  /** Noun for the keys. */
  readonly noun: 'field' | 'column';
  /** Noun for what the keys are mapped to. */
  readonly target?: 'column' | 'argument';
  readonly rows: readonly MappingRow[];
  /** Undefined until loaded. */
  readonly keys: readonly MappingKey[] | undefined;
  readonly onChange: (rows: readonly MappingRow[]) => void;
}

export function MappingRows({ legend, noun, target = 'column', rows, keys, onChange }: MappingRowsProps) {
  const change = (row: MappingRow): void => onChange(rows.map((one) => (one.key === row.key ? row : one)));
  return (
    <fieldset className={form.fieldset}>
      <legend className={form.legend}>{legend}</legend>
      <Stack gap="xs">
        {rows.map((row, index) => (
          <MappingFields
            key={row.key}
            row={row}
            place={index + 1}
            keys={keys}
            noun={noun}
            target={target}
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

interface MappingFieldsProps extends Required<Pick<MappingRowsProps, 'noun' | 'target' | 'keys'>> {
  readonly row: MappingRow;
  /** Starts at 1. */
  readonly place: number;
  readonly onChange: (row: MappingRow) => void;
  readonly onRemove: (() => void) | undefined;
}

function MappingFields({ row, place, keys, noun, target, onChange, onRemove }: MappingFieldsProps) {
  const field = keys?.find((one) => one.field === row.from);
  const fitting = field?.columns.filter(({ problem }) => problem === undefined) ?? [];
  const others = field?.columns.filter(({ problem }) => problem !== undefined) ?? [];
  const number = place === 1 ? '' : ` ${place}`;
  return (
    <div>
      <div className={form.row}>
        <Select
          label={`From${number}`}
          placeholder={noun === 'field' ? 'Field' : 'Column'}
          searchable
          data={(keys ?? []).map((one) => ({ value: one.field, label: `${one.field}: ${one.type}` }))}
          value={row.from}
          onChange={(from) => onChange({ ...row, from, to: null })}
        />
        <Select
          label={`To${number}`}
          placeholder={field === undefined ? `Choose a ${noun} first` : target === 'column' ? 'Column' : 'Argument'}
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
          No {target} of the {target === 'column' ? 'referenced table' : 'function'} fits the {noun} {field.field}.
        </Text>
      )}
      {others.length > 0 && (
        <details className={classes.others}>
          <summary>
            {counted(others.length, target)} {others.length === 1 ? 'does' : 'do'} not fit {field?.field}
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
