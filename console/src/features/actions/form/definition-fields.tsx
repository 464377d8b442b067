/** The definition of an action: its signature and types as SDL, and how it is run. */
import { NativeSelect, Stack } from '@mantine/core';
import { SdlField } from '../../../ui/editor/sdl-field.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import type { ActionDraft } from '../action-draft.ts';
import type { CustomTypes } from '../actions-api.ts';
import { useSdlLanguages } from '../sdl/use-sdl.ts';
import type { ActionForm } from './use-action-form.ts';

interface DefinitionFieldsProps {
  readonly action: ActionForm;
  /** The types of the metadata. */
  readonly customTypes: CustomTypes;
}

export function SdlFields({ action: { form, errors }, customTypes }: DefinitionFieldsProps) {
  const draft = form.values;
  const languages = useSdlLanguages(draft.types, customTypes);
  return (
    <>
      <SdlField
        label="Action"
        about="One field of type Query or Mutation."
        minLines={5}
        text={draft.signature}
        problem={errors.signature}
        language={languages.action}
        onChange={(signature) => form.change({ signature })}
      />
      <SdlField
        label="Types"
        about="Input and output types: types, interfaces, unions, inputs, enums, scalars. Types of other actions can be used without defining them again."
        text={draft.types}
        problem={errors.types}
        language={languages.types}
        onChange={(text) => form.change({ types: text })}
      />
    </>
  );
}

export function KindField({ action: { form, isQuery } }: Pick<DefinitionFieldsProps, 'action'>) {
  return (
    <NativeSelect
      label="Kind"
      description={isQuery ? 'A query is synchronous. Write a mutation to run the action asynchronously.' : undefined}
      value={isQuery ? 'synchronous' : form.values.kind}
      disabled={isQuery}
      data={[
        { value: 'synchronous', label: 'Synchronous: the caller waits for the response' },
        { value: 'asynchronous', label: 'Asynchronous: the caller gets an ID, and queries the result later' },
      ]}
      onChange={(event) => form.change({ kind: event.currentTarget.value as ActionDraft['kind'] })}
    />
  );
}

export function DefinitionFields(props: DefinitionFieldsProps) {
  return (
    <Stack gap="lg">
      <SdlFields {...props} />
      <KindField action={props.action} />
      <TextField label="Comment" {...props.action.form.getInputProps('comment')} />
    </Stack>
  );
}
