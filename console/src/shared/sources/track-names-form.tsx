/** Form for the GraphQL names of tables and columns whose database names GraphQL does not permit. */
import { Button, Group, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { counted } from '../../ui/format.ts';
import { type TableName, tableKey, tableLabel } from './table-paths.ts';
import { nameErrors, type TableNameDraft } from './track-names.ts';

interface TrackNamesFormProps {
  /** All tables that are tracked together. */
  readonly tables: readonly TableName[];
  /** Those that need names, with suggestions. */
  readonly suggested: readonly TableNameDraft[];
  readonly onTrack: (named: readonly TableNameDraft[]) => void;
  readonly onClose: () => void;
}

export function TrackNamesForm({ tables, suggested, onTrack, onClose }: TrackNamesFormProps) {
  const form = useDraftForm({ initial: { tables: suggested }, validate: ({ tables: drafts }) => nameErrors(drafts) });
  const { tables: drafts } = form.values;
  const change = (index: number, part: Partial<TableNameDraft>, field: string): void =>
    form.change({ tables: drafts.map((one, at) => (at === index ? { ...one, ...part } : one)) }, [field]);
  return (
    <form onSubmit={form.onSubmit((draft) => onTrack(draft.tables))} noValidate>
      <Stack gap="md">
        <Text size="sm">
          GraphQL permits letters, digits and underscores in names. Choose names for what the database calls
          differently; the database does not change.
        </Text>
        <ScrollArea.Autosize mah="50vh" type="auto" offsetScrollbars>
          <Stack gap="md">
            {drafts.map((draft, index) => (
              <TableNames
                key={tableKey(draft.table)}
                draft={draft}
                field={`tables.${index}`}
                errors={form.errors}
                onChange={(part, field) => change(index, part, field)}
              />
            ))}
          </Stack>
        </ScrollArea.Autosize>
        <Exposed tables={tables} drafts={drafts} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">
            {tables.length === 1 ? 'Track the table' : `Track ${counted(tables.length, 'table')}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface TableNamesProps {
  readonly draft: TableNameDraft;
  /** The path of its errors. */
  readonly field: string;
  readonly errors: ReturnType<typeof useDraftForm>['errors'];
  readonly onChange: (part: Partial<TableNameDraft>, field: string) => void;
}

function TableNames({ draft: { table, name, columns }, field, errors, onChange }: TableNamesProps) {
  const label = tableLabel(table);
  return (
    <Stack gap="xs">
      {name !== undefined && (
        <TextInput
          label={`Name of table ${label} in GraphQL`}
          autoComplete="off"
          spellCheck={false}
          value={name}
          error={errors[`${field}.name`]}
          onChange={(event) => onChange({ name: event.currentTarget.value }, `${field}.name`)}
        />
      )}
      {columns.map(({ column, name: written }, place) => (
        <TextInput
          key={column}
          size="xs"
          label={`Name of column ${column} of ${label} in GraphQL`}
          placeholder="Not in the schema"
          autoComplete="off"
          spellCheck={false}
          value={written}
          error={errors[`${field}.columns.${place}`]}
          onChange={(event) =>
            onChange(
              {
                columns: columns.map((one, at) => (at === place ? { ...one, name: event.currentTarget.value } : one)),
              },
              `${field}.columns.${place}`,
            )
          }
        />
      ))}
    </Stack>
  );
}

/** What tracking adds to the schema. */
function Exposed({
  tables,
  drafts,
}: {
  readonly tables: readonly TableName[];
  readonly drafts: readonly TableNameDraft[];
}) {
  const [only] = drafts;
  const omitted = drafts.flatMap(({ columns }) => columns.filter(({ name }) => name.trim() === '')).length;
  const named =
    tables.length === 1 && only?.name !== undefined && only.name.trim() !== '' ? only.name.trim() : undefined;
  return (
    <Text size="sm" c="dimmed">
      {named === undefined
        ? 'Each table becomes a type and root fields to query, insert, update and delete its rows.'
        : `Tracking adds the type ${named} and the root fields ${named}, ${named}_by_pk, ${named}_aggregate, insert_${named}, update_${named} and delete_${named}, where the table permits them; a customization of the source may add to these names.`}{' '}
      Only admin can use them until you permit other roles.
      {omitted > 0 && ` ${counted(omitted, 'column')} without a name ${omitted === 1 ? 'is' : 'are'} left out.`}
    </Text>
  );
}
