/** Form for a relationship by columns, to this or another source. */
import { NativeSelect, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { suggestedName, whyUnfit } from '../../shared/relationships/relationship-text.ts';
import { type MappingKey, type MappingRow, MappingRows } from '../../shared/remote-relationships/mapping-fields.tsx';
import type { ColumnInfo, SourceEntry, TableInfo } from '../../shared/sources/sources-api.ts';
import { useTableInfo } from '../../shared/sources/use-sources.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import classes from './relationships.module.css';
import { createRelationship, type RelationshipOwner } from './relationships-api.ts';

interface RelationshipDrawerProps {
  readonly opened: boolean;
  readonly owner: RelationshipOwner;
  readonly info: TableInfo;
  readonly sources: readonly SourceEntry[];
  /** Names in use. */
  readonly taken: ReadonlySet<string>;
  readonly onClose: () => void;
}

export function RelationshipDrawer(props: RelationshipDrawerProps) {
  return (
    <DetailDrawer subject={props.opened} title="Add a relationship" size="form" onClose={props.onClose}>
      {() => <RelationshipForm {...props} />}
    </DetailDrawer>
  );
}

function RelationshipForm({ owner, info, sources, taken, onClose }: RelationshipDrawerProps) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const [type, setType] = useState<'object' | 'array'>('object');
  /** Undefined uses the suggested name. */
  const [typed, setTyped] = useState<string>();
  const [comment, setComment] = useState('');
  const [source, setSource] = useState(owner.source);
  const [schema, setSchema] = useState(owner.table.schema);
  const [table, setTable] = useState<string | null>(null);
  const [pairs, setPairs] = useState<readonly MappingRow[]>([{ key: 0, from: null, to: null }]);
  const tracked = sources.find((one) => one.name === source)?.tables.map((one) => one.table) ?? [];
  const schemas = [...new Set(tracked.map((one) => one.schema))].sort();
  const target = table === null ? undefined : { schema, name: table };
  // Without a chosen table this reads the table itself, which is cached.
  const { data: there, error: unread, refetch } = useTableInfo(source, target ?? owner.table);
  const keys = there && info.columns.map((own) => joinKey(own, there.columns));
  const name = (typed ?? (target === undefined ? '' : suggestedName(type, target, taken))).trim();
  const mapping = Object.fromEntries(
    pairs.flatMap(({ from, to }) => (from === null || to === null ? [] : [[from, to] as const])),
  );
  const complete = name !== '' && target !== undefined && pairs.every(({ from, to }) => from !== null && to !== null);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      if (target === undefined) return;
      await createRelationship(client, owner, { type, name, comment, source, target, mapping });
    },
    onSuccess: () => {
      notify({ title: `${owner.table.name} has the relationship ${name}` });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const choose = (chosen: {
    readonly source?: string;
    readonly schema?: string;
    readonly table?: string | null;
  }): void => {
    setSource(chosen.source ?? source);
    setSchema(chosen.schema ?? schema);
    setTable(chosen.table ?? null);
    setPairs(pairs.map((pair) => ({ ...pair, to: null })));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (complete) mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <NativeSelect
          label="Relationship type"
          value={type}
          data={[
            { value: 'object', label: 'Object: one row' },
            { value: 'array', label: 'Array: many rows' },
          ]}
          onChange={(event) => setType(event.currentTarget.value as 'object' | 'array')}
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
            onChange={setPairs}
          />
        )}
        {unread !== null && (
          <FailureNotice title="The columns could not be read" failure={toFailure(unread)} onRetry={refetch} />
        )}
        <TextInput
          label="Relationship name"
          autoComplete="off"
          value={typed ?? name}
          error={taken.has(name) && `${owner.table.name} has a field of that name`}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {source === owner.source && (
          <TextInput
            label="Comment"
            autoComplete="off"
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
        )}
        <FormActions
          submit="Add the relationship"
          busy={isPending}
          disabled={!complete || taken.has(name)}
          error={error}
          failed="The relationship was not added"
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}

function joinKey(own: ColumnInfo, others: readonly ColumnInfo[]): MappingKey {
  const columns = others.map((other) => {
    const problem = whyUnfit(own, other);
    return { column: other.name, type: other.type, ...(problem !== undefined && { problem }) };
  });
  return { field: own.name, type: own.type, columns };
}
