/** The drawer of the run that the query string names: its state, its timeline, and the calls of the handler. */
import type { ActionRun, LoggedActionRun } from '@joinery/metadata/api/action-runs';
import { Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import { toFailure } from '../../../api/failure.ts';
import { timed } from '../../../api/polling.ts';
import { updateSearch, useLocation } from '../../../router/location.ts';
import { AttemptList } from '../../../shared/events/attempts.tsx';
import { followingInterval } from '../../../shared/events/following.ts';
import { Timeline } from '../../../shared/events/timeline.tsx';
import { useOpenedAttempt } from '../../../shared/events/use-opened-attempt.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { sentence } from '../../../ui/format.ts';
import { CopyButton } from '../../../ui/page/copy-button.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { loggedActionCall, shownRunStatus } from './action-run.ts';

const states = { created: 'waiting', processing: 'locked', completed: 'finished', error: 'finished' } as const;

export function RunDrawer() {
  const { search } = useLocation();
  return (
    <DetailDrawer
      subject={search.get('run') ?? undefined}
      title="Run"
      size="details"
      onClose={() => updateSearch({ run: undefined, attempt: undefined })}
    >
      {(id) => <RunOfId key={id} id={id} />}
    </DetailDrawer>
  );
}

function RunOfId({ id }: { readonly id: string }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['action-run', id],
    queryFn: ({ signal }) => timed(client.command('get_action_run', { id }, { signal })),
    refetchInterval: followingInterval(nextCallOf),
  });
  if (error !== null && data === undefined) {
    return <FailureNotice title="The run could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  return data === undefined ? <Loading /> : <Details run={data.value} />;
}

/** Returns the time of the next call, or of the call that is made. Undefined for a run that has ended. */
function nextCallOf({ status, next_call_at: next, created_at: created }: ActionRun): number | undefined {
  return status === 'created' || status === 'processing' ? Date.parse(next ?? created) : undefined;
}

function Details({ run }: { readonly run: LoggedActionRun }) {
  const { id, status, created_at: created, finished_at: finished, next_call_at: next, tries } = run;
  const calls = run.calls.map(loggedActionCall).reverse();
  const attempts = useOpenedAttempt(calls, undefined);
  const { label, tone } = shownRunStatus(run);
  return (
    <>
      <Group gap={4} mb={-16}>
        <CopyButton text={window.location.href} what="link to this run" />
      </Group>
      <DescriptionList
        facts={[
          [
            'Status',
            <div key="status" aria-live="polite">
              <StatusDot tone={tone}>{label}</StatusDot>
            </div>,
          ],
          ['Error', run.error === null ? undefined : sentence(run.error)],
          ['Started', <Timestamp key="created" at={created} withDistance />],
          ['Ended', finished === null ? undefined : <Timestamp key="ended" at={finished} withDistance />],
          ['Next call', next === null ? undefined : <Timestamp key="next" at={next} withDistance />],
          [
            'Id',
            <Group key="id" gap={4} wrap="nowrap">
              <Code>{id}</Code>
              <CopyButton text={id} what="id" />
            </Group>,
          ],
        ]}
      />
      <Section title="Timeline">
        <Timeline
          event={{
            time: Date.parse(created),
            next: next === null ? undefined : Date.parse(next),
            state: states[status],
            calls,
          }}
        />
      </Section>
      <Section title="Attempts">
        <AttemptList calls={calls} {...attempts} />
        {tries > calls.length && (
          <Text size="sm" c="dimmed" mt="xs">
            The log has the last {calls.length} of {tries} attempts.
          </Text>
        )}
      </Section>
    </>
  );
}
