/** Drawer with the form of the API limits beside its JSON. */

import { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { ActionIcon, Autocomplete, Button, Checkbox, NativeSelect, Stack, Text } from '@mantine/core';
import { useEditConflict } from '../../api/edit-conflict.ts';
import { useCommand } from '../../api/use-command.ts';
import { useKnownNames } from '../../shared/rules/use-rule-table.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { FormBesideJson } from '../../ui/form/beside-text/form-beside-json.tsx';
import { besideOf, besideSaved, type DraftBesideText, withText } from '../../ui/form/beside-text/json-format.ts';
import { jsonTextError } from '../../ui/form/beside-text/schema-errors.ts';
import formClasses from '../../ui/form/form.module.css';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { type FormErrors, useDraftForm } from '../../ui/form/use-draft-form.ts';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import classes from './limits.module.css';
import { limitTexts } from './limits.ts';
import {
  emptyLimits,
  type LimitDraft,
  type LimitKey,
  type LimitsDraft,
  type LimitValue,
  limitErrors,
  limitKeys,
  limitsFormat,
  noValue,
  type RateBy,
  type RoleLimit,
} from './limits-draft.ts';
import { type Operations, setLimits } from './operations-api.ts';

interface LimitsDrawerProps {
  readonly opened: boolean;
  readonly operations: Operations;
  readonly onClose: () => void;
}

export function LimitsDrawer({ opened, operations, onClose }: LimitsDrawerProps) {
  return (
    <DetailDrawer subject={opened} title="Limits of callers" size="wide" onClose={onClose}>
      {() => <LimitsForm operations={operations} onClose={onClose} />}
    </DetailDrawer>
  );
}

interface Draft {
  readonly limits: DraftBesideText<LimitsDraft>;
}

function LimitsForm({ operations, onClose }: Omit<LimitsDrawerProps, 'opened'>) {
  const { api_limits, version } = operations;
  const form = useDraftForm<Draft>({
    initial: { limits: besideSaved(limitsFormat, api_limits ?? {}, emptyLimits) },
    validate: draftErrors,
    immediate: true,
  });
  const { draft, text, reason } = form.values.limits;
  // The command replaces all limits, so it must name the version that the form was opened with.
  const { basis, newer } = useEditConflict(api_limits, version);
  const command = useCommand((client, saved: Saved) => setLimits(client, saved.text, saved.version), {
    notice: () => ({ title: 'Limits saved', text: 'They apply now on all nodes.' }),
    onDone: onClose,
  });
  const saveOn = (on: number | undefined) =>
    form.onSubmit(({ limits }) => command.run({ text: limits.text, version: on }));
  const change = (part: Partial<LimitsDraft>): void =>
    form.change({ limits: besideOf(limitsFormat, { ...draft, ...part }) });
  const errors = limitErrors(draft);
  return (
    <form onSubmit={saveOn(basis.version)} noValidate>
      <Stack gap="lg">
        <FormBesideJson
          label="Limits"
          text={text}
          reason={reason}
          error={form.errors.limits}
          onText={(written) => form.change({ limits: withText(limitsFormat, form.values.limits, written) })}
        >
          <Text size="sm" c="dimmed">
            A limit of a role replaces that of every role. Admins have no limits.
          </Text>
          {limitKeys.map((key) => (
            <LimitFields
              key={key}
              limit={key}
              draft={draft.limits[key]}
              errors={errors}
              onChange={(changed) => change({ limits: { ...draft.limits, [key]: changed } })}
            />
          ))}
          <Checkbox
            label="Store the limits without enforcing them"
            checked={draft.isDisabled}
            onChange={(event) => change({ isDisabled: event.currentTarget.checked })}
          />
        </FormBesideJson>
        <FormActions
          submit="Save the limits"
          command={command}
          reason={form.invalid}
          failed="The limits were not changed"
          onSaveOver={newer && saveOn(newer.version)}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}

interface Saved {
  readonly text: string;
  readonly version: number | undefined;
}

function draftErrors({ limits }: Draft): FormErrors {
  const isWrong = limits.reason === undefined && Object.keys(limitErrors(limits.draft)).length > 0;
  return { limits: jsonTextError(ApiLimits, limits.text) ?? (isWrong ? 'Complete the form.' : undefined) };
}

interface LimitFieldsProps {
  readonly limit: LimitKey;
  readonly draft: LimitDraft;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (draft: LimitDraft) => void;
}

function LimitFields({ limit, draft, errors, onChange }: LimitFieldsProps) {
  const { data: names } = useKnownNames();
  const { label, unit } = limitTexts[limit];
  const { roles } = draft;
  const changeRole = (role: RoleLimit): void =>
    onChange({ ...draft, roles: roles.map((one) => (one.key === role.key ? role : one)) });
  const errorAt = (place: string) => errors[limit === 'rate_limit' ? `${place}.max_reqs_per_min` : place];
  return (
    <fieldset className={formClasses.fieldset}>
      <legend className={formClasses.legend}>
        {label}
        <span className={classes.unit}>{unit}</span>
      </legend>
      <Stack gap={6}>
        <div className={classes.row}>
          <span className={classes.every}>Every role</span>
          <ValueFields
            label={`${label} for every role`}
            limit={limit}
            value={draft.global}
            error={errorAt(`${limit}.global`)}
            variablesError={errors[`${limit}.global.unique_params`]}
            onChange={(global) => onChange({ ...draft, global })}
          />
        </div>
        {roles.map((role, index) => (
          <div key={role.key} className={classes.row}>
            <Autocomplete
              size="xs"
              aria-label={`Role ${index + 1} with another ${label.toLowerCase()}`}
              placeholder="Role"
              data={[...(names?.roles ?? [])]}
              value={role.role}
              error={errors[`${limit}.roles.${index}`]}
              onChange={(chosen) => changeRole({ ...role, role: chosen })}
            />
            <ValueFields
              label={`${label} for ${role.role || 'the role'}`}
              limit={limit}
              value={role}
              error={errorAt(`${limit}.per_role.${role.role.trim()}`)}
              variablesError={errors[`${limit}.per_role.${role.role.trim()}.unique_params`]}
              onChange={(value) => changeRole({ ...role, ...value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={30}
              aria-label={`Remove the ${label.toLowerCase()} for ${role.role || 'the role'}`}
              onClick={() => onChange({ ...draft, roles: roles.filter((one) => one !== role) })}
            >
              <CrossIcon size={16} />
            </ActionIcon>
          </div>
        ))}
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<PlusIcon size={14} />}
          style={{ alignSelf: 'flex-start' }}
          aria-label={`Add a role with another ${label.toLowerCase()}`}
          onClick={() => onChange({ ...draft, roles: [...roles, newRole(roles)] })}
        >
          Add a role
        </Button>
      </Stack>
    </fieldset>
  );
}

function newRole(roles: readonly RoleLimit[]): RoleLimit {
  return { ...noValue, role: '', key: Math.max(-1, ...roles.map(({ key }) => key)) + 1 };
}

interface ValueFieldsProps {
  readonly label: string;
  readonly limit: LimitKey;
  readonly value: LimitValue;
  readonly error: string | undefined;
  readonly variablesError: string | undefined;
  readonly onChange: (value: LimitValue) => void;
}

function ValueFields({ label, limit, value, error, variablesError, onChange }: ValueFieldsProps) {
  return (
    <>
      <TextField
        size="xs"
        aria-label={label}
        placeholder="No limit"
        inputMode="numeric"
        value={value.count}
        error={error}
        onChange={(count) => onChange({ ...value, count })}
      />
      {limit === 'rate_limit' && (
        <NativeSelect
          size="xs"
          aria-label={`${label}: callers that share it`}
          data={rateBy}
          value={value.by}
          onChange={(event) => onChange({ ...value, by: event.currentTarget.value as RateBy })}
        />
      )}
      {limit === 'rate_limit' && value.by === 'variables' && (
        <TextField
          size="xs"
          aria-label={`${label}: session variables`}
          placeholder="x-service-user-id"
          value={value.variables}
          error={variablesError}
          onChange={(variables) => onChange({ ...value, variables })}
        />
      )}
    </>
  );
}

const rateBy: { value: RateBy; label: string }[] = [
  { value: 'role', label: 'For all callers of the role' },
  { value: 'address', label: 'For each address' },
  { value: 'variables', label: 'For equal session variables' },
];
