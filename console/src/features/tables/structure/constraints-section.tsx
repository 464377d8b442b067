/** Keys and checks of a table, and the foreign keys that reference it. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Anchor, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { linkTo } from '../../../router/location.ts';
import { tableLabel, tablePath } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { Section } from '../../../ui/page/section.tsx';
import {
  CheckForm,
  DropConstraintForm,
  PrimaryKeyForm,
  UniqueKeyForm,
  ValidateConstraintForm,
} from './forms/constraint-forms.tsx';
import { ForeignKeyForm } from './forms/foreign-key-form.tsx';
import { NameForm } from './forms/name-form.tsx';
import { constraintObject } from './sql/name-sql.ts';
import type { Constraint, ConstraintKind, Structure } from './structure-api.ts';
import { actionsColumn, commentColumn, nameColumn, StructureTable } from './structure-table.tsx';

interface ConstraintsProps {
  readonly source: string;
  readonly info: TableInfo;
  readonly structure: Structure;
}

type Open =
  | { readonly form: 'primary' | 'unique' | 'foreign' | 'check' }
  | { readonly form: 'edit' | 'validate' | 'drop'; readonly constraint: Constraint };

const kinds: Readonly<Record<ConstraintKind, string>> = {
  p: 'Primary key',
  u: 'Unique key',
  f: 'Foreign key',
  c: 'Check',
  x: 'Exclusion',
};

export function KeysSection(props: ConstraintsProps) {
  const { source, info, structure } = props;
  const keys = structure.constraints.filter(({ kind }) => kind !== 'c' && kind !== 'x');
  const primary = keys.find(({ kind }) => kind === 'p');
  const [open, setOpen] = useState<Open>();
  return (
    <Section title="Keys">
      <Stack gap="xs">
        <ConstraintTable label="Keys" constraints={keys} onOpen={setOpen} />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setOpen({ form: 'primary' })}>
            {primary === undefined ? 'Add a primary key' : 'Replace the primary key'}
          </Button>
          <Button size="xs" variant="default" onClick={() => setOpen({ form: 'unique' })}>
            Add a unique key
          </Button>
          <Button size="xs" variant="default" onClick={() => setOpen({ form: 'foreign' })}>
            Add a foreign key
          </Button>
        </Group>
        {structure.references.length > 0 && (
          <Text size="sm" c="dimmed">
            Referenced by{' '}
            {structure.references.map(({ schema, name, constraint, definition }, index) => (
              <span key={`${schema}.${name}.${constraint}`} title={definition}>
                {index > 0 && ', '}
                <Anchor inherit {...linkTo(tablePath(source, { schema, name }, 'structure'))}>
                  {tableLabel({ schema, name })}
                </Anchor>{' '}
                ({constraint})
              </span>
            ))}
          </Text>
        )}
      </Stack>
      <Forms source={source} info={info} structure={structure} open={open} onClose={() => setOpen(undefined)} />
    </Section>
  );
}

export function ChecksSection({ source, info, structure }: ConstraintsProps) {
  const checks = structure.constraints.filter(({ kind }) => kind === 'c' || kind === 'x');
  const [open, setOpen] = useState<Open>();
  return (
    <Section title="Checks">
      <Stack gap="xs" align="flex-start">
        <ConstraintTable label="Checks" constraints={checks} onOpen={setOpen} />
        <Button size="xs" variant="default" onClick={() => setOpen({ form: 'check' })}>
          Add a check
        </Button>
      </Stack>
      <Forms source={source} info={info} structure={structure} open={open} onClose={() => setOpen(undefined)} />
    </Section>
  );
}

interface ConstraintTableProps {
  readonly label: string;
  readonly constraints: readonly Constraint[];
  readonly onOpen: (open: Open) => void;
}

function ConstraintTable({ label, constraints, onOpen }: ConstraintTableProps) {
  return (
    <StructureTable
      label={label}
      rows={constraints}
      keyOf={({ name }) => name}
      columns={[
        { key: 'kind', header: 'Kind', cell: ({ kind }) => kinds[kind] },
        nameColumn('Name'),
        {
          key: 'definition',
          header: 'Definition',
          cell: ({ definition, validated }) => `${definition}${validated ? '' : ' (not validated)'}`,
        },
        commentColumn(),
        actionsColumn<Constraint>((constraint) => <Actions constraint={constraint} onOpen={onOpen} />),
      ]}
    />
  );
}

function Actions({ constraint, onOpen }: { readonly constraint: Constraint; readonly onOpen: (open: Open) => void }) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button size="compact-xs" variant="subtle" color="gray" fw={400} aria-label={`Actions on ${constraint.name}`}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onOpen({ form: 'edit', constraint })}>Rename or comment</Menu.Item>
        {!constraint.validated && (
          <Menu.Item onClick={() => onOpen({ form: 'validate', constraint })}>Validate</Menu.Item>
        )}
        <Menu.Item color="red" onClick={() => onOpen({ form: 'drop', constraint })}>
          Drop
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface FormsProps extends ConstraintsProps {
  readonly open: Open | undefined;
  readonly onClose: () => void;
}

const titles: Readonly<Record<Open['form'], string>> = {
  primary: 'Primary key',
  unique: 'Add a unique key',
  foreign: 'Add a foreign key',
  check: 'Add a check',
  edit: 'Change',
  validate: 'Validate',
  drop: 'Drop',
};

function Forms({ source, info, structure, open, onClose }: FormsProps) {
  const props = { source, info, onClose };
  return (
    <DetailDrawer
      subject={open}
      title={(shown) => ('constraint' in shown ? `${titles[shown.form]} ${shown.constraint.name}` : titles[shown.form])}
      size="form"
      onClose={onClose}
    >
      {(shown) => {
        switch (shown.form) {
          case 'primary':
            return <PrimaryKeyForm {...props} present={structure.constraints.find(({ kind }) => kind === 'p')} />;
          case 'unique':
            return <UniqueKeyForm {...props} />;
          case 'foreign':
            return <ForeignKeyForm {...props} />;
          case 'check':
            return <CheckForm {...props} />;
          case 'edit':
            return (
              <NameForm
                source={source}
                noun="constraint"
                object={constraintObject(info.table, shown.constraint)}
                onClose={onClose}
              />
            );
          case 'validate':
            return <ValidateConstraintForm {...props} constraint={shown.constraint} />;
          case 'drop':
            return <DropConstraintForm {...props} constraint={shown.constraint} />;
          default:
            return shown satisfies never;
        }
      }}
    </DetailDrawer>
  );
}
