/** GraphQL names of a table and its root fields. */
import { rootNames } from '@joinery/metadata/root-names';
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
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

function fieldOf(member: string): string {
  const [, root] = /^custom_root_fields\.(\w+)/.exec(member) ?? [];
  if (root !== undefined) return `roots.${root}`;
  return member === 'comment' ? 'comment' : 'customName';
}

interface NamesFormProps extends NamesSectionProps {
  /** The name of a table that has none. */
  readonly suggested?: string | undefined;
  readonly onClose: () => void;
}

export function NamesForm({ source, entry, suggested = '', onClose }: NamesFormProps) {
  const { form, command, submit, saveOver } = useConfiguration({
    source,
    entry,
    draftOf: (before) => {
      const names = namesOf(before);
      return names.customName === '' ? { ...names, customName: suggested } : names;
    },
    change: withNames,
    fieldOf,
    title: 'Names changed',
    onDone: onClose,
  });
  const { customName, roots } = form.values;
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
          value={customName}
          error={form.errors.customName}
          onChange={(event) => form.change({ customName: event.currentTarget.value.trim() })}
        />
        <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
        {rootNames.map((root) => (
          <TextInput
            key={root}
            label={root}
            autoComplete="off"
            value={roots[root] ?? ''}
            error={form.errors[`roots.${root}`]}
            onChange={(event) => form.change({ roots: { ...roots, [root]: event.currentTarget.value.trim() } })}
          />
        ))}
        <FormActions
          submit="Save the names"
          command={command}
          failed="The names were not changed"
          onSaveOver={saveOver}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
