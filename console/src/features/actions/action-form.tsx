/** Form of an action: signature and types as SDL, handler and options. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import { NativeSelect, Paper, Stack } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { printPretty } from '../../api/exact-json.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import { TransformTester } from '../../shared/transforms/test-transform.tsx';
import { readRequest, readResponse } from '../../shared/transforms/transform-draft.ts';
import { RequestFields, ResponseFields, type TemplateExamples } from '../../shared/transforms/transform-fields.tsx';
import { SdlField } from '../../ui/editor/sdl-field.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import {
  type ActionDraft,
  actionDraftOf,
  actionErrors,
  definitionFrom,
  emptyActionDraft,
  isAdvanced,
} from './action-draft.ts';
import type { Action, ActionsMetadata, CustomTypes } from './actions-api.ts';
import { useActions } from './actions-page.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { sampleCall } from './sample.ts';
import { DeriveFromOperation } from './sdl/derive-from-operation.tsx';
import { mergeTypes, type ReadAction, type ReadTypes, readActionSdl, readTypesSdl } from './sdl/sdl.ts';
import { useSdlLanguages } from './sdl/use-sdl.ts';

const examples: TemplateExamples = { id: '$body.input.id', header: ['X-Action', '{{$body.action.name}}'] };

export function NewActionPage() {
  return <FormPage title="Create an action" name={undefined} />;
}

export function EditActionPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  return <FormPage title="Edit an action" name={params.name ?? ''} />;
}

function FormPage({ title, name }: { readonly title: string; readonly name: string | undefined }) {
  const { data, error, refetch } = useActions();
  // Input must survive when the action is removed elsewhere.
  const [found, setFound] = useState(false);
  if (!found && data?.actions.some((one) => one.name === name) === true) setFound(true);
  const back = name === undefined ? '/actions' : `/actions/of/${name}`;
  return (
    <>
      <PageHeader title={title} back={{ to: back, label: name ?? 'Actions' }} />
      {error !== null && (
        <FailureNotice title="The actions could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && name !== undefined && !found && (
        <EmptyState title={`There is no action “${name}”`}>It may have been dropped or renamed.</EmptyState>
      )}
      {data !== undefined && (name === undefined || found) && <ActionForm name={name} metadata={data} back={back} />}
    </>
  );
}

interface ActionFormProps {
  /** Name of the action. Undefined for a new one. */
  readonly name: string | undefined;
  /** The current metadata. */
  readonly metadata: ActionsMetadata;
  readonly back: string;
}

function ActionForm({ name, metadata, back }: ActionFormProps) {
  const { actions, types, version } = metadata;
  const { basis, newer } = useEditConflict(shownOf(actions, name, types), version);
  const { action } = basis.shown;
  const client = useClient();
  const [initial] = useState(() => (action === undefined ? emptyActionDraft : actionDraftOf(action, types)));
  const form = useDraftForm({
    initial,
    validate: (typed) => actionErrors(typed, action?.name),
    immediate: true,
  });
  const draft = form.values;
  // The editors show their errors from the start.
  const errors = actionErrors(draft, action?.name);
  const languages = useSdlLanguages(draft.types, types);
  const readAction = readActionSdl(draft.signature);
  const readTypes = readTypesSdl(draft.types);
  const command = useCommand((client, { bulk, basedOn }: Change) => client.command('bulk', bulk, { basedOn }), {
    notice: () => ({ title: action === undefined ? 'Action created' : 'Action changed' }),
    onDone: () => {
      if (!('problem' in readAction)) navigate(`/actions/of/${readAction.name}`);
    },
  });
  const saveOn = ({ shown: { action: before }, version: basedOn }: Reading<Shown>) =>
    form.onSubmit((typed) => {
      const read = readActionSdl(typed.signature);
      const written = readTypesSdl(typed.types);
      if ('problem' in read || 'problem' in written) return;
      const comment = typed.comment.trim() === '' ? read.comment : typed.comment.trim();
      const definition = definitionFrom(typed, read, before?.definition);
      // Sets the types first, and both or none.
      const bulk: Change['bulk'] = [
        { type: 'set_custom_types', args: mergeTypes(types, written) },
        {
          type: before === undefined ? 'create_action' : 'update_action',
          args: { name: read.name, definition, ...(comment !== undefined && { comment }) },
        },
      ];
      command.run({ bulk, basedOn });
    });
  const isQuery = !('problem' in readAction) && readAction.type === 'query';
  return (
    <form onSubmit={saveOn(basis)} noValidate>
      <Paper withBorder p={{ base: 'md', xs: 'lg' }} mt="lg" maw={820} bg="var(--joinery-surface)">
        <Stack gap="lg">
          {action === undefined && (
            <Disclosure title="Start from an operation" hint="instead of an empty page">
              <DeriveFromOperation onDerived={form.change} />
            </Disclosure>
          )}
          <SdlField
            label="Action"
            about="One field of type Query or Mutation."
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
          <TextField
            label="Handler"
            description="An http or https URL; may contain {{NAME}} for a variable of the service's environment."
            placeholder="{{HANDLERS_URL}}/place-order"
            required
            {...form.getInputProps('handler')}
          />
          <NativeSelect
            label="Kind"
            description={isQuery ? 'Queries are always waited for.' : undefined}
            value={isQuery ? 'synchronous' : draft.kind}
            disabled={isQuery}
            data={[
              { value: 'synchronous', label: 'Synchronous: the caller waits for the response' },
              { value: 'asynchronous', label: 'Asynchronous: the caller gets an ID, and queries the result later' },
            ]}
            onChange={(event) => form.change({ kind: event.currentTarget.value as ActionDraft['kind'] })}
          />
          <TextField label="Comment" {...form.getInputProps('comment')} />
          <Disclosure title="Advanced" hint="headers, timeout, retries, cache" initiallyOpened={isAdvanced(initial)}>
            <AdvancedFields form={form} isQuery={isQuery} />
          </Disclosure>
          <Disclosure
            title="Transforms"
            hint="changes the request and the response"
            initiallyOpened={initial.transformsRequest || initial.transformsResponse}
          >
            <Stack gap="lg">
              <RequestFields
                enabled={draft.transformsRequest}
                examples={examples}
                draft={draft.request}
                onToggle={(transformsRequest) => form.change({ transformsRequest })}
                onChange={(request) => form.change({ request })}
              />
              <ResponseFields
                enabled={draft.transformsResponse}
                examples={examples}
                withErrors
                draft={draft.response}
                onToggle={(transformsResponse) => form.change({ transformsResponse })}
                onChange={(response) => form.change({ response })}
              />
              {(draft.transformsRequest || draft.transformsResponse) && (
                <TransformTester
                  webhook={{ url: draft.handler, name: 'handler' }}
                  headers={[]}
                  request={draft.transformsRequest ? readRequest(draft.request) : undefined}
                  response={draft.transformsResponse ? readResponse(draft.response) : undefined}
                  sample={sampleText(readAction, readTypes, draft, types, client.headerPrefix)}
                />
              )}
            </Stack>
          </Disclosure>
          <FormActions
            submit={action === undefined ? 'Create the action' : 'Save the action'}
            command={command}
            disabled={!form.isValid()}
            failed="The action was not saved"
            onSaveOver={newer && saveOn(newer)}
            onBack={() => navigate(back)}
          />
        </Stack>
      </Paper>
    </form>
  );
}

/** The edited values: the action, and its types as SDL. */
interface Shown {
  readonly action: Action | undefined;
  readonly types: string | undefined;
}

function shownOf(actions: readonly Action[], name: string | undefined, types: CustomTypes): Shown {
  const action = actions.find((one) => one.name === name);
  return { action, types: action && actionDraftOf(action, types).types };
}

interface Change {
  readonly bulk: CommandArguments['bulk'];
  /** Resource version of the metadata. */
  readonly basedOn: number | undefined;
}

/** Returns a sample request of the draft, as far as it can be parsed. */
function sampleText(
  read: ReadAction | { readonly problem: string },
  readTypes: ReadTypes | { readonly problem: string },
  draft: ActionDraft,
  types: CustomTypes,
  prefix: string,
): string {
  if ('problem' in read || 'problem' in readTypes) return '{}';
  const action = { name: read.name, definition: { ...read, kind: draft.kind, handler: draft.handler } } as Action;
  return printPretty(sampleCall(action, mergeTypes(types, readTypes) as CustomTypes, prefix));
}
