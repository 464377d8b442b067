/** Form of a cron trigger. */
import type { ListedCronTrigger } from '@joinery/metadata/api/events/cron';
import { Button, Checkbox, Chip, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useInitialVersion } from '../../api/metadata.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import { AdvancedFields } from '../../shared/event-form/advanced-fields.tsx';
import { CallField } from '../../shared/event-form/call-field.tsx';
import classes from '../../shared/event-form/event-form.module.css';
import { PayloadField } from '../../shared/event-form/payload-field.tsx';
import { useRequestForm } from '../../shared/event-form/use-request-form.ts';
import { zones } from '../../shared/event-form/zoned-time.ts';
import { RequestPreview } from '../../shared/request-preview/request-preview.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { saveTrigger } from './cron-api.ts';
import {
  type CronDraft,
  type CronField,
  cronDraftOf,
  cronFieldAt,
  emptyCronDraft,
  readCronDraft,
} from './cron-draft.ts';
import { NextRuns } from './next-runs.tsx';
import { presets, scheduleSentence } from './schedule-text.ts';

/** `trigger` is undefined for a new one. */
export function CronForm({ trigger }: { readonly trigger?: ListedCronTrigger }) {
  const opened = useInitialVersion();
  const form = useRequestForm<CronDraft, CronField>({
    initial: trigger === undefined ? emptyCronDraft() : cronDraftOf(trigger),
    read: (typed) => readCronDraft(typed, trigger !== undefined),
    fieldAt: cronFieldAt,
    initiallyAdvanced: false,
  });
  const { draft, failure, change, errorOf } = form;
  const command = useCommand(
    (client, args: string) => saveTrigger(client, args, trigger === undefined ? undefined : opened),
    {
      notice: () => ({ title: trigger === undefined ? 'Trigger created' : 'Trigger changed' }),
      onDone: () => navigate('/events/cron/all'),
      onFailure: form.reject,
      changes: [['cron']],
    },
  );
  const inner = (part: Partial<CronDraft['call']>, field: CronField): void =>
    change({ call: { ...draft.call, ...part } }, field);
  return (
    <>
      <PageHeader
        title={trigger === undefined ? 'Create a cron trigger' : 'Edit a cron trigger'}
        about="The webhook or another target is called at each time of the schedule."
        back={{ to: '/events/cron/all', label: 'Cron triggers' }}
      />
      <div className={classes.columns}>
        <form onSubmit={form.submit((args) => command.run(args))} noValidate>
          <Paper withBorder p={{ base: 'md', xs: 'lg' }} bg="var(--joinery-surface)">
            <Stack gap="lg">
              {failure !== undefined && <FailureNotice title="The trigger was not saved" failure={failure} />}
              <TextInput
                label="Name"
                required
                autoComplete="off"
                disabled={trigger !== undefined}
                value={draft.name}
                onChange={(event) => change({ name: event.currentTarget.value }, 'name')}
                error={errorOf('name')}
              />
              <CallField draft={draft.call} onChange={inner} errorOf={errorOf} />
              <Stack gap="xs">
                <div className={classes.times}>
                  <TextInput
                    label="Schedule"
                    placeholder="0 2 * * *"
                    required
                    autoComplete="off"
                    spellCheck={false}
                    value={draft.schedule}
                    onChange={(event) => change({ schedule: event.currentTarget.value }, 'schedule')}
                    error={errorOf('schedule')}
                  />
                  <Select
                    label="Time zone"
                    searchable
                    allowDeselect={false}
                    data={zones}
                    limit={50}
                    value={draft.timezone}
                    onChange={(timezone) => timezone !== null && change({ timezone }, 'timezone')}
                    nothingFoundMessage="No such time zone"
                    error={errorOf('timezone')}
                  />
                </div>
                <Group gap={6} role="group" aria-label="Common schedules">
                  {presets.map(({ label, schedule }) => (
                    <Chip
                      key={schedule}
                      size="xs"
                      checked={draft.schedule.trim() === schedule}
                      onChange={() => change({ schedule }, 'schedule')}
                    >
                      {label}
                    </Chip>
                  ))}
                </Group>
                <Text size="sm" mih="1.4em" role="status" aria-label="Schedule in words">
                  {scheduleSentence(draft.schedule, draft.timezone)}
                </Text>
              </Stack>
              <PayloadField
                payload={draft.call.payload}
                onChange={(payload) => inner({ payload }, 'payload')}
                error={errorOf('payload')}
              />
              <Checkbox
                label="Run missed runs later, within the tolerance"
                checked={draft.catchUp}
                onChange={(event) => change({ catchUp: event.currentTarget.checked }, undefined)}
              />
              <Checkbox
                label="Part of the metadata: exported, and replaced with it"
                checked={draft.includeInMetadata}
                onChange={(event) => change({ includeInMetadata: event.currentTarget.checked }, undefined)}
              />
              <AdvancedFields
                draft={draft.call}
                withKeys={false}
                opened={form.advanced}
                onToggle={form.toggleAdvanced}
                onChange={inner}
                errorOf={errorOf}
              />
              <Group>
                <Button type="submit" loading={command.isPending}>
                  {trigger === undefined ? 'Create the trigger' : 'Save the trigger'}
                </Button>
                <Button variant="subtle" color="gray" onClick={() => navigate('/events/cron/all')}>
                  Cancel
                </Button>
              </Group>
            </Stack>
          </Paper>
        </form>
        <section className={classes.preview} aria-label="Preview">
          <Stack gap="lg">
            <Paper withBorder p={{ base: 'md', xs: 'lg' }} bg="var(--joinery-surface)">
              <Title order={2} size="h5" mb="xs">
                Next runs, {draft.timezone}
              </Title>
              <NextRuns schedule={draft.schedule} timezone={draft.timezone} />
            </Paper>
            {draft.call.target === undefined && <RequestPreview draft={draft.call} trigger={draft.name} />}
          </Stack>
        </section>
      </div>
    </>
  );
}
