/** Further options: limit and root fields of queries, backend-only mutations. */
import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { JsonObject } from '../../api/json.ts';
import { useProblem } from '../../shared/rules/validation-errors.tsx';
import type { Operation } from './access.ts';
import { withMember } from './permission-draft.ts';
import classes from './permissions.module.css';

interface OptionsSectionProps {
  readonly operation: Operation;
  readonly permission: JsonObject;
  readonly onChange: (permission: JsonObject) => void;
}

export function OptionsSection({ operation, permission, onChange }: OptionsSectionProps) {
  if (operation !== 'select') {
    return (
      <Checkbox
        label="For backends only"
        description="Requires the admin secret and the header that enables backend-only permissions."
        checked={permission.backend_only === true}
        onChange={(event) => onChange(withMember(permission, 'backend_only', event.currentTarget.checked || undefined))}
      />
    );
  }
  return (
    <Stack gap="md">
      <LimitField permission={permission} onChange={onChange} />
      <Checkbox
        label="May aggregate"
        description="Counts, sums and other aggregates of the rows that the role sees."
        checked={permission.allow_aggregations === true}
        onChange={(event) =>
          onChange(withMember(permission, 'allow_aggregations', event.currentTarget.checked || undefined))
        }
      />
      <RootFields
        label="Root fields of queries"
        name="query_root_fields"
        fields={['select', 'select_by_pk', 'select_aggregate']}
        permission={permission}
        onChange={onChange}
      />
      <RootFields
        label="Root fields of subscriptions"
        name="subscription_root_fields"
        fields={['select', 'select_by_pk', 'select_aggregate', 'select_stream']}
        permission={permission}
        onChange={onChange}
      />
    </Stack>
  );
}

function LimitField({ permission, onChange }: Omit<OptionsSectionProps, 'operation'>) {
  const written = permission.limit === undefined || permission.limit === null ? '' : String(permission.limit);
  const [text, setText] = useState(written);
  const invalid = !/^\d*$/.test(text);
  useProblem(invalid);
  const change = (typed: string): void => {
    setText(typed);
    if (/^\d*$/.test(typed)) onChange(withMember(permission, 'limit', typed === '' ? undefined : Number(typed)));
  };
  return (
    <TextInput
      label="Rows at a time"
      description="The maximum for one request. Empty: no limit."
      inputMode="numeric"
      styles={{ input: { maxWidth: '12rem' } }}
      autoComplete="off"
      value={text}
      error={invalid && 'Must be a whole number'}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

interface RootFieldsProps extends Omit<OptionsSectionProps, 'operation'> {
  readonly label: string;
  readonly name: string;
  readonly fields: readonly string[];
}

/** A permission without this member allows all root fields. */
function RootFields({ label, name, fields, permission, onChange }: RootFieldsProps) {
  const written: unknown = permission[name];
  const chosen = Array.isArray(written) ? fields.filter((one) => written.includes(one)) : fields;
  const change = (next: readonly string[]): void =>
    onChange(withMember(permission, name, next.length === fields.length ? undefined : next));
  return (
    <Checkbox.Group
      label={label}
      description="Without root fields, the table is reached only by relationships."
      value={[...chosen]}
      onChange={(next) => change(fields.filter((one) => next.includes(one)))}
    >
      <div className={classes.columns} style={{ marginTop: '0.5rem' }}>
        {fields.map((field) => (
          <Checkbox key={field} size="sm" value={field} label={field} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
