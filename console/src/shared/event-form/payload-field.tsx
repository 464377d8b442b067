/** Input for the payload, JSON that preserves all digits. */

import { Group, Text, Textarea } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { jsonProblem, prettyText } from '../../api/exact-json.ts';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { sentence } from '../../ui/format.ts';
import classes from './event-form.module.css';

interface PayloadFieldProps {
  readonly payload: string;
  readonly onChange: (payload: string) => void;
  /** The validation error. */
  readonly error: ReactNode;
}

export function PayloadField({ payload, onChange, error }: PayloadFieldProps) {
  const message = useId();
  // Typing errors are shown without emphasis. The line always exists, so that the layout is stable.
  const problem = payload.trim() === '' ? 'empty; for no payload write null' : jsonProblem(payload);
  return (
    <div>
      <Textarea
        label="Payload"
        description="JSON. The request body contains it as “payload”, next to the ID and times of the event."
        classNames={{ input: classes.payload ?? '' }}
        aria-describedby={message}
        spellCheck={false}
        autosize
        minRows={6}
        maxRows={24}
        required
        value={payload}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
      <Group gap="sm" mt={8} wrap="nowrap" align="baseline">
        <ReasonButton
          size="compact-sm"
          variant="default"
          fw={400}
          flex="none"
          reason={problem === undefined ? undefined : sentence(`Not JSON yet: ${problem}`)}
          onClick={() => onChange(prettyText(payload))}
        >
          Format
        </ReasonButton>
        {error === undefined && (
          <Text id={message} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {problem === undefined ? 'Valid JSON' : sentence(`Not JSON yet: ${problem}`)}
          </Text>
        )}
      </Group>
    </div>
  );
}
