/** Filters of the list of tables and actions on the selected ones. */
import { Anchor, Button, Group, NativeSelect, SegmentedControl, Text, TextInput } from '@mantine/core';
import { updateSearch } from '../../router/location.ts';
import { counted } from '../../ui/format.ts';
import { type ListedTable, schemasOf, type TableSearch } from './table-list.ts';

export function TableFilters({
  tables,
  search,
}: {
  readonly tables: readonly ListedTable[];
  readonly search: TableSearch;
}) {
  const schemas = schemasOf(tables);
  const tracked = tables.filter(({ state }) => state !== 'untracked').length;
  return (
    <Group gap="sm" align="end">
      <TextInput
        size="xs"
        type="search"
        aria-label="Search tables"
        placeholder="Search tables"
        w={240}
        value={search.text}
        onChange={(event) => updateSearch({ search: event.currentTarget.value || undefined, page: undefined })}
      />
      <SegmentedControl
        size="xs"
        aria-label="State"
        value={search.state}
        data={[
          { value: 'all', label: `All ${tables.length.toLocaleString('en')}` },
          { value: 'tracked', label: `Tracked ${tracked.toLocaleString('en')}` },
          { value: 'untracked', label: `Not tracked ${(tables.length - tracked).toLocaleString('en')}` },
        ]}
        onChange={(value) => updateSearch({ show: value === 'all' ? undefined : value, page: undefined })}
      />
      {schemas.size > 1 && (
        <NativeSelect
          size="xs"
          aria-label="Schema"
          value={search.schema ?? ''}
          data={[
            { value: '', label: 'All schemas' },
            ...[...schemas].map(([value, count]) => ({ value, label: `${value} (${count.toLocaleString('en')})` })),
          ]}
          onChange={(event) => updateSearch({ schema: event.currentTarget.value || undefined, page: undefined })}
        />
      )}
    </Group>
  );
}

interface ChosenTablesProps {
  readonly picked: readonly ListedTable[];
  readonly matching: readonly ListedTable[];
  readonly onChoose: (tables: readonly ListedTable[]) => void;
  readonly onTrack: (tables: readonly ListedTable[]) => void;
  readonly onUntrack: (tables: readonly ListedTable[]) => void;
}

export function ChosenTables({ picked, matching, onChoose, onTrack, onUntrack }: ChosenTablesProps) {
  const untracked = picked.filter(({ state }) => state === 'untracked');
  const others = picked.filter(({ state }) => state !== 'untracked');
  if (picked.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Chosen tables">
      <Text size="sm" fw={600}>
        {counted(picked.length, 'table')} chosen
      </Text>
      {untracked.length > 0 && (
        <Button size="compact-sm" onClick={() => onTrack(untracked)}>
          Track {untracked.length.toLocaleString('en')}
        </Button>
      )}
      {others.length > 0 && (
        <Button size="compact-sm" variant="default" onClick={() => onUntrack(others)}>
          Untrack {others.length.toLocaleString('en')}
        </Button>
      )}
      {picked.length < matching.length && (
        <Anchor component="button" type="button" size="sm" onClick={() => onChoose(matching)}>
          Choose all {matching.length.toLocaleString('en')} that are listed
        </Anchor>
      )}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChoose([])}>
        Choose none
      </Button>
    </Group>
  );
}
