/** The details of a cron trigger with its runs: run now, pause, resume, edit, delete. */
import type { CronTriggerStats, ListedCronTrigger } from '@joinery/metadata/api/events/cron';
import { targetDestination } from '@joinery/metadata/schema/events/targets';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { printPretty } from '../../api/exact-json.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import { Attempts } from '../../shared/events/attempts.tsx';
import { explainRetries } from '../../shared/events/status.ts';
import { HeaderTable } from '../../shared/headers/header-table.tsx';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { useLast } from '../../ui/dialog/use-last.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { Section } from '../../ui/page/section.tsx';
import { deleteTrigger, runTrigger, setPaused } from './cron-api.ts';
import { NextRuns } from './next-runs.tsx';
import { RunTable } from './runs.tsx';
import { scheduleSentence } from './schedule-text.ts';

/** Returns the webhook as configured, or the name of the target. */
export function calledBy({ webhook, target }: ListedCronTrigger): string {
  return target === undefined ? (webhook ?? '') : targetDestination(target);
}

/** The command that creates a run that is due now. */
export function useRunNow() {
  return useCommand((client, name: string) => runTrigger(client, name), {
    notice: (_event, name) => ({ title: 'Run queued', text: `${name} is called now. Its result follows in the list.` }),
    changes: [['cron', 'runs'], ['events']],
  });
}

interface TriggerDetailsProps {
  readonly trigger: ListedCronTrigger | undefined;
  readonly stats: CronTriggerStats | undefined;
  readonly onClose: () => void;
}

export function TriggerDetails({ trigger, stats, onClose }: TriggerDetailsProps) {
  const [deleting, setDeleting] = useState<ListedCronTrigger>();
  return (
    <>
      <DetailDrawer subject={trigger} title="Cron trigger" size="details" onClose={onClose}>
        {(shown) => (
          <>
            <DescriptionList
              facts={[
                ['Name', shown.name],
                ['State', <State key="state" paused={shown.paused === true} />],
                ['Schedule', <code key="schedule">{shown.schedule}</code>],
                ['Reads', scheduleSentence(shown.schedule, shown.timezone)],
                ['Time zone', shown.timezone],
                [shown.target ? 'Target' : 'Webhook', calledBy(shown)],
                ['Comment', shown.comment],
                ['Retries', explainRetries(shown)],
                ['Missed runs', shown.catch_up ? 'Run later, within the tolerance' : 'Left out'],
                ['In the metadata', shown.include_in_metadata ? 'Yes' : 'No: it stays when the metadata is replaced'],
              ]}
            />
            <Actions trigger={shown} onDelete={() => setDeleting(shown)} />
            <Section title="Latest runs">
              <RunTable runs={stats?.runs ?? []} />
            </Section>
            <Section title="Next runs">
              {shown.paused === true ? (
                <Text size="sm" c="dimmed">
                  None while the trigger is paused.
                </Text>
              ) : (
                <NextRuns schedule={shown.schedule} timezone={shown.timezone} />
              )}
            </Section>
            <Section title="Latest calls">
              <Attempts of={{ trigger: shown.name }} />
            </Section>
            <Section title="Payload">
              <JsonView what="payload" text={printPretty(shown.payload)} />
            </Section>
            <Section title="Headers">
              <HeaderTable headers={shown.headers} />
            </Section>
          </>
        )}
      </DetailDrawer>
      <DeleteDialog
        trigger={deleting}
        onClose={() => setDeleting(undefined)}
        onDeleted={() => {
          setDeleting(undefined);
          onClose();
        }}
      />
    </>
  );
}

function State({ paused }: { readonly paused: boolean }) {
  return paused ? <StatusDot tone="waiting">Paused</StatusDot> : <StatusDot tone="good">Active</StatusDot>;
}

interface ActionsProps {
  readonly trigger: ListedCronTrigger;
  readonly onDelete: () => void;
}

function Actions({ trigger, onDelete }: ActionsProps) {
  const isPaused = trigger.paused === true;
  const runNow = useRunNow();
  const pause = useCommand((client, paused: boolean) => setPaused(client, trigger.name, paused), {
    notice: (_result, paused) =>
      paused
        ? { title: 'Trigger paused', text: 'Its future runs were removed. A run that is due is still called.' }
        : { title: 'Trigger resumed', text: 'Its next runs are planned. Runs during the pause are skipped.' },
    changes: [['cron'], ['metadata']],
  });
  const failure = runNow.failure ?? pause.failure;
  return (
    <Stack gap="sm">
      {failure !== undefined && (
        <FailureNotice
          title={runNow.failure === undefined ? 'Nothing was changed' : 'The trigger was not run'}
          failure={failure}
        />
      )}
      <Group gap="xs">
        <Button size="xs" loading={runNow.isPending} onClick={() => runNow.run(trigger.name)}>
          Run now
        </Button>
        <Button size="xs" variant="default" loading={pause.isPending} onClick={() => pause.run(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => navigate(`/events/cron/edit:${encodeURIComponent(trigger.name)}`)}
        >
          Edit
        </Button>
        <Button size="xs" variant="default" onClick={onDelete}>
          Delete
        </Button>
      </Group>
    </Stack>
  );
}

interface DeleteDialogProps {
  readonly trigger: ListedCronTrigger | undefined;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteDialog({ trigger, onClose, onDeleted }: DeleteDialogProps) {
  const shown = useLast(trigger);
  const { run, failure, isPending } = useCommand((client, name: string) => deleteTrigger(client, name), {
    notice: (_result, name) => ({ title: 'Trigger deleted', text: `${name} makes no more runs.` }),
    onDone: onDeleted,
    changes: [['cron']],
  });
  return (
    <Dialog opened={trigger !== undefined} onClose={onClose} title="Delete this trigger?">
      <Stack gap="md">
        <Text size="sm">
          <strong>{shown?.name}</strong> stops, and its planned runs are removed. The history remains.
        </Text>
        {failure !== undefined && <FailureNotice title="The trigger was not deleted" failure={failure} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={isPending} onClick={() => shown !== undefined && run(shown.name)}>
            Delete the trigger
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
