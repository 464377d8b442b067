/** Form for a relationship by columns, to this or another source. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Relationship } from '@joinery/metadata/schema/relationships';
import { NativeSelect, Select, Stack, TextInput } from '@mantine/core';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { suggestedName, whyUnfit } from '../../shared/relationships/relationship-text.ts';
import type { TargetKind } from '../../shared/remote-relationships/definition-draft.ts';
import { type MappingKey, type MappingRow, MappingRows } from '../../shared/remote-relationships/mapping-fields.tsx';
import { TargetChoice } from '../../shared/remote-relationships/target-choice.tsx';
import type { SourceEntry } from '../../shared/sources/sources-api.ts';
import { useTableInfo } from '../../shared/sources/use-sources.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { byMember, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import classes from './relationships.module.css';
import {
  createRelationship,
  type NewRelationship,
  type RelationshipOwner,
  relationshipArguments,
} from './relationships-api.ts';

interface RelationshipDrawerProps {
  readonly opened: boolean;
  readonly owner: RelationshipOwner;
  readonly info: TableInfo;
  readonly sources: readonly SourceEntry[];
  /** Names in use. */
  readonly taken: ReadonlySet<string>;
  /** Called when the relationship is to lead to another object than a table. `name`: as entered. */
  readonly onElsewhere: (kind: TargetKind, name: string) => void;
  readonly onClose: () => void;
}

export function RelationshipDrawer(props: RelationshipDrawerProps) {
  return (
    <DetailDrawer subject={props.opened} title="Add a relationship" size="form" onClose={props.onClose}>
      {() => <RelationshipForm {...props} />}
    </DetailDrawer>
  );
}

interface Draft {
  readonly type: 'object' | 'array';
  /** Undefined uses the suggested name. */
  readonly typed: string | undefined;
  readonly comment: string;
  readonly source: string;
  readonly schema: string;
  readonly table: string | null;
  readonly pairs: readonly MappingRow[];
}

function RelationshipForm({ owner, info, sources, taken, onElsewhere, onClose }: RelationshipDrawerProps) {
  const savedOf = ({ type, typed, comment, source, schema, table, pairs }: Draft): NewRelationship => {
    const target = { schema, name: table ?? '' };
    const name = (typed ?? (table === null ? '' : suggestedName(type, target, taken))).trim();
    const mapping = Object.fromEntries(pairs.map(({ from, to }) => [from ?? '', to ?? '']));
    return { type, name, comment, source, target, mapping };
  };
  const form = useDraftForm<Draft>({
    initial: {
      type: 'object',
      typed: undefined,
      comment: '',
      source: owner.source,
      schema: owner.table.schema,
      table: null,
      pairs: [{ key: 0, from: null, to: null }],
    },
    validate: (draft) => {
      const saved = savedOf(draft);
      const isTaken = taken.has(saved.name);
      return {
        ...schemaErrors(Relationship, relationshipArguments(saved), {
          fieldOf,
          messages: { table: 'Choose a table.' },
        }),
        ...(isTaken && { typed: `${owner.table.name} has a field of that name` }),
      };
    },
    immediate: true,
  });
  const { type, comment, source, schema, table, pairs } = form.values;
  const tracked = sources.find((one) => one.name === source)?.tables.map((one) => one.table) ?? [];
  const schemas = [...new Set(tracked.map((one) => one.schema))].sort();
  const target = table === null ? undefined : { schema, name: table };
  // Without a chosen table this reads the table itself, which is cached.
  const { data: there, error: unread, refetch } = useTableInfo(source, target ?? owner.table);
  const keys = there && info.columns.map((own) => joinKey(own, there.columns));
  const command = useCommand((client, saved: NewRelationship) => createRelationship(client, owner, saved), {
    notice: (_result, { name }) => ({ title: `${owner.table.name} has the relationship ${name}` }),
    onDone: onClose,
  });
  const choose = (chosen: Partial<Pick<Draft, 'source' | 'schema' | 'table'>>): void =>
    form.change({
      table: null,
      ...chosen,
      pairs: pairs.map((pair) => ({ ...pair, to: null })),
      // Validates the suggested name of the chosen table.
      ...(typeof chosen.table === 'string' && { typed: form.values.typed }),
    });
  return (
    <form onSubmit={form.onSubmit((draft) => command.run(savedOf(draft)))} noValidate>
      <Stack gap="md">
        <TargetChoice
          value="table"
          targets={['table', 'remote schema', 'action', 'function']}
          onChange={(kind) => kind !== 'table' && onElsewhere(kind, form.values.typed ?? '')}
        />
        <NativeSelect
          label="Relationship type"
          value={type}
          data={[
            { value: 'object', label: 'Object: one row' },
            { value: 'array', label: 'Array: many rows' },
          ]}
          onChange={(event) => form.change({ type: event.currentTarget.value as Draft['type'] })}
        />
        <div className={classes.target}>
          <Select
            label="Reference source"
            allowDeselect={false}
            data={sources.map((one) => one.name)}
            value={source}
            onChange={(chosen) => chosen !== null && choose({ source: chosen })}
          />
          <Select
            label="Reference schema"
            allowDeselect={false}
            data={schemas.includes(schema) ? schemas : [schema, ...schemas]}
            value={schema}
            onChange={(chosen) => chosen !== null && choose({ schema: chosen })}
          />
          <Select
            label="Reference table"
            placeholder="Table"
            searchable
            data={tracked.filter((one) => one.schema === schema).map((one) => one.name)}
            nothingFoundMessage="No tracked table of that name"
            value={table}
            onChange={(chosen) => choose({ table: chosen })}
          />
        </div>
        {target !== undefined && (
          <MappingRows
            legend="Columns of this table, and those that they equal"
            noun="column"
            rows={pairs}
            keys={keys}
            onChange={(changed) => form.change({ pairs: changed })}
          />
        )}
        {unread !== null && (
          <FailureNotice title="The columns could not be read" failure={toFailure(unread)} onRetry={refetch} />
        )}
        <TextInput
          label="Relationship name"
          autoComplete="off"
          value={form.values.typed ?? savedOf(form.values).name}
          error={form.errors.typed}
          onChange={(event) => form.change({ typed: event.currentTarget.value })}
        />
        {source === owner.source && (
          <TextInput
            label="Comment"
            autoComplete="off"
            value={comment}
            onChange={(event) => form.change({ comment: event.currentTarget.value })}
          />
        )}
        <FormActions
          submit="Add the relationship"
          command={command}
          reason={whyIncomplete(form.values) ?? form.invalid}
          failed="The relationship was not added"
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}

function whyIncomplete({ table, pairs }: Draft): string | undefined {
  if (table === null) return 'Choose a reference table.';
  return pairs.some(({ from, to }) => from === null || to === null) ? 'Choose a column for each pair.' : undefined;
}

const fieldOf = byMember({
  name: 'typed',
  'using.manual_configuration.remote_table': 'table',
  'using.manual_configuration.column_mapping': 'pairs',
});

function joinKey(own: ColumnInfo, others: readonly ColumnInfo[]): MappingKey {
  const columns = others.map((other) => {
    const problem = whyUnfit(own, other);
    return { column: other.name, type: other.type, ...(problem !== undefined && { problem }) };
  });
  return { field: own.name, type: own.type, columns };
}
