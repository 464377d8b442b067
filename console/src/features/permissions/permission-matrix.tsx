/** A matrix of roles and operations: a table, or cards on narrow screens. */
import { Table, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { InheritedRole } from '../../shared/roles/known-names.ts';
import { CircleIcon, HalfCircleIcon, TickIcon } from '../../ui/page/icons.tsx';
import { useNarrow } from '../../ui/page/use-narrow.ts';
import { PlainTable } from '../../ui/table/plain-table.tsx';
import { type Access, type Operation, operations } from './access.ts';
import classes from './permissions.module.css';

interface PermissionMatrixProps {
  readonly roles: readonly string[];
  readonly inherited: readonly InheritedRole[];
  readonly accessOf: (role: string, operation: Operation) => Access;
  readonly onOpen: (role: string, operation: Operation) => void;
}

export function PermissionMatrix(props: PermissionMatrixProps) {
  const narrow = useNarrow();
  const [typed, setTyped] = useState('');
  // A typed role that has a permission now is in the list.
  const text = props.roles.includes(typed.trim()) ? '' : typed;
  const role = text.trim();
  const field = (
    <TextInput
      size="xs"
      aria-label="New role"
      placeholder="New role"
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
  return narrow ? <Cards {...props} typed={role} field={field} /> : <Grid {...props} typed={role} field={field} />;
}

interface LaidOutProps extends PermissionMatrixProps {
  /** Name of a role without permission. Empty for none. */
  readonly typed: string;
  readonly field: ReactNode;
}

function Grid({ roles, typed, field, ...props }: LaidOutProps) {
  return (
    <div className={classes.frame}>
      <PlainTable
        className={classes.grid ?? ''}
        layout="fixed"
        aria-label="Permissions by role and operation"
        rows={['admin', ...roles]}
        keyOf={(role) => role}
        columns={[
          {
            key: 'role',
            header: 'Role',
            isRowHeader: true,
            headProps: { w: '20%' },
            cellProps: { fw: 500 },
            cell: (role) => <RoleName role={role} inherited={props.inherited} />,
          },
          ...operations.map((operation) => ({
            key: operation,
            header: titles[operation],
            headProps: { ps: 'md' },
            cellProps: { px: 4, py: 4 },
            cell: (role: string) => <Cell role={role} operation={operation} {...props} />,
          })),
        ]}
        footer={
          <Table.Tr>
            <Table.Td>{field}</Table.Td>
            {operations.map((operation) => (
              <Table.Td key={operation} px={4} py={4}>
                {typed !== '' && <Cell role={typed} operation={operation} {...props} />}
              </Table.Td>
            ))}
          </Table.Tr>
        }
      />
    </div>
  );
}

function Cards({ roles, typed, field, ...props }: LaidOutProps) {
  return (
    <div className={classes.cards}>
      {['admin', ...roles].map((role) => (
        <section key={role} className={classes.card} aria-label={`Permissions of ${role}`}>
          <RoleName role={role} inherited={props.inherited} />
          <Pairs role={role} {...props} />
        </section>
      ))}
      <section className={classes.card} aria-label="Permissions of a new role">
        {field}
        {typed !== '' && <Pairs role={typed} {...props} />}
      </section>
    </div>
  );
}

function Pairs({ role, ...props }: CellsProps) {
  return (
    <div className={classes.pair}>
      {operations.map((operation) => (
        <div key={operation}>
          <Text size="xs" c="dimmed" ps={8}>
            {titles[operation]}
          </Text>
          <Cell role={role} operation={operation} {...props} />
        </div>
      ))}
    </div>
  );
}

const titles: Readonly<Record<Operation, string>> = {
  select: 'Select',
  insert: 'Insert',
  update: 'Update',
  delete: 'Delete',
};

function RoleName({ role, inherited }: { readonly role: string; readonly inherited: readonly InheritedRole[] }) {
  const parents = inherited.find((one) => one.role_name === role)?.role_set;
  return (
    <>
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {role}
      </Text>
      {parents !== undefined && (
        <Text size="xs" c="dimmed" fw={400} style={{ overflowWrap: 'anywhere' }}>
          made of {parents.join(', ')}
        </Text>
      )}
    </>
  );
}

interface CellsProps extends Pick<PermissionMatrixProps, 'accessOf' | 'onOpen' | 'inherited'> {
  readonly role: string;
}

const levelLabels = { full: 'Full', partial: 'Partial', none: 'None' };
const icons = { full: TickIcon, partial: HalfCircleIcon, none: CircleIcon };

function Cell({ role, operation, accessOf, onOpen }: CellsProps & { readonly operation: Operation }) {
  const { level, from, about } = accessOf(role, operation);
  const Icon = icons[level];
  const content = (
    <>
      <Icon size={16} />
      <span>{levelLabels[level]}</span>
      {about !== '' && <span className={classes.about}>{about}</span>}
    </>
  );
  const look = `${classes.cell} ${level === 'partial' ? '' : classes[level]}`;
  if (from === 'admin') return <div className={look}>{content}</div>;
  return (
    <UnstyledButton className={look} aria-haspopup="dialog" onClick={() => onOpen(role, operation)}>
      <VisuallyHidden>
        {titles[operation]} for {role}:
      </VisuallyHidden>
      {content}
    </UnstyledButton>
  );
}
