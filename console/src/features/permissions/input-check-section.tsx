/** Inputs of the input validation webhook. */
import { Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import type { JsonObject } from '../../api/json.ts';
import { HeaderFields } from '../../shared/headers/header-fields.tsx';
import { useProblem } from '../../shared/rules/validation-errors.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { emptyInputCheck, type InputCheckDraft, inputCheckOf, timeoutProblem, withInputCheck } from './input-check.ts';
import { withMember } from './permission-draft.ts';

interface InputCheckSectionProps {
  readonly permission: JsonObject;
  readonly onChange: (permission: JsonObject) => void;
}

export function InputCheckSection({ permission, onChange }: InputCheckSectionProps) {
  const [draft, setDraft] = useState(() => inputCheckOf(permission));
  const problem = draft === undefined ? undefined : timeoutProblem(draft);
  useProblem(problem !== undefined);
  const set = (changed: InputCheckDraft | undefined): void => {
    setDraft(changed);
    const written = changed && withInputCheck(permission.validate_input, changed);
    onChange(withMember(permission, 'validate_input', written));
  };
  return (
    <Stack gap="md">
      <Checkbox
        label="A webhook checks the input"
        description="Called before the mutation runs. Status 400 rejects the mutation."
        checked={draft !== undefined}
        onChange={(event) => set(event.currentTarget.checked ? emptyInputCheck : undefined)}
      />
      {draft !== undefined && (
        <>
          <TextField
            label="URL of the webhook"
            description="May contain {{NAME}} for a variable of the service's environment."
            placeholder="{{CHECKS}}/orders"
            value={draft.url}
            onChange={(url) => set({ ...draft, url })}
          />
          <HeaderFields
            headers={draft.headers}
            onChange={(headers) => set({ ...draft, headers })}
            errorOf={() => undefined}
            none="Only those of every call."
          />
          <Checkbox
            label="Forward the headers of the client"
            checked={draft.forwards}
            onChange={(event) => set({ ...draft, forwards: event.currentTarget.checked })}
          />
          <TextField
            label="Timeout in seconds"
            description="10 where none is given."
            inputMode="numeric"
            styles={{ input: { maxWidth: '12rem' } }}
            value={draft.timeout}
            error={problem}
            onChange={(timeout) => set({ ...draft, timeout })}
          />
        </>
      )}
    </Stack>
  );
}
