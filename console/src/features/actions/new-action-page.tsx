/** Creates an action on one screen: signature, types, handler and kind. Everything else is on the page of the action. */
import { Paper, Stack } from '@mantine/core';
import { toFailure } from '../../api/failure.ts';
import { navigate } from '../../router/location.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { actionPath } from './action-paths.ts';
import type { ActionsMetadata } from './actions-api.ts';
import { useActions } from './actions-page.tsx';
import { KindField, SdlFields } from './form/definition-fields.tsx';
import { HandlerField } from './form/handler-fields.tsx';
import { useActionForm } from './form/use-action-form.ts';
import { DeriveFromOperation } from './sdl/derive-from-operation.tsx';

export function NewActionPage() {
  const { data, error, refetch } = useActions();
  return (
    <>
      <PageHeader
        title="Create an action"
        about="Headers, transforms, permissions and relationships follow on the page of the action."
        back={{ to: '/actions', label: 'Actions' }}
      />
      {error !== null && (
        <FailureNotice title="The actions could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data === undefined ? error === null && <Loading /> : <NewAction metadata={data} />}
    </>
  );
}

function NewAction({ metadata }: { readonly metadata: ActionsMetadata }) {
  const action = useActionForm({
    action: undefined,
    metadata,
    onSaved: (name) => navigate(actionPath(name, 'relationships')),
  });
  const { form, command, problem, save } = action;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Paper withBorder p={{ base: 'md', xs: 'lg' }} mt="lg" maw={820} bg="var(--joinery-surface)">
        <Stack gap="lg">
          <Disclosure title="Start from an operation" hint="instead of an empty page">
            <DeriveFromOperation onDerived={form.change} />
          </Disclosure>
          <SdlFields action={action} customTypes={metadata.types} />
          <HandlerField form={form} />
          <KindField action={action} />
          <FormActions
            submit="Create the action"
            command={command}
            reason={problem}
            failed="The action was not saved"
            onBack={() => navigate('/actions')}
          />
        </Stack>
      </Paper>
    </form>
  );
}
