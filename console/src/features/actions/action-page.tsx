/** The page of an action: definition, relationships, permissions, test run and handler code. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { linkTo, navigate } from '../../router/location.ts';
import { HeaderTable } from '../../shared/headers/header-table.tsx';
import { knownNames } from '../../shared/roles/known-names.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { counted } from '../../ui/format.ts';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Section } from '../../ui/page/section.tsx';
import classes from './actions.module.css';
import { type Action, type ActionDefinition, type ActionsMetadata, dropAction } from './actions-api.ts';
import { useActions } from './actions-page.tsx';
import { HandlerCode } from './handler-code.tsx';
import { Permissions } from './permissions.tsx';
import { type EditedRelationship, RelationshipDrawer } from './relationship-form.tsx';
import { RunAction } from './run/run-action.tsx';
import { outputTypes, signatureOf } from './sdl/action-types.ts';
import { TypeRelationships } from './type-relationships.tsx';

export function ActionPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { data, error, refetch } = useActions();
  const name = params.name ?? '';
  const action = data?.actions.find((one) => one.name === name);
  if (data !== undefined && action !== undefined) return <Details action={action} metadata={data} />;
  return (
    <>
      <PageHeader title={name} back={back} />
      {error !== null && (
        <FailureNotice title="The action could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <EmptyState title={`There is no action “${name}”`}>It may have been dropped or renamed.</EmptyState>
      )}
    </>
  );
}

const back = { to: '/actions', label: 'Actions' };

function Details({ action, metadata }: { readonly action: Action; readonly metadata: ActionsMetadata }) {
  const client = useClient();
  const [edited, setEdited] = useState<EditedRelationship>();
  const [dropping, setDropping] = useState(false);
  const { definition } = action;
  const { roles } = knownNames(metadata.exported, client.headerPrefix);
  return (
    <>
      <PageHeader
        title={action.name}
        {...(action.comment && { about: action.comment })}
        back={back}
        actions={
          <Group gap="xs">
            <Button variant="default" component="a" {...linkTo(`/actions/edit/${action.name}`)}>
              Edit
            </Button>
            <Button variant="default" onClick={() => setDropping(true)}>
              Drop
            </Button>
          </Group>
        }
      />
      <Stack mt="lg" gap="xl">
        <DescriptionList
          facts={[
            [
              'Signature',
              <span key="signature" className={classes.sdl}>
                {signatureOf(action)}
              </span>,
            ],
            ['Type', `${definition.kind ?? 'synchronous'} ${definition.type ?? 'mutation'}`],
            ['Handler', definition.handler],
            ['Calls', callsOf(definition)],
            [
              'Headers',
              definition.headers === undefined || definition.headers.length === 0 ? undefined : (
                <HeaderTable key="headers" headers={definition.headers} />
              ),
            ],
          ]}
        />
        <Section title="Relationships">
          <Stack gap="md">
            {outputTypes(action, metadata.types).map((type) => (
              <TypeRelationships
                key={type.name}
                type={type}
                exported={metadata.exported}
                version={metadata.version}
                onEdit={setEdited}
              />
            ))}
            {outputTypes(action, metadata.types).length === 0 && (
              <Text size="sm" c="dimmed">
                The output is not an object, and only fields of objects can be joined.
              </Text>
            )}
          </Stack>
        </Section>
        <Permissions action={action} roles={roles} />
        <RunAction action={action} types={metadata.types} roles={roles} />
        <HandlerCode action={action} metadata={metadata} />
        <RelationshipDrawer edited={edited} metadata={metadata} onClose={() => setEdited(undefined)} />
        <ConfirmDialog
          title={dropping ? `Drop the action ${action.name}?` : undefined}
          about="Removes its field from the schema, and its permissions. The types remain."
          confirm="Drop the action"
          failed="The action was not dropped"
          perform={() => dropAction(client, action.name)}
          onClose={() => setDropping(false)}
          onDone={() => navigate('/actions')}
        />
      </Stack>
    </>
  );
}

/** Describes options of the handler that differ from the defaults. */
function callsOf(definition: ActionDefinition): string | undefined {
  const { forward_client_headers, timeout, retry_conf, max_concurrent_calls, cache } = definition;
  const parts = [
    timeout !== undefined && timeout !== 30 && `within ${counted(timeout, 'second')}`,
    forward_client_headers === true && "with the client's headers",
    definition.request_transform && 'request transformed',
    definition.response_transform && 'response transformed',
    retry_conf?.num_retries && counted(retry_conf.num_retries, 'retry').replace('retrys', 'retries'),
    max_concurrent_calls !== undefined && `${max_concurrent_calls} at once`,
    cache && `responses cached for ${counted(cache.ttl_seconds, 'second')}`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? undefined : parts.join(', ');
}
