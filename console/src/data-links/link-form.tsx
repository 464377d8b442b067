/** A relationship by columns, to a table of this source or of another one. */
import { ActionIcon, Button, Drawer, Group, NativeSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';
import type { ColumnInfo, SourceEntry, TableInfo } from '../data/data-api.ts';
import type { TableName } from '../data/table-paths.ts';
import { useTableInfo } from '../data/use-data.ts';
import { FailureNotice } from '../show/failure-notice.tsx';
import { CrossIcon, PlusIcon } from '../show/icons.tsx';
import { useNotice } from '../show/notices.tsx';
import { suggestedName, whyUnfit } from './link-text.ts';
import classes from './links.module.css';
import { createLink, type LinkOwner } from './links-api.ts';

interface LinkDrawerProps {
  readonly opened: boolean;
  readonly owner: LinkOwner;
  readonly info: TableInfo;
  readonly sources: readonly SourceEntry[];
  /** Names that it cannot have. */
  readonly taken: ReadonlySet<string>;
  readonly onClose: () => void;
}

export function LinkDrawer(props: LinkDrawerProps) {
  return (
    <Drawer
      opened={props.opened}
      onClose={props.onClose}
      position="right"
      size="min(36rem, 100%)"
      title="Add a relationship"
    >
      <LinkForm {...props} />
    </Drawer>
  );
}

interface Pair {
  /** Stays with the pair while others come and go. */
  readonly key: number;
  readonly from: string | null;
  readonly to: string | null;
}

function LinkForm({ owner, info, sources, taken, onClose }: LinkDrawerProps) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const [type, setType] = useState<'object' | 'array'>('object');
  /** Undefined: as it is suggested. */
  const [typed, setTyped] = useState<string>();
  const [comment, setComment] = useState('');
  const [source, setSource] = useState(owner.source);
  const [schema, setSchema] = useState(owner.table.schema);
  const [table, setTable] = useState<string | null>(null);
  const [pairs, setPairs] = useState<readonly Pair[]>([{ key: 0, from: null, to: null }]);
  const tracked = sources.find((one) => one.name === source)?.tables.map((one) => one.table) ?? [];
  const schemas = [...new Set(tracked.map((one) => one.schema))].sort();
  const target = table === null ? undefined : { schema, name: table };
  const name = (typed ?? (target === undefined ? '' : suggestedName(type, target, taken))).trim();
  const mapping = Object.fromEntries(
    pairs.flatMap(({ from, to }) => (from === null || to === null ? [] : [[from, to] as const])),
  );
  const complete = name !== '' && target !== undefined && pairs.every(({ from, to }) => from !== null && to !== null);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      if (target === undefined) return;
      await createLink(client, owner, { type, name, comment, source, target, mapping });
    },
    onSuccess: () => {
      tell({ title: `${owner.table.name} has the relationship ${name}` });
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
        <Pairs info={info} source={source} target={target} pairs={pairs} onChange={setPairs} />
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
        {error !== null && <FailureNotice title="The relationship was not added" failure={toFailure(error)} />}
        <Group>
          <Button type="submit" loading={isPending} disabled={!complete || taken.has(name)}>
            Add the relationship
          </Button>
          <Button variant="subtle" color="gray" onClick={onClose}>
            Back
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface PairsProps {
  readonly info: TableInfo;
  readonly source: string;
  readonly target: TableName | undefined;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
}

/** Of no target, the table itself is read; its columns are not shown. */
function Pairs({ info, source, target, pairs, onChange }: PairsProps) {
  const { data } = useTableInfo(source, target ?? info.table);
  const columns = target === undefined ? undefined : data?.columns;
  const change = (pair: Pair): void => onChange(pairs.map((one) => (one.key === pair.key ? pair : one)));
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>Columns that are equal</legend>
      <Stack gap="xs">
        {pairs.map((pair, index) => (
          <PairFields
            key={pair.key}
            place={index + 1}
            pair={pair}
            own={info.columns}
            others={columns}
            onChange={change}
            onRemove={pairs.length > 1 ? () => onChange(pairs.filter(({ key }) => key !== pair.key)) : undefined}
          />
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={14} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() =>
            onChange([...pairs, { key: Math.max(...pairs.map(({ key }) => key)) + 1, from: null, to: null }])
          }
        >
          Add a pair
        </Button>
      </Stack>
    </fieldset>
  );
}

interface PairFieldsProps {
  /** From 1. */
  readonly place: number;
  readonly pair: Pair;
  readonly own: readonly ColumnInfo[];
  /** Undefined while they are not known. */
  readonly others: readonly ColumnInfo[] | undefined;
  readonly onChange: (pair: Pair) => void;
  readonly onRemove: (() => void) | undefined;
}

function PairFields({ place, pair, own, others, onChange, onRemove }: PairFieldsProps) {
  const from = own.find(({ name }) => name === pair.from);
  const judged =
    from === undefined ? [] : (others ?? []).map((column) => ({ column, problem: whyUnfit(from, column) }));
  const fitting = judged.filter(({ problem }) => problem === undefined);
  const unfit = judged.filter(({ problem }) => problem !== undefined);
  const number = place === 1 ? '' : ` ${place}`;
  const label = ({ name, type }: ColumnInfo) => ({ value: name, label: `${name}: ${type}` });
  return (
    <div>
      <div className={classes.pair}>
        <Select
          label={`From${number}`}
          placeholder="Column of this table"
          searchable
          data={own.map(label)}
          value={pair.from}
          onChange={(chosen) => onChange({ ...pair, from: chosen, to: null })}
        />
        <Select
          label={`To${number}`}
          placeholder={others === undefined ? 'Choose a table first' : 'Column of the target'}
          disabled={from === undefined || others === undefined}
          searchable
          data={fitting.map(({ column }) => label(column))}
          value={pair.to}
          onChange={(chosen) => onChange({ ...pair, to: chosen })}
        />
        {onRemove !== undefined && (
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={`Remove pair ${place}`} onClick={onRemove}>
            <CrossIcon size={16} />
          </ActionIcon>
        )}
      </div>
      {from !== undefined && others !== undefined && fitting.length === 0 && (
        <Text size="sm" mt={6}>
          No column of the target fits {from.name}.
        </Text>
      )}
      {unfit.length > 0 && (
        <details className={classes.unfit}>
          <summary>
            {unfit.length} {unfit.length === 1 ? 'column does' : 'columns do'} not fit {from?.name}
          </summary>
          <ul>
            {unfit.map(({ column, problem }) => (
              <li key={column.name}>
                <strong>{column.name}</strong>: {problem}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
