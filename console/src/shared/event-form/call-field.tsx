/** Input for what an event calls: a webhook, a saved operation or a function. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { TargetFields } from '../targets/target-fields.tsx';
import type { Draft, FieldName } from './event-draft.ts';

interface CallFieldProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>, field: FieldName) => void;
  readonly errorOf: (field: FieldName) => ReactNode;
}

export function CallField({ draft, onChange, errorOf }: CallFieldProps) {
  return (
    <TargetFields
      target={draft.target}
      body="$body.payload"
      onChange={(target, field) => onChange({ target }, field ?? (target === undefined ? 'webhook' : 'target'))}
      errorOf={errorOf}
    >
      <TextInput
        label="Webhook URL"
        description="May contain {{NAME}} for a variable of the service's environment."
        placeholder="https://example.com/remind"
        type="url"
        autoComplete="off"
        spellCheck={false}
        required
        value={draft.webhook}
        onChange={(event) => onChange({ webhook: event.currentTarget.value }, 'webhook')}
        error={errorOf('webhook')}
      />
    </TargetFields>
  );
}
