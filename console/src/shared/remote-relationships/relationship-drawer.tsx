/** A relationship of any kind, written as JSON and checked by the service. */
import { Drawer, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Reading, useOpened } from '../../api/edit-conflict.ts';
import { faultInJson, printPretty } from '../../api/exact-json.ts';
import { Editor } from '../../ui/editor/editor.tsx';
import { useNotice } from '../../ui/feedback/notifications.tsx';
import { FormEnd } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { sentence } from '../../ui/format.ts';
import { kindOf, type TargetKind, targetLabels, templateFor } from './templates.ts';

/** A relationship as it is written. */
export interface WrittenJoin {
  readonly name: string;
  readonly definition: object;
}

export interface EditedJoin {
  /** The type that gets the field. */
  readonly owner: string;
  /** Fields that may be keys. */
  readonly keys: readonly string[];
  /** The one that is changed; undefined for a new one. */
  readonly before: WrittenJoin | undefined;
  /** The metadata, for names in the templates. */
  readonly exported?: unknown;
  /** Targets that may be chosen. */
  readonly targets: readonly TargetKind[];
}

interface JoinDrawerProps {
  /** Undefined: it is closed. */
  readonly edited: EditedJoin | undefined;
  /** The one that is changed as it was read last, where there still is one of its name. */
  readonly now: WrittenJoin | undefined;
  /** Of the metadata that it was read from. */
  readonly version: number | undefined;
  /** `definition` is JSON text. `before`: the one that it takes the place of. Throws Failure. */
  readonly save: (
    edited: EditedJoin,
    name: string,
    definition: string,
    before: Reading<WrittenJoin | undefined>,
  ) => Promise<void>;
  readonly onClose: () => void;
}

export function JoinDrawer(props: JoinDrawerProps) {
  const { edited, onClose } = props;
  const title = edited?.before === undefined ? 'Add a relationship' : 'Edit the relationship';
  return (
    <Drawer opened={edited !== undefined} onClose={onClose} position="right" size="min(40rem, 100%)" title={title}>
      {edited !== undefined && <JoinForm {...props} edited={edited} />}
    </Drawer>
  );
}

function JoinForm({ edited, now, version, save, onClose }: JoinDrawerProps & { readonly edited: EditedJoin }) {
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
  const { basis, newer } = useOpened(before && now, version);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (reading: Reading<WrittenJoin | undefined>) => save(edited, name.trim(), text, reading),
    onSuccess: () => {
      tell({ title: before === undefined ? 'Relationship added' : 'Relationship changed' });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const complete = name.trim() !== '' && fault === undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (complete) mutate(basis);
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
          onSaveOver={newer && (() => complete && mutate(newer))}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
