/** Narrows a list of events: by time, destination, comment, key and payload. What is searched for stands in the address. */
import { Button, Collapse, Group, Paper, Pill, TextInput, UnstyledButton } from '@mantine/core';
import { type FormEvent, useId, useState } from 'react';
import { goWithin } from '../router/place.ts';
import { ChevronIcon } from '../show/icons.tsx';
import { fromLocalInput, localInput, localText } from '../show/times.ts';
import { sentence } from '../show/words.ts';
import {
  type EventSearch,
  faultInSearch,
  type SearchField,
  searchFields,
  searchNames,
  writeSearch,
} from './event-search.ts';
import classes from './schedule-page.module.css';

const places: Readonly<Partial<Record<SearchField, string>>> = {
  destination: 'https://api.example.com',
  payload: '{"customer": 7}',
};

export function SearchFields({ search }: { readonly search: EventSearch }) {
  const [opened, setOpened] = useState(false);
  const region = useId();
  const active = searchFields.filter((field) => search[field] !== undefined);
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
        {active.map((field) => (
          <Pill
            key={field}
            withRemoveButton
            onRemove={() => goWithin({ [field]: undefined, page: undefined })}
            removeButtonProps={{ 'aria-label': `Remove: ${searchNames[field]}`, 'aria-hidden': false, tabIndex: 0 }}
          >
            {searchNames[field]}: {shownText(field, search[field] ?? '')}
          </Pill>
        ))}
      </Group>
      <Collapse expanded={opened} id={region}>
        <SearchForm key={JSON.stringify(search)} search={search} />
      </Collapse>
    </div>
  );
}

function isTime(field: SearchField): boolean {
  return field === 'from' || field === 'until';
}

function shownText(field: SearchField, text: string): string {
  return isTime(field) ? localText(Date.parse(text)) : text;
}

function SearchForm({ search }: { readonly search: EventSearch }) {
  const [typed, setTyped] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      searchFields.map((field) => {
        const text = search[field] ?? '';
        return [field, isTime(field) && text !== '' ? localInput(Date.parse(text)) : text];
      }),
    ),
  );
  const [faults, setFaults] = useState<Readonly<Partial<Record<SearchField, string>>>>({});
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const read: Partial<Record<SearchField, string>> = {};
    const found: Partial<Record<SearchField, string>> = {};
    for (const field of searchFields) {
      const text = (typed[field] ?? '').trim();
      if (text === '') continue;
      const ms = isTime(field) ? fromLocalInput(text) : undefined;
      const meant = ms === undefined ? text : new Date(ms).toISOString();
      const fault = faultInSearch(field, meant);
      if (fault === undefined) read[field] = meant;
      else found[field] = sentence(fault);
    }
    setFaults(found);
    if (Object.keys(found).length === 0) goWithin({ ...writeSearch(read), page: undefined });
  };
  return (
    <Paper withBorder p="md" mt="xs" bg="var(--joinery-surface)">
      <form onSubmit={submit} noValidate>
        <div className={classes.retries}>
          {searchFields.map((field) => (
            <TextInput
              key={field}
              label={searchNames[field]}
              size="sm"
              type={isTime(field) ? 'datetime-local' : 'text'}
              {...(isTime(field) && { step: 1 })}
              placeholder={places[field] ?? ''}
              autoComplete="off"
              spellCheck={false}
              value={typed[field] ?? ''}
              onChange={(event) => setTyped({ ...typed, [field]: event.currentTarget.value })}
              error={faults[field]}
            />
          ))}
        </div>
        <Group mt="md" gap="xs">
          <Button type="submit" size="xs">
            Show matching events
          </Button>
          <Button size="xs" variant="default" onClick={() => goWithin({ ...writeSearch({}), page: undefined })}>
            Clear
          </Button>
        </Group>
      </form>
    </Paper>
  );
}
