/** Editor of a group of conditions joined by and / or. */
import { ActionIcon, Button, Code, Group as Line, Menu, NativeSelect, Select, Stack, Text } from '@mantine/core';
import { type RefObject, useRef, useState } from 'react';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import { sameTable, type TableName, tableKey, tableLabel } from '../sources/table-paths.ts';
import { ComparisonRow } from './comparison-row.tsx';
import { operatorsOf } from './operators.ts';
import { allOf, type Exists, existsIn, type Group, type Raw, type Related, type RuleNode } from './rule.ts';
import type { RuleTable } from './rule-table.ts';
import classes from './rules.module.css';
import { labelOfChanged, useRuleTable, useRuleTerms } from './use-rule-table.ts';

interface GroupEditorProps {
  readonly group: Group;
  /** The table of the rows. Undefined when unknown. */
  readonly table: TableName | undefined;
  readonly below: boolean;
  /** Accessible name. */
  readonly label: string;
  readonly onChange: (group: Group) => void;
  readonly onRemove?: () => void;
}

const modes = [
  { value: 'and', label: 'All of these hold' },
  { value: 'or', label: 'Any of these holds' },
  { value: 'not and', label: 'Not all of these hold' },
  { value: 'not or', label: 'None of these holds' },
];

export function GroupEditor({ group, table, below, label, onChange, onRemove }: GroupEditorProps) {
  const { mode, negated, of } = group;
  const { changed } = useRuleTerms();
  /** Number of removed conditions: remounts the conditions behind a removed one. */
  const [removed, setRemoved] = useState(0);
  const addButton = useRef<HTMLButtonElement>(null);
  const changeMode = (chosen: string): void => {
    const next = chosen.endsWith('or') ? 'or' : 'and';
    const written = next === mode ? group.written : next === 'or' ? '_or' : onRemove === undefined ? 'members' : '_and';
    onChange({ ...group, mode: next, written, negated: chosen.startsWith('not') });
  };
  const at = (index: number, nodes: readonly RuleNode[]): void =>
    onChange({ ...group, of: [...of.slice(0, index), ...nodes, ...of.slice(index + 1)] });
  return (
    <fieldset className={classes.group} aria-label={label}>
      <Line gap="xs" wrap="nowrap">
        <NativeSelect
          size="xs"
          aria-label={`${label}: how its conditions go together`}
          data={modes}
          value={`${negated ? 'not ' : ''}${mode}`}
          onChange={(event) => changeMode(event.currentTarget.value)}
        />
        {onRemove !== undefined && (
          <ActionIcon variant="subtle" color="gray" aria-label="Remove the group" onClick={onRemove}>
            <CrossIcon size={16} />
          </ActionIcon>
        )}
      </Line>
      {of.length === 0 && (
        <Text size="sm" c="dimmed">
          {emptyText(group, changed === undefined ? 'row' : 'change')}
        </Text>
      )}
      {of.map((node, index) => (
        <NodeEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have nothing but their place
          key={`${removed} ${index}`}
          node={node}
          table={table}
          below={below}
          onChange={(changed) => at(index, [changed])}
          onRemove={() => {
            setRemoved(removed + 1);
            at(index, []);
            // The focused button no longer exists.
            addButton.current?.focus();
          }}
        />
      ))}
      <AddMenu
        buttonRef={addButton}
        label={label}
        table={table}
        below={below}
        onAdd={(node) => onChange({ ...group, of: [...of, node] })}
      />
    </fieldset>
  );
}

/** `what`: what the conditions match, in singular. */
function emptyText({ mode, negated }: Group, what: string): string {
  return `No condition: matches ${(mode === 'and') !== negated ? `all ${what}s` : `no ${what}`}.`;
}

interface NodeEditorProps {
  readonly node: RuleNode;
  readonly table: TableName | undefined;
  readonly below: boolean;
  readonly onChange: (node: RuleNode) => void;
  readonly onRemove: () => void;
}

function NodeEditor({ node, table, below, onChange, onRemove }: NodeEditorProps) {
  const { changed } = useRuleTerms();
  switch (node.kind) {
    case 'group':
      return (
        <GroupEditor group={node} table={table} below={below} label="Group" onChange={onChange} onRemove={onRemove} />
      );
    case 'compare':
      return <OwnComparison node={node} table={table} below={below} onChange={onChange} onRemove={onRemove} />;
    case 'related':
      if (changed !== undefined && !below) {
        return <ChangedRowEditor related={node} onChange={onChange} onRemove={onRemove} />;
      }
      return <RelatedEditor related={node} table={table} onChange={onChange} onRemove={onRemove} />;
    case 'exists':
      return <ExistsEditor exists={node} onChange={onChange} onRemove={onRemove} />;
    case 'raw':
      return <RawMembers raw={node} onRemove={onRemove} />;
    default:
      return node satisfies never;
  }
}

function OwnComparison({
  node,
  table,
  ...rest
}: Omit<NodeEditorProps, 'node'> & { readonly node: Extract<RuleNode, { kind: 'compare' }> }) {
  return <ComparisonRow comparison={node} table={useTable(table)} {...rest} />;
}

/** Without a table, the table of the rule is a placeholder whose data is not used. */
function useTable(table: TableName | undefined): RuleTable | undefined {
  const { source, table: root } = useRuleTerms();
  const known = useRuleTable(source, table ?? root);
  return table === undefined ? undefined : known;
}

interface RelatedEditorProps {
  readonly related: Related;
  readonly table: TableName | undefined;
  readonly onChange: (related: Related) => void;
  readonly onRemove: () => void;
}

function RelatedEditor({ related, table, onChange, onRemove }: RelatedEditorProps) {
  const here = useTable(table);
  const { relationship, where } = related;
  const known = here?.relationships.find((one) => one.name === relationship);
  const names = here?.relationships.map(({ name }) => name) ?? [];
  return (
    <fieldset className={classes.behind} aria-label={`Rows of ${relationship}`}>
      <div className={classes.lead}>
        <Text size="sm">{known?.kind === 'array' ? 'At least one row of' : 'The row of'}</Text>
        <Select
          aria-label="Relationship"
          size="xs"
          searchable
          allowDeselect={false}
          data={names.includes(relationship) ? names : [relationship, ...names]}
          value={relationship}
          error={here !== undefined && known === undefined && 'There is no such relationship'}
          onChange={(name) =>
            name !== null &&
            onChange({ ...related, relationship: name, where: preservedBehind(here, relationship, name, where) })
          }
        />
        <Text size="sm">exists, and</Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove the condition on ${relationship}`}
          onClick={onRemove}
        >
          <CrossIcon size={16} />
        </ActionIcon>
      </div>
      <GroupEditor
        group={where}
        table={known?.target}
        below
        label={`Conditions on ${relationship}`}
        onChange={(changed) => onChange({ ...related, where: changed })}
      />
    </fieldset>
  );
}

/** The conditions on the row before or after a change. */
function ChangedRowEditor({ related, onChange, onRemove }: Omit<RelatedEditorProps, 'table'>) {
  const { table, changed = [] } = useRuleTerms();
  const { relationship: row, where } = related;
  const isPresent = changed.some((one) => one === row);
  return (
    <fieldset className={classes.behind} aria-label={`Conditions on ${labelOfChanged(row)}`}>
      <div className={classes.lead}>
        <Text size="sm">{isPresent ? `In ${labelOfChanged(row)},` : `An operation has no row "${row}":`}</Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove the conditions on ${labelOfChanged(row)}`}
          onClick={onRemove}
        >
          <CrossIcon size={16} />
        </ActionIcon>
      </div>
      <GroupEditor
        group={where}
        table={table}
        below
        label={labelOfChanged(row)}
        onChange={(next) => onChange({ ...related, where: next })}
      />
    </fieldset>
  );
}

/** Preserves conditions when the table stays the same. Behind another table they are dropped. */
function preservedBehind(here: RuleTable | undefined, before: string, after: string, where: Group): Group {
  const [one, other] = [before, after].map((name) => here?.relationships.find((each) => each.name === name)?.target);
  return one !== undefined && other !== undefined && sameTable(one, other) ? where : allOf([]);
}

interface ExistsEditorProps {
  readonly exists: Exists;
  readonly onChange: (exists: Exists) => void;
  readonly onRemove: () => void;
}

function ExistsEditor({ exists, onChange, onRemove }: ExistsEditorProps) {
  const { source } = useRuleTerms();
  const tables = source.tables.map((one) => one.table);
  const offered = tables.some((one) => sameTable(one, exists.table)) ? tables : [exists.table, ...tables];
  return (
    <fieldset className={classes.behind} aria-label={`Rows of ${tableLabel(exists.table)}`}>
      <div className={classes.lead}>
        <Text size="sm">A row of the table</Text>
        <Select
          aria-label="Table"
          size="xs"
          searchable
          allowDeselect={false}
          data={offered.map((one) => ({ value: tableKey(one), label: tableLabel(one) }))}
          value={tableKey(exists.table)}
          onChange={(key) => {
            const table = offered.find((one) => tableKey(one) === key);
            if (table !== undefined) onChange(existsIn(table));
          }}
        />
        <Text size="sm">exists, and</Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove the condition on ${tableLabel(exists.table)}`}
          onClick={onRemove}
        >
          <CrossIcon size={16} />
        </ActionIcon>
      </div>
      <GroupEditor
        group={exists.where}
        table={exists.table}
        below
        label={`Conditions on ${tableLabel(exists.table)}`}
        onChange={(where) => onChange({ ...exists, where })}
      />
    </fieldset>
  );
}

function RawMembers({ raw: { name, json }, onRemove }: { readonly raw: Raw; readonly onRemove: () => void }) {
  return (
    <div className={classes.kept}>
      <Stack gap={4} miw={0}>
        <Text size="sm">Preserved as written; change it as JSON.</Text>
        <Code block className={classes.wrapped ?? ''}>
          {name === undefined ? JSON.stringify(json) : `${JSON.stringify(name)}: ${JSON.stringify(json)}`}
        </Code>
      </Stack>
      <ActionIcon variant="subtle" color="gray" aria-label="Remove the JSON condition" onClick={onRemove}>
        <CrossIcon size={16} />
      </ActionIcon>
    </div>
  );
}

interface AddMenuProps {
  readonly buttonRef: RefObject<HTMLButtonElement | null>;
  readonly label: string;
  readonly table: TableName | undefined;
  readonly below: boolean;
  readonly onAdd: (node: RuleNode) => void;
}

function AddMenu({ buttonRef, label, table, below, onAdd }: AddMenuProps) {
  const { source, table: root, changed } = useRuleTerms();
  const onRows = changed !== undefined && !below;
  const here = useTable(onRows ? root : table);
  const [relationship] = here?.relationships ?? [];
  const [anyTable] = source.tables;
  return (
    <Menu position="bottom-start" zIndex={400}>
      <Menu.Target>
        <Button
          ref={buttonRef}
          size="compact-sm"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          aria-label={`Add to: ${label}`}
          style={{ alignSelf: 'flex-start' }}
        >
          Add
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {onRows ? (
          changed.map((row) => (
            <Menu.Item
              key={row}
              disabled={here === undefined}
              onClick={() =>
                here && onAdd({ kind: 'related', relationship: row, where: allOf([firstComparison(here)]) })
              }
            >
              A condition on {labelOfChanged(row)}
            </Menu.Item>
          ))
        ) : (
          <Menu.Item disabled={here === undefined} onClick={() => here && onAdd(firstComparison(here))}>
            A condition on a column
          </Menu.Item>
        )}
        {changed === undefined && (
          <>
            <Menu.Item
              disabled={relationship === undefined}
              onClick={() =>
                relationship && onAdd({ kind: 'related', relationship: relationship.name, where: allOf([]) })
              }
            >
              Rows of a relationship
            </Menu.Item>
            <Menu.Item disabled={anyTable === undefined} onClick={() => anyTable && onAdd(existsIn(anyTable.table))}>
              Rows of any table
            </Menu.Item>
          </>
        )}
        <Menu.Item onClick={() => onAdd({ ...allOf([], '_or'), mode: 'or' })}>A group</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function firstComparison({ columns, primaryKey }: RuleTable): RuleNode {
  const column = columns.find(({ name }) => primaryKey.includes(name)) ?? columns[0];
  const [operator] = operatorsOf(column?.type ?? 'text');
  const { name = '_eq', argument = 'same' } = operator ?? {};
  return {
    kind: 'compare',
    column: column?.name ?? '',
    operator: name,
    value: argument === 'boolean' ? true : '',
    bare: false,
  };
}
