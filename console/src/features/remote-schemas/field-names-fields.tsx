/** Inputs for other names of fields of a remote schema, by type, beside their JSON. */
import { Autocomplete, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { FormBesideJson } from '../../ui/form/beside-text/form-beside-json.tsx';
import { besideOf, type DraftBesideText, withText } from '../../ui/form/beside-text/json-format.ts';
import formClasses from '../../ui/form/form.module.css';
import { PairFields } from '../../ui/form/pair-fields.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { type FieldNames, fieldNamesFormat } from './field-names.ts';

interface FieldNamesFieldsProps {
  /** JSON text of a list. Empty for none. */
  readonly text: string;
  readonly error: ReactNode;
  /** Types of the remote schema. Empty where they are unknown. */
  readonly types: readonly string[];
  readonly onChange: (text: string) => void;
}

export function FieldNamesFields({ text, error, types, onChange }: FieldNamesFieldsProps) {
  const shown = text.trim() === '' ? '[]' : text;
  const [last, setLast] = useState(() => withText(fieldNamesFormat, besideOf(fieldNamesFormat, []), shown));
  const state = last.text === shown ? last : withText(fieldNamesFormat, last, shown);
  const set = (changed: DraftBesideText<readonly FieldNames[]>): void => {
    setLast(changed);
    onChange(changed.text.trim() === '[]' ? '' : changed.text);
  };
  const change = (draft: readonly FieldNames[]): void => set(besideOf(fieldNamesFormat, draft));
  const { draft } = state;
  const replace = (one: FieldNames): void => change(draft.map((other) => (other.key === one.key ? one : other)));
  return (
    <FormBesideJson
      label="Names of fields"
      text={shown}
      reason={state.reason}
      error={error}
      onText={(written) => set(withText(fieldNamesFormat, state, written))}
    >
      <fieldset className={formClasses.fieldset}>
        <legend className={formClasses.legend}>Fields with another name</legend>
        <Stack gap="md">
          {draft.length === 0 && (
            <Text size="sm" c="dimmed">
              None.
            </Text>
          )}
          {draft.map((one, index) => (
            <Stack key={one.key} gap="xs" className={formClasses.inner ?? ''}>
              <Group gap="xs" align="end" wrap="nowrap">
                <Autocomplete
                  label={`Type ${index + 1} with other names of fields`}
                  placeholder="Parcel"
                  data={[...types]}
                  value={one.type}
                  style={{ flex: 1 }}
                  onChange={(type) => replace({ ...one, type })}
                />
                <Button
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove the names of type ${index + 1}`}
                  onClick={() => change(draft.filter((other) => other !== one))}
                >
                  Remove
                </Button>
              </Group>
              <div className={formClasses.pair}>
                <TextField
                  label={`Prefix of the fields of type ${index + 1}`}
                  value={one.prefix}
                  onChange={(prefix) => replace({ ...one, prefix })}
                />
                <TextField
                  label={`Suffix of the fields of type ${index + 1}`}
                  value={one.suffix}
                  onChange={(suffix) => replace({ ...one, suffix })}
                />
              </div>
              <PairFields
                legend={`Renamed fields of type ${index + 1}`}
                noun={`renamed field of type ${index + 1}`}
                placeholders={['code', 'number']}
                pairs={one.mapping}
                onChange={(mapping) => replace({ ...one, mapping })}
              />
            </Stack>
          ))}
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon size={14} />}
            style={{ alignSelf: 'flex-start' }}
            onClick={() => change([...draft, newType(draft)])}
          >
            Add a type
          </Button>
        </Stack>
      </fieldset>
    </FormBesideJson>
  );
}

function newType(draft: readonly FieldNames[]): FieldNames {
  return { key: Math.max(-1, ...draft.map(({ key }) => key)) + 1, type: '', prefix: '', suffix: '', mapping: [] };
}
