/** Form of a logical model. */
import { Stack } from '@mantine/core';
import { useInitialVersion } from '../../api/metadata.ts';
import { useCommand } from '../../api/use-command.ts';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { type ModelDraft, type ModelEntry, modelDraftOf, modelErrors, modelFrom } from './native-draft.ts';
import { saveModel } from './native-queries-api.ts';
import { TypedRows } from './typed-rows.tsx';

interface ModelFormProps {
  readonly source: string;
  /** Undefined for a new one. */
  readonly before: ModelEntry | undefined;
  readonly onClose: () => void;
}

export function ModelForm({ source, before, onClose }: ModelFormProps) {
  const opened = useInitialVersion();
  const form = useDraftForm({ initial: modelDraftOf(before), validate: modelErrors });
  const command = useCommand(
    (client, draft: ModelDraft) => saveModel(client, source, modelFrom(draft, before), before, opened),
    { notice: (_result, { name }) => ({ title: `Logical model ${name.trim()} tracked` }), onDone: onClose },
  );
  return (
    <form onSubmit={form.onSubmit((draft) => command.run(draft))} noValidate>
      <Stack gap="lg">
        <TextField label="Name" required {...form.getInputProps('name')} />
        <TextField label="Description" {...form.getInputProps('description')} />
        <TypedRows
          legend="Fields"
          noun="field"
          rows={form.values.fields}
          onChange={(fields) => form.change({ fields })}
          error={typeof form.errors.fields === 'string' ? form.errors.fields : undefined}
        />
        <FormActions
          submit={before === undefined ? 'Track the logical model' : 'Save the logical model'}
          command={command}
          failed="The logical model was not tracked"
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
