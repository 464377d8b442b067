/** Columns and computed fields of a permission. */
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import type { JsonObject } from '../../api/json.ts';
import type { RuleTable } from '../../shared/rules/rule-table.ts';
import { grantedColumns, type Operation } from './access.ts';
import { chooseColumns, withMember } from './permission-draft.ts';
import classes from './permissions.module.css';

interface ColumnsSectionProps {
  readonly operation: Operation;
  readonly table: RuleTable;
  readonly permission: JsonObject;
  readonly onChange: (permission: JsonObject) => void;
}

export function ColumnsSection({ operation, table, permission, onChange }: ColumnsSectionProps) {
  const written = Array.isArray(permission.columns) ? permission.columns.map(String) : [];
  const removed = written.filter((name) => !table.columns.some((one) => one.name === name));
  const names = [...table.columns.map(({ name }) => name), ...removed];
  const granted = grantedColumns(permission, operation, names);
  const every = granted.length === names.length && !Array.isArray(permission.columns);
  const toggle = (name: string, on: boolean): void =>
    onChange(
      chooseColumns(
        permission,
        names.filter((one) => (one === name ? on : granted.includes(one))),
      ),
    );
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => onChange(chooseColumns(permission, '*'))}>
          Choose all
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onChange(chooseColumns(permission, []))}>
          Choose none
        </Button>
        <Text size="sm" c="dimmed">
          {every
            ? 'All columns, including future ones.'
            : `${granted.length} of ${names.length}; future columns are not included.`}
        </Text>
      </Group>
      <div className={classes.columns}>
        {table.columns.map(({ name, type }) => (
          <Checkbox
            key={name}
            size="sm"
            label={name}
            description={type}
            checked={granted.includes(name)}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
        ))}
        {removed.map((name) => (
          <Checkbox
            key={name}
            size="sm"
            label={name}
            error="The table has no such column"
            checked
            onChange={() => toggle(name, false)}
          />
        ))}
      </div>
      {operation === 'select' && (table.computedFields.length > 0 || permission.computed_fields !== undefined) && (
        <ComputedFields table={table} permission={permission} onChange={onChange} />
      )}
    </Stack>
  );
}

function ComputedFields({ table, permission, onChange }: Omit<ColumnsSectionProps, 'operation'>) {
  const written = Array.isArray(permission.computed_fields) ? permission.computed_fields.map(String) : [];
  const offered = [...new Set([...table.computedFields, ...written])];
  const toggle = (name: string, on: boolean): void => {
    const chosen = offered.filter((one) => (one === name ? on : written.includes(one)));
    onChange(withMember(permission, 'computed_fields', chosen.length === 0 ? undefined : chosen));
  };
  return (
    <Checkbox.Group label="Computed fields" value={written}>
      <div className={classes.columns}>
        {offered.map((name) => (
          <Checkbox
            key={name}
            size="sm"
            value={name}
            label={name}
            error={!table.computedFields.includes(name) && 'The table has no such field'}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
