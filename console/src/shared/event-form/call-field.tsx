/** Input for what an event calls: a webhook, a saved operation or a function. */
import { SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Draft, FieldName } from './event-draft.ts';
import classes from './event-form.module.css';

interface CallFieldProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>, field: FieldName) => void;
  readonly errorOf: (field: FieldName) => ReactNode;
}

/** The targets that the control offers, with the text that each starts with. */
const examples = {
  operation: { operation: { collection: '', name: '', role: '', variables: { id: '{{$body.payload.id}}' } } },
  function: { function: { source: 'default', function: '', arguments: { id: '{{$body.payload.id}}' } } },
};
const kinds = [
  { value: 'webhook', label: 'Webhook' },
  { value: 'operation', label: 'Saved operation' },
  { value: 'function', label: 'Function' },
];

function kindOf({ target }: Draft): string {
  if (target === undefined) return 'webhook';
  return target.includes('"function"') && !target.includes('"operation"') ? 'function' : 'operation';
}

export function CallField({ draft, onChange, errorOf }: CallFieldProps) {
  const choose = (kind: string): void => {
    const example = kind === 'function' ? examples.function : examples.operation;
    if (kind === 'webhook') onChange({ target: undefined }, 'webhook');
    else onChange({ target: JSON.stringify(example, null, 2) }, 'target');
  };
  return (
    <Stack gap="xs">
      <SegmentedControl aria-label="Target" data={kinds} value={kindOf(draft)} onChange={choose} />
      {draft.target === undefined ? (
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
      ) : (
        <Textarea
          label="Target"
          description="JSON. Strings in variables and arguments are templates; $body is the body that a webhook would receive."
          classNames={{ input: classes.payload ?? '' }}
          spellCheck={false}
          autosize
          minRows={8}
          maxRows={24}
          required
          value={draft.target}
          onChange={(event) => onChange({ target: event.currentTarget.value }, 'target')}
          error={errorOf('target')}
        />
      )}
    </Stack>
  );
}
