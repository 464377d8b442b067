/** A relationship of any kind, written as JSON and checked by the service. */
import { Drawer, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { faultInJson, printPretty } from '../api/exact-json.ts';
import { Editor } from '../editor/editor.tsx';
import { FormEnd } from '../show/form-end.tsx';
import { useNotice } from '../show/notices.tsx';
import { TextField } from '../show/text-field.tsx';
import { sentence } from '../show/words.ts';
import { kindOf, type TargetKind, targetLabels, templateFor } from './templates.ts';

export interface EditedJoin {
  /** The type that gets the field. */
  readonly owner: string;
  /** Fields that may be keys. */
  readonly keys: readonly string[];
  /** The one that is changed; undefined for a new one. */
  readonly before: { readonly name: string; readonly definition: object } | undefined;
  /** The metadata, for names in the templates. */
  readonly exported?: unknown;
  /** Targets that may be chosen. */
  readonly targets: readonly TargetKind[];
}

interface JoinDrawerProps {
  /** Undefined: it is closed. */
  readonly edited: EditedJoin | undefined;
  /** `definition` is JSON text. Throws Failure. */
  readonly save: (edited: EditedJoin, name: string, definition: string) => Promise<void>;
  readonly onClose: () => void;
}

export function JoinDrawer({ edited, save, onClose }: JoinDrawerProps) {
  const title = edited?.before === undefined ? 'Add a relationship' : 'Edit the relationship';
  return (
    <Drawer opened={edited !== undefined} onClose={onClose} position="right" size="min(40rem, 100%)" title={title}>
      {edited !== undefined && <JoinForm edited={edited} save={save} onClose={onClose} />}
    </Drawer>
  );
}

function JoinForm({ edited, save, onClose }: JoinDrawerProps & { readonly edited: EditedJoin }) {
  const { owner, keys, before, targets, exported } = edited;
  const queries = useQueryClient();
  const tell = useNotice();
  const key = keys[0] ?? 'id';
  const [kind, setKind] = useState<TargetKind>(
    before === undefined ? (targets[0] ?? 'table') : kindOf(before.definition),
  );
  const [name, setName] = useState(before?.name ?? '');
  const [text, setText] = useState(
    before === undefined ? templateFor(kind, key, exported) : printPretty(before.definition),
  );
  const fault = faultInJson(text);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => save(edited, name.trim(), text),
    onSuccess: () => {
      tell({ title: before === undefined ? 'Relationship added' : 'Relationship changed' });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const complete = name.trim() !== '' && fault === undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (complete) mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Every object of type <strong>{owner}</strong> gets a field of this name. Keys may be {keys.join(', ')}.
        </Text>
        <TextField label="Relationship name" required value={name} onChange={setName} />
        {before === undefined && (
          <NativeSelect
            label="Leads to"
            value={kind}
            data={targets.map((value) => ({ value, label: targetLabels[value] }))}
            onChange={(event) => {
              const chosen = event.currentTarget.value as TargetKind;
              setKind(chosen);
              setText(templateFor(chosen, key, exported));
            }}
          />
        )}
        <div>
          <Editor label="Definition" height="18rem" language="json" text={text} onChange={setText} />
          <Text size="sm" mt={6} c={fault === undefined ? 'dimmed' : 'var(--mantine-color-error)'} role="status">
            {fault === undefined ? 'The service checks it against its target when it is saved.' : sentence(fault)}
          </Text>
        </div>
        <FormEnd
          submit={before === undefined ? 'Add the relationship' : 'Save the relationship'}
          busy={isPending}
          disabled={!complete}
          error={error}
          failed="The relationship was not saved"
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
