/** Inputs of names with types: arguments of native queries and fields of logical models. */
import { ActionIcon, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import formClasses from '../../ui/form/form.module.css';
import { TextField } from '../../ui/form/text-field.tsx';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import { emptyRow, type TypedRow } from './native-draft.ts';

interface TypedRowsProps {
  readonly legend: string;
  /** Singular name of a row, such as `argument`. */
  readonly noun: string;
  readonly rows: readonly TypedRow[];
  readonly onChange: (rows: readonly TypedRow[]) => void;
  readonly error: string | undefined;
}

export function TypedRows({ legend, noun, rows, onChange, error }: TypedRowsProps) {
  const change = (row: TypedRow): void => onChange(rows.map((one) => (one.key === row.key ? row : one)));
  return (
    <fieldset className={formClasses.fieldset}>
      <legend className={formClasses.legend}>{legend}</legend>
      <Stack gap="xs">
        {rows.length === 0 && (
          <Text size="sm" c="dimmed">
            None.
          </Text>
        )}
        {rows.map((row, index) => (
          <Group key={row.key} gap="xs" wrap="nowrap">
            <TextField
              aria-label={`Name of ${noun} ${index + 1}`}
              placeholder="least"
              value={row.name}
              onChange={(name) => change({ ...row, name })}
            />
            <TextField
              aria-label={`Type of ${noun} ${index + 1}`}
              placeholder="integer"
              value={row.type}
              onChange={(type) => change({ ...row, type })}
            />
            <Checkbox
              label="Nullable"
              aria-label={`Nullable ${noun} ${index + 1}`}
              checked={row.nullable}
              onChange={(event) => change({ ...row, nullable: event.currentTarget.checked })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove ${noun} ${index + 1}`}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            >
              <CrossIcon size={16} />
            </ActionIcon>
          </Group>
        ))}
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="status">
            {error}
          </Text>
        )}
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...rows, emptyRow(rows)])}
        >
          Add {noun === 'argument' ? 'an' : 'a'} {noun}
        </Button>
      </Stack>
    </fieldset>
  );
}
