/** Optional fields: headers, request, retries, keys, comment. */
import { Collapse, Space, Stack, TextInput, UnstyledButton } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { ChevronIcon } from '../../ui/page/icons.tsx';
import { durationOf } from '../../ui/time/times.ts';
import { HeaderFields } from '../headers/header-fields.tsx';
import { DeliveryFields } from './delivery-fields.tsx';
import type { Draft, FieldName, RetryField } from './event-draft.ts';
import classes from './event-form.module.css';
import { RetryFields } from './retry-fields.tsx';

interface AdvancedFieldsProps {
  readonly draft: Draft;
  /** Whether to show the keys, which cannot change after creation. */
  readonly withKeys: boolean;
  readonly opened: boolean;
  readonly onToggle: () => void;
  readonly onChange: (part: Partial<Draft>, field: FieldName) => void;
  readonly errorOf: (field: FieldName) => ReactNode;
}

interface RetryInput {
  readonly field: RetryField;
  readonly label: string;
  readonly about: (value: number) => string;
}

const retryInputs: readonly RetryInput[] = [
  { field: 'num_retries', label: 'Retries', about: () => 'Calls after the first one fails.' },
  {
    field: 'retry_interval_seconds',
    label: 'Seconds between calls',
    about: (value) => `A retry waits ${durationOf(value)}.`,
  },
  { field: 'timeout_seconds', label: 'Timeout in seconds', about: (value) => `A call may take ${durationOf(value)}.` },
  {
    field: 'tolerance_seconds',
    label: 'Tolerance in seconds',
    about: (value) => `Not called when more than ${durationOf(value)} late.`,
  },
];

export function AdvancedFields({ draft, withKeys, opened, onToggle, onChange, errorOf }: AdvancedFieldsProps) {
  const region = useId();
  return (
    <div>
      <UnstyledButton className={classes.toggle} aria-expanded={opened} aria-controls={region} onClick={onToggle}>
        <span className={`${classes.chevron} ${opened ? classes.turned : ''}`}>
          <ChevronIcon size={16} />
        </span>
        Advanced
      </UnstyledButton>
      <Collapse expanded={opened} id={region}>
        <Stack gap="lg" pt="md">
          {draft.target === undefined && (
            <>
              <HeaderFields
                headers={draft.headers}
                onChange={(headers, field) => onChange({ headers }, field)}
                errorOf={errorOf}
              />
              <DeliveryFields
                draft={draft}
                onChange={(delivery, field) => onChange({ delivery }, field)}
                errorOf={errorOf}
              />
            </>
          )}
          <fieldset className={classes.fieldset}>
            <legend className={classes.legend}>When a call fails</legend>
            <div className={classes.retries}>
              {retryInputs.map(({ field, label, about }) => (
                <TextInput
                  key={field}
                  label={label}
                  description={/^\d+$/.test(draft.retry[field]) ? about(Number(draft.retry[field])) : ' '}
                  inputWrapperOrder={['label', 'input', 'description', 'error']}
                  inputMode="numeric"
                  value={draft.retry[field]}
                  onChange={(event) =>
                    onChange({ retry: { ...draft.retry, [field]: event.currentTarget.value } }, `retry_conf.${field}`)
                  }
                  error={errorOf(`retry_conf.${field}`)}
                />
              ))}
            </div>
            <Space h="md" />
            <RetryFields
              rules={draft.rules}
              onChange={(rules, field) => onChange({ rules }, field)}
              errorOf={errorOf}
            />
          </fieldset>
          {withKeys && (
            <div className={classes.retries}>
              <TextInput
                label="Key"
                description="Identifies the event permanently: scheduling it twice with one key creates one event."
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                autoComplete="off"
                value={draft.key}
                onChange={(event) => onChange({ key: event.currentTarget.value }, 'key')}
                error={errorOf('key')}
              />
              <TextInput
                label="Ordering key"
                description="Events with the same key are delivered one after the other, in order of time."
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                autoComplete="off"
                value={draft.ordering_key}
                onChange={(event) => onChange({ ordering_key: event.currentTarget.value }, 'ordering_key')}
                error={errorOf('ordering_key')}
              />
            </div>
          )}
          <TextInput
            label="Comment"
            description="A description. The webhook receives it too."
            value={draft.comment}
            onChange={(event) => onChange({ comment: event.currentTarget.value }, 'comment')}
            error={errorOf('comment')}
          />
        </Stack>
      </Collapse>
    </div>
  );
}
