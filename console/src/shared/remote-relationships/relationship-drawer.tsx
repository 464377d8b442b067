/** Drawer that edits a remote relationship as JSON. The service validates it. */
import { RemoteRelationship } from '@joinery/metadata/schema/relationships';
import { NativeSelect, Stack, Text } from '@mantine/core';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { printPretty } from '../../api/exact-json.ts';
import { useCommand } from '../../api/use-command.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { Editor } from '../../ui/editor/editor.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { byMember, jsonTextError, schemaErrors } from '../../ui/form/schema-errors.ts';
import { TextField } from '../../ui/form/text-field.tsx';
import { type FormErrors, useDraftForm } from '../../ui/form/use-draft-form.ts';
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
  const form = useDraftForm({
    initial: before === undefined ? newDraft(targets[0] ?? 'table', key, exported) : draftOf(before),
    validate: definitionErrors,
    immediate: true,
  });
  const { basis, newer } = useEditConflict(before && now, version);
  const command = useCommand(
    (_client, { draft, reading }: Saved) => save(edited, draft.name.trim(), draft.text, reading),
    {
      notice: () => ({ title: before === undefined ? 'Relationship added' : 'Relationship changed' }),
      onDone: onClose,
    },
  );
  const saveOn = (reading: Saved['reading']) => form.onSubmit((draft) => command.run({ draft, reading }));
  return (
    <form onSubmit={saveOn(basis)} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Every object of type <strong>{owner}</strong> gets a field of this name. Keys may be {keys.join(', ')}.
        </Text>
        <TextField label="Relationship name" required {...form.getInputProps('name')} />
        {before === undefined && (
          <NativeSelect
            label="Leads to"
            value={form.values.kind}
            data={targets.map((value) => ({ value, label: targetLabels[value] }))}
            onChange={(event) => {
              const chosen = event.currentTarget.value as TargetKind;
              form.change({ kind: chosen, text: templateFor(chosen, key, exported) });
            }}
          />
        )}
        <div>
          <Editor
            label="Definition"
            height="18rem"
            language="json"
            text={form.values.text}
            onChange={(text) => form.change({ text })}
          />
          <Text
            size="sm"
            mt={6}
            c={form.errors.text === undefined ? 'dimmed' : 'var(--mantine-color-error)'}
            role="status"
          >
            {form.errors.text ?? 'The service checks it against its target when it is saved.'}
          </Text>
        </div>
        <FormActions
          submit={before === undefined ? 'Add the relationship' : 'Save the relationship'}
          command={command}
          disabled={!form.isValid()}
          failed="The relationship was not saved"
          onSaveOver={newer && saveOn(newer)}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}

interface Draft {
  readonly kind: TargetKind;
  readonly name: string;
  /** The definition as JSON text. */
  readonly text: string;
}

interface Saved {
  readonly draft: Draft;
  readonly reading: Reading<SavedRemoteRelationship | undefined>;
}

function newDraft(kind: TargetKind, key: string, exported: unknown): Draft {
  return { kind, name: '', text: templateFor(kind, key, exported) };
}

function draftOf({ name, definition }: SavedRemoteRelationship): Draft {
  return { kind: kindOf(definition), name, text: printPretty(definition) };
}

const Named = RemoteRelationship.options[1].pick({ name: true });
const Definition = RemoteRelationship.options[1].shape.definition;
const fieldOf = byMember({ name: 'name' });

function definitionErrors({ name, text }: Draft): FormErrors {
  return { ...schemaErrors(Named, { name: name.trim() }, { fieldOf }), text: jsonTextError(Definition, text) };
}
