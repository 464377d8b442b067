/** The list of cron triggers, their details with runs, and the form. */
import type { ListedCronTrigger } from '@joinery/metadata/api/events/cron';
import { targetDestination } from '@joinery/metadata/schema/events/targets';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { printPretty } from '../../api/exact-json.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { linkTo, navigate } from '../../router/location.ts';
import { Attempts } from '../../shared/events/attempts.tsx';
import { explainRetries } from '../../shared/events/status.ts';
import { HeaderTable } from '../../shared/headers/header-table.tsx';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { useLast } from '../../ui/dialog/use-last.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Section } from '../../ui/page/section.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { deleteTrigger, listTriggers } from './cron-api.ts';
import { CronForm } from './cron-form.tsx';
import { NextRuns } from './next-runs.tsx';

const columns: readonly [Column<ListedCronTrigger>, ...Column<ListedCronTrigger>[]] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name },
  { key: 'schedule', header: 'Schedule', width: '11rem', cell: ({ schedule }) => <code>{schedule}</code> },
  { key: 'timezone', header: 'Time zone', width: '11rem', cell: ({ timezone }) => timezone },
  {
    key: 'webhook',
    header: 'Webhook',
    ownLine: true,
    cell: (trigger) => (
      <Text size="sm" truncate title={calledBy(trigger)}>
        {calledBy(trigger)}
      </Text>
    ),
  },
  {
    key: 'comment',
    header: 'Comment',
    ownLine: true,
    onlyWide: ({ comment }) => comment === undefined,
    cell: ({ comment }) => (
      <Text size="sm" c="dimmed" truncate>
        {comment ?? '–'}
      </Text>
    ),
  },
];

/** `view` is `all`, `new`, or `edit:<name>`. */
export function CronPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['cron', 'triggers'],
    queryFn: ({ signal }) => listTriggers(client, signal),
  });
  const view = params.view ?? 'all';
  const edited = view.startsWith('edit:') ? data?.find(({ name }) => name === view.slice('edit:'.length)) : undefined;
  if (view === 'new') return <CronForm />;
  if (edited !== undefined) return <CronForm key={edited.name} trigger={edited} />;
  return (
    <>
      <PageHeader
        title="Cron triggers"
        about="Webhooks that are called again and again, at the times of a schedule."
        actions={
          <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo('/events/cron/new')}>
            Create a trigger
          </Button>
        }
      />
      <Stack mt="lg">
        {error !== null && (
          <FailureNotice title="The triggers could not be read" failure={toFailure(error)} onRetry={refetch} />
        )}
        {data === undefined ? error === null && <Loading /> : <TriggerList triggers={data} />}
      </Stack>
    </>
  );
}

function TriggerList({ triggers }: { readonly triggers: readonly ListedCronTrigger[] }) {
  const [opened, setOpened] = useState<ListedCronTrigger>();
  const [deleting, setDeleting] = useState<ListedCronTrigger>();
  if (triggers.length === 0) {
    return (
      <EmptyState
        title="There is no cron trigger"
        action={
          <Button component="a" variant="light" mt="xs" {...linkTo('/events/cron/new')}>
            Create a trigger
          </Button>
        }
      >
        A trigger calls its webhook by a schedule such as “every night at two”, in a time zone of your choice.
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable
        label="Cron triggers"
        rows={triggers}
        columns={columns}
        keyOf={({ name }) => name}
        onOpen={setOpened}
      />
      <TriggerDetails trigger={opened} onClose={() => setOpened(undefined)} onDelete={setDeleting} />
      <DeleteDialog
        trigger={deleting}
        onClose={() => setDeleting(undefined)}
        onDeleted={() => {
          setDeleting(undefined);
          setOpened(undefined);
        }}
      />
    </>
  );
}

/** Returns the webhook, or the name of the target. */
function calledBy({ webhook = '', target }: ListedCronTrigger): string {
  return target === undefined ? webhook : targetDestination(target);
}

interface TriggerDetailsProps {
  readonly trigger: ListedCronTrigger | undefined;
  readonly onClose: () => void;
  readonly onDelete: (trigger: ListedCronTrigger) => void;
}

function TriggerDetails({ trigger, onClose, onDelete }: TriggerDetailsProps) {
  return (
    <DetailDrawer subject={trigger} title="Cron trigger" size="details" onClose={onClose}>
      {(shown) => (
        <>
          <DescriptionList
            facts={[
              ['Name', shown.name],
              ['Schedule', <code key="schedule">{shown.schedule}</code>],
              ['Time zone', shown.timezone],
              [shown.target ? 'Target' : 'Webhook', calledBy(shown)],
              ['Comment', shown.comment],
              ['Retries', explainRetries(shown)],
              ['Missed runs', shown.catch_up ? 'Run later, within the tolerance' : 'Left out'],
              ['In the metadata', shown.include_in_metadata ? 'Yes' : 'No: it stays when the metadata is replaced'],
            ]}
          />
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              onClick={() => navigate(`/events/cron/edit:${encodeURIComponent(shown.name)}`)}
            >
              Edit
            </Button>
            <Button size="xs" variant="default" onClick={() => onDelete(shown)}>
              Delete
            </Button>
          </Group>
          <Section title="Next runs">
            <NextRuns schedule={shown.schedule} timezone={shown.timezone} />
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
    <Modal opened={trigger !== undefined} onClose={onClose} title="Delete this trigger?" centered zIndex={300}>
      <Stack gap="md">
        <Text size="sm">
          <strong>{shown?.name}</strong> stops, and its planned runs are removed. The history remains.
        </Text>
        {failure !== undefined && <FailureNotice title="The trigger was not deleted" failure={failure} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={isPending} onClick={() => shown !== undefined && run(shown.name)}>
            Delete the trigger
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
