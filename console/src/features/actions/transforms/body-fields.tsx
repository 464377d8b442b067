/** Inputs for a body: unchanged, template, form, or none. */
import { NativeSelect, Stack } from '@mantine/core';
import { Editor } from '../../../ui/editor/editor.tsx';
import { PairFields } from '../../../ui/form/pair-fields.tsx';
import type { BodyDraft } from './transform-draft.ts';

interface BodyFieldsProps {
  readonly label: string;
  /** Prefix of labels, such as `Request body`. */
  readonly what: string;
  readonly withForm: boolean;
  readonly body: BodyDraft;
  readonly onChange: (body: BodyDraft) => void;
}

export function BodyFields({ label, what, withForm, body, onChange }: BodyFieldsProps) {
  return (
    <Stack gap="sm">
      <NativeSelect
        label={label}
        value={body.kind}
        data={[
          { value: 'keep', label: 'As it is' },
          { value: 'template', label: 'By a template' },
          ...(withForm ? [{ value: 'form', label: 'A form (x-www-form-urlencoded)' }] : []),
          { value: 'remove', label: 'None' },
        ]}
        onChange={(event) => onChange({ ...body, kind: event.currentTarget.value as BodyDraft['kind'] })}
      />
      {body.kind === 'template' && (
        <Editor
          label={`Template of the ${what}`}
          height="9rem"
          language="json"
          text={body.template}
          onChange={(template) => onChange({ ...body, template })}
        />
      )}
      {body.kind === 'form' && (
        <PairFields
          legend={`Fields of the ${what}`}
          noun="form field"
          placeholders={['id', '{{$body.input.id}}']}
          pairs={body.form}
          onChange={(form) => onChange({ ...body, form })}
        />
      )}
    </Stack>
  );
}
