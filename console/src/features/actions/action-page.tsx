/** The page of an action: the path of its requests, and its parts in tabs. Drafts stay when another tab opens. */
import { Alert, Button, Stack, Tabs, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { navigate, useLocation } from '../../router/location.ts';
import { knownNames } from '../../shared/roles/known-names.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { AlertIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import tabClasses from '../../ui/page/tabs.module.css';
import { actionDraftOf } from './action-draft.ts';
import { type ActionTab, actionPath, actionTabs, isActionTab } from './action-paths.ts';
import classes from './actions.module.css';
import { type Action, type ActionsMetadata, dropAction } from './actions-api.ts';
import { useActions } from './actions-page.tsx';
import { CodeTab } from './code/code-tab.tsx';
import { changedTabs } from './form/changed-tabs.ts';
import { DefinitionFields } from './form/definition-fields.tsx';
import { HandlerFields } from './form/handler-fields.tsx';
import { HandlerTestSection } from './form/handler-test.tsx';
import { SaveBar } from './form/save-bar.tsx';
import { useActionForm } from './form/use-action-form.ts';
import { RequestPathView } from './path/request-path-view.tsx';
import { PermissionsTab } from './permissions/permissions-tab.tsx';
import { RelationshipsTab } from './relationships/relationships-tab.tsx';
import { RunAction } from './run/run-action.tsx';
import { RunsTab } from './runs/runs-tab.tsx';
import { isAsynchronous } from './sample.ts';

const labels: Readonly<Record<ActionTab, string>> = {
  definition: 'Definition',
  handler: 'Handler',
  permissions: 'Permissions',
  relationships: 'Relationships',
  run: 'Try it',
  runs: 'Runs',
  code: 'Code',
};

const back = { to: '/actions', label: 'Actions' };

export function ActionPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { data, error, refetch } = useActions();
  const name = params.name ?? '';
  const action = data?.actions.find((one) => one.name === name);
  // Input must survive when the action is removed elsewhere.
  const [last, setLast] = useState(action);
  if (action !== undefined && action !== last) setLast(action);
  const shown = action ?? (last?.name === name ? last : undefined);
  if (data !== undefined && shown !== undefined) {
    return <ActionTabs key={name} action={shown} metadata={data} isDropped={action === undefined} />;
  }
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

interface ActionTabsProps {
  readonly action: Action;
  readonly metadata: ActionsMetadata;
  readonly isDropped: boolean;
}

function ActionTabs({ action, metadata, isDropped }: ActionTabsProps) {
  const { headerPrefix } = useClient();
  const { search } = useLocation();
  const chosen = search.get('tab');
  const tabs = actionTabs.filter((one) => one !== 'runs' || isAsynchronous(action));
  const tab = tabs.find((one) => one === chosen) ?? 'definition';
  const [visited, setVisited] = useState<ReadonlySet<ActionTab>>(new Set([tab]));
  if (!visited.has(tab)) setVisited(new Set([...visited, tab]));
  const form = useActionForm({ action, metadata });
  const changed: readonly ActionTab[] = form.form.isUnsaved
    ? changedTabs(form.form.values, actionDraftOf(action, metadata.types))
    : [];
  const { roles } = knownNames(metadata.exported, headerPrefix);
  const panels: Readonly<Record<ActionTab, () => ReactNode>> = {
    definition: () => <DefinitionFields action={form} customTypes={metadata.types} />,
    handler: () => (
      <Stack gap="xl">
        <HandlerFields action={form} customTypes={metadata.types} />
        <HandlerTestSection
          action={action}
          types={metadata.types}
          roles={roles}
          isUnsaved={changed.includes('handler')}
        />
      </Stack>
    ),
    permissions: () => <PermissionsTab action={action} metadata={metadata} roles={roles} />,
    relationships: () => <RelationshipsTab action={action} metadata={metadata} />,
    run: () => <RunAction action={action} types={metadata.types} roles={roles} />,
    // Polled while it is shown. It has no draft.
    runs: () => tab === 'runs' && <RunsTab action={action} />,
    code: () => <CodeTab action={action} metadata={metadata} />,
  };
  return (
    <>
      <PageHeader
        title={action.name}
        {...(action.comment && { about: action.comment })}
        back={back}
        actions={<DropButton name={action.name} />}
      />
      <Stack mt="md" gap="md">
        {isDropped && (
          <Alert color="yellow" variant="outline" icon={<AlertIcon />} title="The action no longer exists">
            <Text size="sm">It was dropped or renamed elsewhere. Your input is kept, but cannot be saved.</Text>
          </Alert>
        )}
        <RequestPathView action={action} metadata={metadata} tab={tab} />
        <Tabs
          value={tab}
          keepMounted={false}
          keepMountedMode="display-none"
          onChange={(next) => navigate(actionPath(action.name, isActionTab(next) ? next : 'definition'))}
        >
          <Tabs.List className={`${tabClasses.list} ${tabClasses.many}`} aria-label="Parts of the action">
            {tabs.map((one) => (
              <Tabs.Tab key={one} value={one} className={tabClasses.tab ?? ''}>
                {labels[one]}
                {changed.includes(one) && (
                  <span className={classes.unsaved} role="img" aria-label="not saved" title="Not saved" />
                )}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map((one) => (
            <Tabs.Panel key={one} value={one} pt="md" keepMounted={visited.has(one)}>
              {visited.has(one) && panels[one]()}
            </Tabs.Panel>
          ))}
        </Tabs>
        {(tab === 'definition' || tab === 'handler' || changed.length > 0) && (
          <SaveBar action={form} changed={changed.map((one) => labels[one])} />
        )}
      </Stack>
    </>
  );
}

function DropButton({ name }: { readonly name: string }) {
  const client = useClient();
  const [dropping, setDropping] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setDropping(true)}>
        Drop
      </Button>
      <ConfirmDialog
        title={dropping ? `Drop the action ${name}?` : undefined}
        about="Removes its field from the schema, and its permissions. The types remain."
        confirm="Drop the action"
        failed="The action was not dropped"
        perform={() => dropAction(client, name)}
        onClose={() => setDropping(false)}
        onDone={() => navigate('/actions', { force: true })}
      />
    </>
  );
}
