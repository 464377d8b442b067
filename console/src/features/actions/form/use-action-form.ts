/** The draft of an action with its types, its errors, and the command that saves both. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import { useEffect, useState } from 'react';
import { type Reading, useEditConflict } from '../../../api/edit-conflict.ts';
import { type CommandState, useCommand } from '../../../api/use-command.ts';
import { sameDraft } from '../../../ui/form/same-draft.ts';
import { type DraftForm, useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { sentence } from '../../../ui/format.ts';
import { type ActionDraft, actionDraftOf, actionErrors, definitionFrom, emptyActionDraft } from '../action-draft.ts';
import type { Action, ActionsMetadata, CustomTypes } from '../actions-api.ts';
import {
  mergeTypes,
  type ReadAction,
  type ReadTypes,
  readActionSdl,
  readTypesSdl,
  type SdlProblem,
} from '../sdl/sdl.ts';

export interface ActionForm {
  readonly form: DraftForm<ActionDraft>;
  /** Messages by field of the draft. */
  readonly errors: Readonly<Record<string, string>>;
  readonly signature: ReadAction | SdlProblem;
  readonly types: ReadTypes | SdlProblem;
  readonly isQuery: boolean;
  readonly command: CommandState<unknown, Change>;
  /** The first error, with the label of its field. */
  readonly problem: string | undefined;
  readonly save: () => void;
  /** Overwrites a change that was made elsewhere. */
  readonly onSaveOver: (() => void) | undefined;
  /** Replaces the draft by the saved action. */
  readonly discard: () => void;
}

interface Change {
  readonly bulk: CommandArguments['bulk'];
  /** Resource version of the metadata. */
  readonly basedOn: number | undefined;
  readonly name: string;
}

interface ActionFormOptions {
  /** Undefined for a new action. */
  readonly action: Action | undefined;
  readonly metadata: ActionsMetadata;
  readonly onSaved?: (name: string) => void;
}

export function useActionForm({ action, metadata, onSaved }: ActionFormOptions): ActionForm {
  const { types: customTypes, version } = metadata;
  const shown = shownOf(action, customTypes);
  const { basis, newer, reopen } = useEditConflict(shown, version);
  const [initial] = useState(() => draftOf(action, customTypes));
  const form = useDraftForm({
    initial,
    validate: (typed) => actionErrors(typed, action?.name),
    immediate: true,
  });
  const draft = form.values;
  // A form without changes follows the metadata, also after its own changes are saved.
  const { isUnsaved } = form;
  const isOutdated = !isUnsaved && action !== undefined && !sameDraft(basis.shown, shown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form is opened once for each change.
  useEffect(() => {
    if (!isOutdated) return;
    reopen({ shown, version });
    form.open(draftOf(action, customTypes));
  }, [isOutdated]);
  // The editors show their errors from the start.
  const errors = actionErrors(draft, action?.name);
  const signature = readActionSdl(draft.signature);
  const command = useCommand((client, { bulk, basedOn }: Change) => client.command('bulk', bulk, { basedOn }), {
    notice: () => ({ title: action === undefined ? 'Action created' : 'Action changed' }),
    onDone: (_result, { name }) => onSaved?.(name),
  });
  const saveOn = ({ shown: before, version: basedOn }: Reading<Shown>) =>
    form.onSubmit((typed) => {
      const read = readActionSdl(typed.signature);
      const written = readTypesSdl(typed.types);
      if ('problem' in read || 'problem' in written) return;
      const comment = typed.comment.trim() === '' ? read.comment : typed.comment.trim();
      const definition = definitionFrom(typed, read, before.definition);
      // Sets the types first, and both or none.
      const bulk: Change['bulk'] = [
        { type: 'set_custom_types', args: mergeTypes(customTypes, written) },
        {
          type: action === undefined ? 'create_action' : 'update_action',
          args: { name: read.name, definition, ...(comment !== undefined && { comment }) },
        },
      ];
      command.run({ bulk, basedOn, name: read.name });
    });
  return {
    form,
    errors,
    signature,
    types: readTypesSdl(draft.types),
    isQuery: !('problem' in signature) && signature.type === 'query',
    command,
    problem: firstProblem(errors),
    save: () => saveOn(basis)(),
    onSaveOver: newer && (() => saveOn(newer)()),
    discard: () => {
      reopen({ shown, version });
      form.open(draftOf(action, customTypes));
      form.clearErrors();
      command.reset();
    },
  };
}

/** The edited values. Permissions and relationships are edited elsewhere. */
interface Shown {
  readonly definition: Action['definition'] | undefined;
  readonly comment: string | null | undefined;
  readonly types: string | undefined;
}

function shownOf(action: Action | undefined, types: CustomTypes): Shown {
  return {
    definition: action?.definition,
    comment: action?.comment,
    types: action && actionDraftOf(action, types).types,
  };
}

function draftOf(action: Action | undefined, types: CustomTypes): ActionDraft {
  return action === undefined ? emptyActionDraft : actionDraftOf(action, types);
}

const labels: Readonly<Record<string, string>> = {
  signature: 'Action',
  types: 'Types',
  handler: 'Handler',
  timeout: 'Timeout',
  retries: 'Retries',
  retryInterval: 'Seconds between calls',
  maxCalls: 'Calls at once',
  cacheSeconds: 'Cache responses for seconds',
};

function firstProblem(errors: ActionForm['errors']): string | undefined {
  const [first] = Object.entries(errors);
  return first && `${labels[first[0]] ?? first[0]}: ${sentence(first[1])}`;
}
