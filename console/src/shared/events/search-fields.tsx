/** Search inputs of a list. The query string holds the search. */
import {
  Autocomplete,
  Button,
  Collapse,
  Group,
  NativeSelect,
  Paper,
  Pill,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { type ChangeEvent, useId, useState } from 'react';
import { updateSearch } from '../../router/location.ts';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { sentence } from '../../ui/format.ts';
import { ChevronIcon } from '../../ui/page/icons.tsx';
import { fromLocalInput, localInput, localText } from '../../ui/time/times.ts';
import classes from '../event-form/event-form.module.css';

/** A search criterion. */
export interface SearchInput {
  /** Name of the query parameter. */
  readonly field: string;
  readonly label: string;
  readonly place?: string;
  /** Local time in the input, UTC in the query string. */
  readonly isTime?: boolean;
  /** Returns the validation error, or undefined. */
  readonly problemOf?: (text: string) => string | undefined;
  /** Texts that a text input proposes. */
  readonly suggestions?: readonly string[];
  /** Options of a select input. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

interface SearchFieldsProps {
  readonly inputs: readonly SearchInput[];
  /** Search texts by field. */
  readonly search: Readonly<Record<string, string | undefined>>;
  readonly confirm: string;
}

export function SearchFields({ inputs, search, confirm }: SearchFieldsProps) {
  const [opened, setOpened] = useState(false);
  const region = useId();
  const active = inputs.filter(({ field }) => search[field] !== undefined);
  return (
    <div>
      <Group gap="xs">
        <UnstyledButton
          className={classes.toggle}
          fz="sm"
          aria-expanded={opened}
          aria-controls={region}
          onClick={() => setOpened(!opened)}
        >
          <span className={`${classes.chevron} ${opened ? classes.turned : ''}`}>
            <ChevronIcon size={14} />
          </span>
          Search
        </UnstyledButton>
        {active.map((input) => (
          <Pill
            key={input.field}
            withRemoveButton
            onRemove={() => updateSearch({ [input.field]: undefined, page: undefined })}
            removeButtonProps={{ 'aria-label': `Remove: ${input.label}`, 'aria-hidden': false, tabIndex: 0 }}
          >
            {input.label}: {shownText(input, search[input.field] ?? '')}
          </Pill>
        ))}
      </Group>
      <Collapse expanded={opened} id={region}>
        <SearchForm key={JSON.stringify(search)} inputs={inputs} search={search} confirm={confirm} />
      </Collapse>
    </div>
  );
}

function shownText({ isTime, choices }: SearchInput, text: string): string {
  if (isTime === true) return localText(Date.parse(text));
  return choices?.find(({ value }) => value === text)?.label ?? text;
}

/** Returns the typed text in the form of the query string. Undefined when there is none. */
function searchedText({ field, isTime }: SearchInput, typed: Readonly<Record<string, string>>): string | undefined {
  const text = (typed[field] ?? '').trim();
  if (text === '') return undefined;
  const ms = isTime === true ? fromLocalInput(text) : undefined;
  return ms === undefined ? text : new Date(ms).toISOString();
}

function SearchForm({ inputs, search, confirm }: SearchFieldsProps) {
  const form = useDraftForm<Readonly<Record<string, string>>>({
    isTransient: true,
    initial: Object.fromEntries(
      inputs.map(({ field, isTime }) => {
        const text = search[field] ?? '';
        return [field, isTime === true && text !== '' ? localInput(Date.parse(text)) : text];
      }),
    ),
    validate: (typed) =>
      Object.fromEntries(
        inputs.map((input) => {
          const text = searchedText(input, typed);
          const problem = text === undefined ? undefined : input.problemOf?.(text);
          return [input.field, problem === undefined ? undefined : sentence(problem)];
        }),
      ),
  });
  const nothing = Object.fromEntries(inputs.map(({ field }) => [field, undefined]));
  const submit = form.onSubmit((typed) => {
    const read = Object.fromEntries(inputs.map((input) => [input.field, searchedText(input, typed)]));
    updateSearch({ ...read, page: undefined });
  });
  const common = ({ field, label }: SearchInput) => ({
    label,
    size: 'sm',
    value: form.values[field] ?? '',
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      form.change({ [field]: event.currentTarget.value }),
    error: form.errors[field],
  });
  return (
    <Paper withBorder p="md" mt="xs" bg="var(--joinery-surface)">
      <form onSubmit={submit} noValidate>
        <div className={classes.retries}>
          {inputs.map((input) =>
            input.suggestions !== undefined ? (
              <Autocomplete
                key={input.field}
                {...common(input)}
                onChange={(text) => form.change({ [input.field]: text })}
                data={[...input.suggestions]}
                limit={50}
                placeholder={input.place ?? ''}
                autoComplete="off"
                spellCheck={false}
              />
            ) : input.choices === undefined ? (
              <TextInput
                key={input.field}
                {...common(input)}
                type={input.isTime === true ? 'datetime-local' : 'text'}
                {...(input.isTime === true && { step: 1 })}
                placeholder={input.place ?? ''}
                autoComplete="off"
                spellCheck={false}
              />
            ) : (
              <NativeSelect key={input.field} {...common(input)} data={[...input.choices]} />
            ),
          )}
        </div>
        <Group mt="md" gap="xs">
          <Button type="submit" size="xs">
            {confirm}
          </Button>
          <Button size="xs" variant="default" onClick={() => updateSearch({ ...nothing, page: undefined })}>
            Clear
          </Button>
        </Group>
      </form>
    </Paper>
  );
}
