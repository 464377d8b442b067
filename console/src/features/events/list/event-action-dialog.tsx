/** Confirms an action on events, runs it for each of them and lists failures. */
import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Client } from '../../../api/client.ts';
import { Failure, toFailure } from '../../../api/failure.ts';
import { useCommand } from '../../../api/use-command.ts';
import type { WhenDraft } from '../../../shared/event-form/event-draft.ts';
import { useLast } from '../../../ui/dialog/use-last.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { counted } from '../../../ui/format.ts';
import { localText } from '../../../ui/time/times.ts';
import { WhenFields } from '../when-fields.tsx';
import { actionLabels, type EventAction, namesOf, performOn, performOnFound } from './event-actions.ts';

interface ActionDialogProps {
  /** Undefined closes the dialog. */
  readonly action: EventAction | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ActionDialog({ action, onClose, onDone }: ActionDialogProps) {
  const shown = useLast(action);
  const [when, setWhen] = useState<WhenDraft>({ kind: 'now' });
  const [done, setDone] = useState(0);
  const { run, reset, failure, isPending } = useCommand(
    (client, current: EventAction) => perform(client, current, timeOf(when), setDone),
    {
      notice: (title) => ({ title }),
      onDone,
      changes: [['events']],
    },
  );
  useEffect(() => {
    if (action !== undefined) return;
    reset();
    setDone(0);
    setWhen({ kind: 'now' });
  }, [action, reset]);
  if (shown === undefined) return null;
  const labels = actionLabels[shown.kind];
  const { these, the } = namesOf(shown.on);
  const badTime = shown.kind === 'reschedule' && timeOf(when) === undefined;
  return (
    <Modal
      opened={action !== undefined}
      onClose={onClose}
      title={labels.question(these)}
      centered
      zIndex={300}
      size={shown.kind === 'reschedule' ? 'lg' : 'md'}
    >
      <Stack gap="md">
        <InterpretedTime action={shown} />
        {shown.kind === 'reschedule' && (
          <WhenFields when={when} tolerance={Number.POSITIVE_INFINITY} onChange={setWhen} error={undefined} />
        )}
        {isPending && 'events' in shown.on && shown.on.events.length > 1 && (
          <Progress value={(100 * done) / shown.on.events.length} aria-label="Done so far" />
        )}
        {failure !== undefined && <FailureNotice title={titleOf(shown)} failure={failure} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {labels.keep}
          </Button>
          <Button
            {...(labels.dangerous && { color: 'red' })}
            loading={isPending}
            disabled={badTime}
            onClick={() => run(shown)}
          >
            {labels.confirm(the)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function titleOf({ kind, on }: EventAction): string {
  const one = 'events' in on && on.events.length === 1;
  return one ? `The event was ${actionLabels[kind].failed}` : 'Not everything was done';
}

function InterpretedTime({ action }: { readonly action: EventAction }) {
  const [only, another] = 'events' in action.on ? action.on.events : [];
  return (
    <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
      {only !== undefined && another === undefined && (
        <Text size="sm" mb={6}>
          <strong>{only.webhook_conf}</strong>, {localText(Date.parse(only.next_retry_at ?? only.scheduled_time))}
        </Text>
      )}
      {actionLabels[action.kind].about}
    </Text>
  );
}

function timeOf(when: WhenDraft): number | undefined {
  return when.kind === 'now' ? Date.now() : when.ms;
}

/** Runs the action and returns the title of the notification. Throws Failure; completed changes remain. */
async function perform(
  client: Client,
  { kind, on }: EventAction,
  at: number | undefined,
  onProgress: (done: number) => void,
): Promise<string> {
  if (!('events' in on)) {
    if (kind !== 'cancel' && kind !== 'redeliver') throw new Error(`${kind} takes chosen events`);
    const { changed, more } = await performOnFound(client, kind, on.search, on.statuses);
    return `${actionLabels[kind].done(counted(changed, 'event'))}${more ? '; there are more' : ''}`;
  }
  const failures: Failure[] = [];
  for (const [index, event] of on.events.entries()) {
    try {
      await performOn(client, kind, event, at ?? Date.now());
    } catch (thrown) {
      failures.push(toFailure(thrown));
    }
    onProgress(index + 1);
  }
  const [first] = failures;
  if (first === undefined) return actionLabels[kind].done(namesOf(on).sentence);
  if (on.events.length === 1) throw first;
  const { code, path, internal } = first;
  const message = `${failures.length} of ${counted(on.events.length, 'event')} ${actionLabels[kind].failed}. The first: ${first.message}`;
  throw new Failure({ code, path, internal, message }, first);
}
