/** Drawer with the form of a remote relationship, beside its GraphQL and its JSON. */
import { RemoteRelationship } from '@joinery/metadata/schema/relationships';
import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { useCommand } from '../../api/use-command.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { FormBesideJson } from '../../ui/form/beside-text/form-beside-json.tsx';
import { besideOf, besideSaved, type DraftBesideText, withText } from '../../ui/form/beside-text/json-format.ts';
import { byMember, jsonTextError, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { type FormErrors, useDraftForm } from '../../ui/form/use-draft-form.ts';
import type { KeyOwner } from '../remote-fields/argument-values.ts';
import type { JoinKey } from '../remote-fields/join-key.ts';
import { ActionTarget } from './action-target.tsx';
import {
  argumentProblems,
  type DefinitionDraft,
  definitionFormat,
  emptyDefinition,
  missingChoices,
  type TargetKind,
} from './definition-draft.ts';
import { GraphqlEditor } from './graphql-editor.tsx';
import { RemoteSchemaTarget } from './remote-schema-target.tsx';
import { FunctionTarget, TableTarget } from './source-target.tsx';
import type { RemoteSuggestion } from './suggestions.ts';
import { TargetChoice } from './target-choice.tsx';

/** A remote relationship as stored in the metadata. */
export interface SavedRemoteRelationship {
  readonly name: string;
  readonly definition: object;
}

export interface EditedRemoteRelationship {
  /** The type that the field is added to. */
  readonly owner: string;
  /** What the keys are. */
  readonly noun: KeyOwner['noun'];
  readonly keys: readonly JoinKey[];
  /** The relationship to change. Undefined for a new one. */
  readonly before: SavedRemoteRelationship | undefined;
  /** What a new relationship starts with. */
  readonly suggested?: RemoteSuggestion;
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
      size="wide"
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
  const { before, targets } = edited;
  const form = useDraftForm({ initial: initialDraft(edited), validate: relationshipErrors, immediate: true });
  const [notation, setNotation] = useState<Notation>('json');
  const { basis, newer } = useEditConflict(before && now, version);
  const command = useCommand(
    (_client, { draft, reading }: Saved) => save(edited, draft.name.trim(), draft.definition.text, reading),
    {
      notice: () => ({ title: before === undefined ? 'Relationship added' : 'Relationship changed' }),
      onDone: onClose,
    },
  );
  const saveOn = (reading: Saved['reading']) => form.onSubmit((draft) => command.run({ draft, reading }));
  const { definition } = form.values;
  const { draft, text, reason } = definition;
  const change = (part: Partial<DefinitionDraft>): void =>
    form.change({ definition: besideOf(definitionFormat, { ...draft, ...part }) });
  const write = (changed: string): void => form.change({ definition: withText(definitionFormat, definition, changed) });
  const isGraphql = reason === undefined && (draft.kind === 'remote schema' || draft.kind === 'action');
  return (
    <form onSubmit={saveOn(basis)} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Every object of type <strong>{edited.owner}</strong> gets a field of this name.
        </Text>
        <FormBesideJson
          label="Definition"
          text={text}
          reason={reason}
          error={form.errors.definition}
          onText={write}
          replaced={
            isGraphql && notation === 'graphql' && <GraphqlEditor key={draft.kind} draft={draft} onChange={change} />
          }
          others={
            isGraphql && (
              <SegmentedControl
                size="xs"
                aria-label="Notation"
                data={notations}
                value={notation}
                onChange={(chosen) => setNotation(chosen === 'graphql' ? 'graphql' : 'json')}
              />
            )
          }
          above={<TextField label="Relationship name" required {...form.getInputProps('name')} />}
        >
          <TargetChoice value={draft.kind} targets={targets} onChange={(kind) => change({ kind })} />
          <Target
            draft={draft}
            owner={{ name: edited.owner, noun: edited.noun, keys: edited.keys }}
            errors={missingChoices(draft)}
            problems={argumentProblems(command.failure?.message)}
            onChange={change}
          />
        </FormBesideJson>
        <FormActions
          submit={before === undefined ? 'Add the relationship' : 'Save the relationship'}
          command={command}
          reason={form.invalid}
          failed="The relationship was not saved"
          onSaveOver={newer && saveOn(newer)}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}

type Notation = 'json' | 'graphql';

const notations: { value: Notation; label: string }[] = [
  { value: 'json', label: 'JSON' },
  { value: 'graphql', label: 'GraphQL' },
];

const targetInputs = {
  'remote schema': RemoteSchemaTarget,
  action: ActionTarget,
  table: TableTarget,
  function: FunctionTarget,
} as const satisfies Readonly<Record<TargetKind, unknown>>;

function Target(props: Parameters<typeof RemoteSchemaTarget>[0]) {
  const Inputs = targetInputs[props.draft.kind];
  return <Inputs key={props.draft.kind} {...props} />;
}

interface Draft {
  readonly name: string;
  readonly definition: DraftBesideText<DefinitionDraft>;
}

interface Saved {
  readonly draft: Draft;
  readonly reading: Reading<SavedRemoteRelationship | undefined>;
}

/** Returns what a new relationship to an object of this kind starts with. */
export function startOf(kind: TargetKind, name: string): RemoteSuggestion {
  return { name, definition: { ...emptyDefinition, kind } };
}

function initialDraft({ before, suggested, targets }: EditedRemoteRelationship): Draft {
  const empty = { ...emptyDefinition, kind: targets[0] ?? 'table' };
  if (before !== undefined) {
    return { name: before.name, definition: besideSaved(definitionFormat, before.definition, empty) };
  }
  return { name: suggested?.name ?? '', definition: besideOf(definitionFormat, suggested?.definition ?? empty) };
}

const Named = RemoteRelationship.options[1].pick({ name: true });
const Definition = RemoteRelationship.options[1].shape.definition;
const fieldOf = byMember({ name: 'name' });

function relationshipErrors({ name, definition }: Draft): FormErrors {
  const isMissing = definition.reason === undefined && Object.keys(missingChoices(definition.draft)).length > 0;
  return {
    ...schemaErrors(Named, { name: name.trim() }, { fieldOf }),
    definition: isMissing ? 'Complete the form.' : jsonTextError(Definition, definition.text),
  };
}
