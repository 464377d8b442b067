/** A list of name and value inputs. */
import { ActionIcon, Button, Stack, Text } from '@mantine/core';
import { CrossIcon, PlusIcon } from '../page/icons.tsx';
import classes from './form.module.css';
import { TextField } from './text-field.tsx';

export interface Pair {
  /** Identifies the row while rows are added and removed. */
  readonly key: number;
  readonly name: string;
  readonly text: string;
}

interface PairFieldsProps {
  readonly legend: string;
  /** Singular name of a pair, such as `query parameter`. */
  readonly noun: string;
  readonly placeholders: readonly [name: string, text: string];
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
}

export function PairFields({ legend, noun, placeholders, pairs, onChange }: PairFieldsProps) {
  const change = (pair: Pair): void => onChange(pairs.map((one) => (one.key === pair.key ? pair : one)));
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>{legend}</legend>
      <Stack gap="xs">
        {pairs.length === 0 && (
          <Text size="sm" c="dimmed">
            None.
          </Text>
        )}
        {pairs.map((pair, index) => (
          <div key={pair.key} className={classes.row}>
            <TextField
              aria-label={`Name of ${noun} ${index + 1}`}
              placeholder={placeholders[0]}
              value={pair.name}
              onChange={(name) => change({ ...pair, name })}
            />
            <TextField
              aria-label={`Value of ${noun} ${index + 1}`}
              placeholder={placeholders[1]}
              value={pair.text}
              onChange={(text) => change({ ...pair, text })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove ${noun} ${index + 1}`}
              onClick={() => onChange(pairs.filter(({ key }) => key !== pair.key))}
            >
              <CrossIcon size={16} />
            </ActionIcon>
          </div>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() =>
            onChange([...pairs, { key: Math.max(0, ...pairs.map(({ key }) => key)) + 1, name: '', text: '' }])
          }
        >
          Add a {noun}
        </Button>
      </Stack>
    </fieldset>
  );
}
