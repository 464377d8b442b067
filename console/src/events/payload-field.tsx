/** The payload of an event: JSON that keeps the digits of its numbers. */
import { Button, Textarea } from '@mantine/core';
import { faultInJson, prettyText } from '../api/exact-json.ts';
import classes from './schedule-page.module.css';

interface PayloadFieldProps {
  readonly payload: string;
  readonly onChange: (payload: string) => void;
  /** What is wrong with it when it is left. */
  readonly onFault: (fault: string) => void;
  readonly error: string | undefined;
}

export function PayloadField({ payload, onChange, onFault, error }: PayloadFieldProps) {
  const check = (): void => {
    const fault = payload.trim() === '' ? undefined : faultInJson(payload);
    if (fault !== undefined) onFault(fault);
  };
  return (
    <div>
      <Textarea
        label="Payload"
        description="JSON. The body of the call has it as “payload”, beside the id and the times of the event."
        classNames={{ input: classes.payload ?? '' }}
        spellCheck={false}
        autosize
        minRows={6}
        maxRows={24}
        required
        value={payload}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={check}
        error={error}
      />
      <Button size="compact-sm" variant="default" mt={8} onClick={() => onChange(prettyText(payload))}>
        Format
      </Button>
    </div>
  );
}
