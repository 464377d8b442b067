/** GraphQL names of a table and its root fields. */
import { rootNames } from '@joinery/metadata/root-names';
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { FormActions } from '../../../ui/form/form-actions.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { namesOf, withNames } from './table-configuration.ts';
import { useConfiguration } from './use-configuration.ts';

interface NamesSectionProps {
  readonly source: string;
  readonly entry: TableEntry;
}

export function NamesSection({ source, entry }: NamesSectionProps) {
  const [editing, setEditing] = useState(false);
  const { customName, comment, roots } = namesOf(entry.configuration);
  const given = rootNames.filter((root) => roots[root] !== '');
  return (
    <Section title="Names in GraphQL">
      <Stack gap="sm" align="flex-start">
        <DescriptionList
          facts={[
            ['Table', customName === '' ? <Usual key="table" /> : customName],
            ['Comment', comment === '' ? undefined : comment],
            ...given.map((root) => [root, roots[root]] as const),
            ['Root fields', given.length === 0 ? <Usual key="roots" /> : undefined],
          ]}
        />
        <Button size="xs" variant="default" onClick={() => setEditing(true)}>
          Edit names
        </Button>
      </Stack>
      <DetailDrawer
        subject={editing}
        title={`Names of ${tableLabel(entry.table)}`}
        size="form"
        onClose={() => setEditing(false)}
      >
        {() => <NamesForm source={source} entry={entry} onClose={() => setEditing(false)} />}
      </DetailDrawer>
    </Section>
  );
}

function Usual() {
  return (
    <Text span inherit c="dimmed">
      as the source names them
    </Text>
  );
}

function NamesForm({ source, entry, onClose }: NamesSectionProps & { readonly onClose: () => void }) {
  const [names, setNames] = useState(() => namesOf(entry.configuration));
  const { save, saveOver, error, isPending } = useConfiguration({
    source,
    entry,
    change: (before) => withNames(before, names),
    title: 'Names changed',
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Empty fields use the naming of the source. Requests that use the previous names fail.
        </Text>
        <TextInput
          label="Table"
          placeholder={entry.table.name}
          autoComplete="off"
          value={names.customName}
          onChange={(event) => setNames({ ...names, customName: event.currentTarget.value.trim() })}
        />
        <TextInput
          label="Comment"
          autoComplete="off"
          value={names.comment}
          onChange={(event) => setNames({ ...names, comment: event.currentTarget.value })}
        />
        {rootNames.map((root) => (
          <TextInput
            key={root}
            label={root}
            autoComplete="off"
            value={names.roots[root] ?? ''}
            onChange={(event) =>
              setNames({ ...names, roots: { ...names.roots, [root]: event.currentTarget.value.trim() } })
            }
          />
        ))}
        <FormActions
          submit="Save the names"
          busy={isPending}
          error={error}
          failed="The names were not changed"
          onSaveOver={saveOver}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
