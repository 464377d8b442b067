/** The page of an event trigger: state, figures, definition and calls. */
import { Alert, Button, Group, Menu, Stack, Tabs, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { toFailure } from '../../../api/failure.ts';
import { useCommand } from '../../../api/use-command.ts';
import { linkTo, navigate, useLocation } from '../../../router/location.ts';
import { tableLabel, tablePath } from '../../../shared/sources/table-paths.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { sentence } from '../../../ui/format.ts';
import { AlertIcon } from '../../../ui/page/icons.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import classes from '../../../ui/page/tabs.module.css';
import {
  calledKind,
  editPath,
  newPath,
  pendingText,
  stateOf,
  type TriggerTab,
  triggerEventsPath,
  triggerPath,
  triggersPath,
  triggerTabs,
} from '../trigger-state.ts';
import { deleteTrigger, setPaused, type TriggerName, type TriggerStats } from '../triggers-api.ts';
import { type DefinedTrigger, triggerQueries, useDefinition, useTriggers } from '../use-triggers.ts';
import { CallLog } from './call-log.tsx';
import { InvokeDialog } from './invoke-dialog.tsx';
import { TriggerDefinition } from './trigger-definition.tsx';
import { TriggerFacts } from './trigger-facts.tsx';

const labels: Readonly<Record<TriggerTab, string>> = { definition: 'Definition', calls: 'Calls' };

/** The statuses of the former tabs of events, which are views of the list of all events now. */
const formerTabs: Readonly<Record<string, string | undefined>> = {
  pending: 'scheduled,locked',
  delivered: 'delivered',
  failed: 'error',
  dead: 'dead',
  all: undefined,
};

function isTab(text: string | undefined): text is TriggerTab {
  return triggerTabs.some((one) => one === text);
}

export function TriggerPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const trigger = { source: params.source ?? '', name: params.name ?? '' };
  const { data, error, refetch } = useTriggers();
  const definition = useDefinition(trigger);
  const stats = data?.value.find((one) => one.source === trigger.source && one.name === trigger.name);
  const problem = error ?? definition.error;
  useFormerTab(trigger, params.tab ?? '');
  const isLoaded = data !== undefined && definition.isLoaded;
  return (
    <>
      {problem !== null && (
        <FailureNotice
          title="The trigger could not be read"
          failure={toFailure(problem)}
          onRetry={() => {
            void refetch();
            void definition.refetch();
          }}
        />
      )}
      {!isLoaded && problem === null && <Loading />}
      {isLoaded && (stats === undefined || definition.found === undefined) && (
        <>
          <PageHeader title={trigger.name} back={{ to: triggersPath, label: 'Event triggers' }} />
          <EmptyState title={`There is no event trigger “${trigger.name}” in ${trigger.source}`}>
            It may have been deleted.
          </EmptyState>
        </>
      )}
      {stats !== undefined && definition.found !== undefined && (
        <Trigger
          key={JSON.stringify(trigger)}
          stats={stats}
          defined={definition.found}
          tab={isTab(params.tab) ? params.tab : 'definition'}
        />
      )}
    </>
  );
}

/** Opens the list of events in place of a former tab, with the event of its drawer. */
function useFormerTab({ source, name }: TriggerName, tab: string): void {
  const { search } = useLocation();
  const event = search.get('event');
  const isFormer = Object.hasOwn(formerTabs, tab);
  useEffect(() => {
    if (!isFormer) return;
    const drawer = event === null ? {} : { event, in: source };
    navigate(triggerEventsPath({ source, name }, { status: formerTabs[tab], ...drawer }), { replace: true });
  }, [isFormer, source, name, tab, event]);
}

interface TriggerProps {
  readonly stats: TriggerStats;
  readonly defined: DefinedTrigger;
  readonly tab: TriggerTab;
}

function Trigger({ stats, defined, tab }: TriggerProps) {
  const queries = useQueryClient();
  const about = `Calls its ${calledKind(defined.trigger)} for changes of ${tableLabel(stats.table)} in ${stats.source}.`;
  return (
    <>
      <PageHeader
        title={stats.name}
        about={about}
        back={{ to: triggersPath, label: 'Event triggers' }}
        actions={<TriggerActions stats={stats} defined={defined} />}
      />
      <Stack mt="lg" gap="md">
        <StateNotice stats={stats} />
        <TriggerFacts stats={stats} trigger={defined.trigger} />
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(chosen) => {
            void queries.invalidateQueries({ queryKey: ['triggers'] });
            if (isTab(chosen ?? undefined)) navigate(triggerPath(stats, chosen === 'calls' ? 'calls' : 'definition'));
          }}
        >
          <Tabs.List className={classes.list} aria-label="About the trigger">
            {triggerTabs.map((one) => (
              <Tabs.Tab key={one} value={one} className={classes.tab ?? ''}>
                {labels[one]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} pt="md">
            {tab === 'calls' && (stats.consistent ? <CallLog trigger={stats} /> : <Unread />)}
            {tab === 'definition' && <TriggerDefinition defined={defined} />}
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </>
  );
}

/** The service reads the events of consistent triggers only. */
function Unread() {
  return (
    <EmptyState title="The events cannot be read now">
      They stay in the database, and are listed and delivered again when the trigger is consistent.
    </EmptyState>
  );
}

/** What prevents delivery, with the action that follows. */
function StateNotice({ stats }: { readonly stats: TriggerStats }) {
  const { label, about } = stateOf(stats);
  const { run, isPending } = usePause(stats, false);
  if (about === undefined) return null;
  return (
    <Alert
      color={label === 'Paused' ? 'blue' : 'red'}
      variant="outline"
      icon={<AlertIcon />}
      title={`This trigger is ${label.toLowerCase()}`}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentence(about)}</Text>
        {label === 'Paused' && (
          <Button size="xs" variant="default" loading={isPending} onClick={() => run()}>
            Resume
          </Button>
        )}
        {label === 'Inconsistent' && (
          <Button size="xs" variant="default" component="a" {...linkTo(editPath(stats))}>
            Edit the trigger
          </Button>
        )}
        {label === 'Outdated' && (
          <Button
            size="xs"
            variant="default"
            component="a"
            {...linkTo(tablePath(stats.source, stats.table, 'structure'))}
          >
            Open the table
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function usePause(trigger: TriggerName, isPaused: boolean) {
  return useCommand((client) => setPaused(client, trigger, isPaused), {
    notice: () =>
      isPaused
        ? { title: 'Trigger paused', text: 'Events are stored, and delivered when it is resumed.' }
        : { title: 'Trigger resumed', text: 'Stored events are delivered now.' },
    changes: triggerQueries,
  });
}

interface TriggerActionsProps {
  readonly stats: TriggerStats;
  readonly defined: DefinedTrigger;
}

function TriggerActions({ stats, defined }: TriggerActionsProps) {
  const client = useClient();
  const pause = usePause(stats, !stats.paused);
  const [deleting, setDeleting] = useState(false);
  const [invoking, setInvoking] = useState(false);
  const [payload, setPayload] = useState('{}');
  const isManual = defined.trigger.definition.enable_manual === true;
  return (
    <>
      <Group gap="xs">
        <Button component="a" {...linkTo(triggerEventsPath(stats))}>
          Events
        </Button>
        <Button component="a" variant="default" {...linkTo(editPath(stats))}>
          Edit
        </Button>
        <Button variant="default" loading={pause.isPending} onClick={() => pause.run()}>
          {stats.paused ? 'Resume' : 'Pause'}
        </Button>
        {isManual && (
          <Button variant="default" onClick={() => setInvoking(true)}>
            Invoke
          </Button>
        )}
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default">More</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item component="a" {...linkTo(triggerEventsPath(stats, { status: 'error,dead' }))}>
              Show failed events
            </Menu.Item>
            <Menu.Item component="a" {...linkTo(newPath({ source: stats.source, copy: stats.name }))}>
              Duplicate
            </Menu.Item>
            <Menu.Item c="red" onClick={() => setDeleting(true)}>
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {pause.failure !== undefined && (
        <FailureNotice title={`The trigger was not ${stats.paused ? 'resumed' : 'paused'}`} failure={pause.failure} />
      )}
      <InvokeDialog
        trigger={stats}
        opened={invoking}
        payload={payload}
        onChange={setPayload}
        onClose={() => setInvoking(false)}
      />
      <ConfirmDialog
        title={deleting ? `Delete ${stats.name}?` : undefined}
        about={`The trigger is removed from the metadata, and its functions and triggers from ${tableLabel(stats.table)}. All its events are removed with their log, also the ${pendingText(stats)} pending ones, which are not delivered. The rows of the table do not change.`}
        confirm="Delete the trigger and its events"
        failed="The trigger was not deleted"
        perform={() => deleteTrigger(client, stats)}
        onClose={() => setDeleting(false)}
        onDone={() => {
          notify({ title: 'Trigger deleted' });
          navigate(triggersPath);
        }}
      />
    </>
  );
}
