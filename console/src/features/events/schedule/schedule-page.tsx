/** Form that schedules or edits an event. */
import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import { Anchor, Button, Group, Paper, Stack } from '@mantine/core';
import { type RefObject, useEffect, useRef } from 'react';
import { useCommand } from '../../../api/use-command.ts';
import { linkTo, navigate } from '../../../router/location.ts';
import { AdvancedFields } from '../../../shared/event-form/advanced-fields.tsx';
import { CallField } from '../../../shared/event-form/call-field.tsx';
import {
  type Draft,
  type FieldName,
  fieldAt,
  readDraft,
  type WhenDraft,
} from '../../../shared/event-form/event-draft.ts';
import classes from '../../../shared/event-form/event-form.module.css';
import { PayloadField } from '../../../shared/event-form/payload-field.tsx';
import { useRequestForm } from '../../../shared/event-form/use-request-form.ts';
import { eventPath } from '../../../shared/events/event-paths.ts';
import { createEvent, updateEvent } from '../../../shared/events/events-api.ts';
import { RequestPreview } from '../../../shared/request-preview/request-preview.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { localText } from '../../../ui/time/times.ts';
import { WhenFields } from '../when-fields.tsx';

interface SchedulePageProps {
  readonly initial: Draft;
  /** The event to edit. Undefined for a new one. */
  readonly editing?: ScheduledEvent | undefined;
}

export function SchedulePage({ initial, editing }: SchedulePageProps) {
  const element = useRef<HTMLFormElement>(null);
  const form = useRequestForm<Draft, FieldName>({
    initial,
    read: (typed) => readDraft(typed, Date.now(), editing),
    fieldAt,
    initiallyAdvanced: editing !== undefined,
  });
  const { draft, failure, change, errorOf } = form;
  const creation = useCommand(
    async (client, args: string) => {
      if (editing === undefined) return createEvent(client, args);
      await updateEvent(client, args);
      return { id: editing.id, existing: false };
    },
    {
      notice: ({ id, existing }) => {
        if (existing) return { title: 'An event with this key already exists' };
        const title = `Event ${editing === undefined ? 'scheduled' : 'changed'}`;
        return { title, text: <ScheduledNotice id={id} when={draft.when} /> };
      },
      onDone: ({ id }) => navigate(eventPath({ id })),
      changes: [['events']],
      onFailure: form.reject,
    },
  );
  useFocusOnProblem(element, form.rejections);
  return (
    <>
      <PageHeader
        title={editing === undefined ? 'Schedule an event' : 'Edit an event'}
        about="The webhook or another target is called once, at the time you set."
        back={{ to: '/events/activity', label: 'Events' }}
      />
      <div className={classes.columns}>
        <form ref={element} onSubmit={form.submit((args) => creation.run(args))} noValidate>
          <Paper withBorder p={{ base: 'md', xs: 'lg' }} bg="var(--joinery-surface)">
            <Stack gap="lg">
              {failure !== undefined && (
                <FailureNotice
                  title={`The event was not ${editing === undefined ? 'scheduled' : 'changed'}`}
                  failure={failure}
                />
              )}
              <CallField draft={draft} onChange={change} errorOf={errorOf} />
              <WhenFields
                when={draft.when}
                tolerance={Number(draft.retry.tolerance_seconds)}
                onChange={(when) => change({ when }, 'schedule_at')}
                error={errorOf('schedule_at')}
              />
              <PayloadField
                payload={draft.payload}
                onChange={(payload) => change({ payload }, 'payload')}
                error={errorOf('payload')}
              />
              <AdvancedFields
                draft={draft}
                withKeys={editing === undefined}
                opened={form.advanced}
                onToggle={form.toggleAdvanced}
                onChange={change}
                errorOf={errorOf}
              />
              <Group>
                <Button type="submit" loading={creation.isPending}>
                  {editing === undefined ? 'Schedule the event' : 'Save the event'}
                </Button>
                <Button variant="subtle" color="gray" onClick={() => navigate('/events/activity')}>
                  Cancel
                </Button>
              </Group>
            </Stack>
          </Paper>
        </form>
        <section className={classes.preview} aria-label="Preview">
          {draft.target === undefined && <RequestPreview draft={draft} />}
        </section>
      </div>
    </>
  );
}

/** Focuses the first invalid field after each rejected submission. */
function useFocusOnProblem(form: RefObject<HTMLFormElement | null>, rejections: number): void {
  useEffect(() => {
    if (rejections === 0) return;
    const frame = requestAnimationFrame(() => {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [form, rejections]);
}

interface ScheduledNoticeProps {
  readonly id: string;
  readonly when: WhenDraft;
}

function ScheduledNotice({ id, when }: ScheduledNoticeProps) {
  const ms = when.kind === 'at' ? when.ms : undefined;
  return (
    <>
      {ms === undefined || ms <= Date.now() ? 'It is called at once. ' : `It is called on ${localText(ms)}. `}
      <Anchor {...linkTo(eventPath({ id }))} size="sm">
        Open the event
      </Anchor>
    </>
  );
}
