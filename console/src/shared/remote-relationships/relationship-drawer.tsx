/** Drawer that edits a remote relationship as JSON. The service validates it. */

import { NativeSelect, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { jsonProblem, printPretty } from '../../api/exact-json.ts';
import { useCommand } from '../../api/use-command.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { Editor } from '../../ui/editor/editor.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { sentence } from '../../ui/format.ts';
import { kindOf, type TargetKind, targetLabels, templateFor } from './templates.ts';

/** A remote relationship as stored in the metadata. */
export interface SavedRemoteRelationship {
  readonly name: string;
  readonly definition: object;
}

export interface EditedRemoteRelationship {
  /** The type that the field is added to. */
  readonly owner: string;
  /** Fields that can be keys. */
  readonly keys: readonly string[];
  /** The relationship to change. Undefined for a new one. */
  readonly before: SavedRemoteRelationship | undefined;
  /** The exported metadata, for names in templates. */
  readonly exported?: unknown;
  /** Kinds of targets to choose from. */
  readonly targets: readonly TargetKind[];
}

interface RemoteRelationshipDrawerProps {
  /** Undefined closes the drawer. */
  readonly edited: EditedRemoteRelationship | undefined;
  /** The current state of the relationship to change, if it still exists. */
  readonly now: SavedRemoteRelationship | undefined;
  /** Resource version of the metadata. */
  readonly version: number | undefined;
  /** Saves a relationship in place of `before`. `definition` is JSON text. Throws Failure. */
  readonly save: (
    edited: EditedRemoteRelationship,
    name: string,
    definition: string,
    before: Reading<SavedRemoteRelationship | undefined>,
  ) => Promise<void>;
  readonly onClose: () => void;
}

export function RemoteRelationshipDrawer(props: RemoteRelationshipDrawerProps) {
  const { edited, onClose } = props;
  return (
    <DetailDrawer
      subject={edited}
      title={({ before }) => (before === undefined ? 'Add a relationship' : 'Edit the relationship')}
      size="form"
      onClose={onClose}
    >
      {(shown) => <RemoteRelationshipForm {...props} edited={shown} />}
    </DetailDrawer>
  );
}

function RemoteRelationshipForm({
  edited,
  now,
  version,
  save,
  onClose,
}: RemoteRelationshipDrawerProps & { readonly edited: EditedRemoteRelationship }) {
  const { owner, keys, before, targets, exported } = edited;
  const key = keys[0] ?? 'id';
  const [kind, setKind] = useState<TargetKind>(
    before === undefined ? (targets[0] ?? 'table') : kindOf(before.definition),
  );
  const [name, setName] = useState(before?.name ?? '');
  const [text, setText] = useState(
    before === undefined ? templateFor(kind, key, exported) : printPretty(before.definition),
  );
  const problem = jsonProblem(text);
  const { basis, newer } = useEditConflict(before && now, version);
  const { run, failure, isPending } = useCommand(
    (_client, reading: Reading<SavedRemoteRelationship | undefined>) => save(edited, name.trim(), text, reading),
    {
      notice: () => ({ title: before === undefined ? 'Relationship added' : 'Relationship changed' }),
      onDone: onClose,
    },
  );
  const complete = name.trim() !== '' && problem === undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (complete) run(basis);
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
          <Text size="sm" mt={6} c={problem === undefined ? 'dimmed' : 'var(--mantine-color-error)'} role="status">
            {problem === undefined ? 'The service checks it against its target when it is saved.' : sentence(problem)}
          </Text>
        </div>
        <FormActions
          submit={before === undefined ? 'Add the relationship' : 'Save the relationship'}
          busy={isPending}
          disabled={!complete}
          error={failure ?? null}
          failed="The relationship was not saved"
          onSaveOver={newer && (() => complete && run(newer))}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
