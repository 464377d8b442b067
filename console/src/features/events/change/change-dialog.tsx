/** Confirms an action on events, shows its progress, what could not be changed and why, and undoes it. */

import { Alert, Anchor, Button, Group, Progress as ProgressBar, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { type Failure, toFailure } from '../../../api/failure.ts';
import { linkTo } from '../../../router/location.ts';
import type { WhenDraft } from '../../../shared/event-form/event-draft.ts';
import { eventPath } from '../../../shared/events/event-paths.ts';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { useLast } from '../../../ui/dialog/use-last.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { counted, sentence, shortId } from '../../../ui/format.ts';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import { refreshEvents } from '../refresh.ts';
import { WhenFields } from '../when-fields.tsx';
import { type ActionKind, actionLabels, describeEvents } from './actions.ts';
import { type ChangedOn, changeMany, isUndoable, type Progress, undoMany } from './change-many.ts';

export interface EventChange {
  readonly kind: ActionKind;
  readonly on: ChangedOn;
  /** The number of events that match. Undefined where it is not known exactly. */
  readonly expected: number | undefined;
}

interface ChangeDialogProps {
  /** Undefined closes the dialog. */
  readonly change: EventChange | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ChangeDialog({ change, onClose, onDone }: ChangeDialogProps) {
  const shown = useLast(change);
  const [isBusy, setBusy] = useState(false);
  const [openings, setOpenings] = useState({ change, count: 0 });
  if (openings.change !== change) setOpenings({ change, count: openings.count + (change === undefined ? 0 : 1) });
  if (shown === undefined) return null;
  const title = `${labelOf(shown)}?`;
  return (
    <Dialog
      opened={change !== undefined}
      onClose={onClose}
      title={title}
      size={shown.kind === 'reschedule' ? 'lg' : 'md'}
      isBusy={isBusy}
    >
      <Content key={openings.count} change={shown} onClose={onClose} onDone={onDone} onBusy={setBusy} />
    </Dialog>
  );
}

/** Returns `Cancel 3 events`. */
function labelOf({ kind, on }: EventChange): string {
  return actionLabels[kind].labelOf(describeEvents('events' in on ? { count: on.events.length } : on));
}

type State =
  | { readonly step: 'ready' }
  | { readonly step: 'running' | 'undoing' }
  | { readonly step: 'done'; readonly isUndone: boolean; readonly failure?: Failure };

interface ContentProps {
  readonly change: EventChange;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** Called when changes start and end. */
  readonly onBusy: (isBusy: boolean) => void;
}

const none: Progress = { changed: [], unchanged: [] };

function Content({ change, onClose, onDone, onBusy }: ContentProps) {
  const { kind, on, expected } = change;
  const client = useClient();
  const queries = useQueryClient();
  const [when, setWhen] = useState<WhenDraft>({ kind: 'now' });
  const [state, setState] = useState<State>({ step: 'ready' });
  const [progress, setProgress] = useState(none);
  const abort = useRef<AbortController>(undefined);
  const { about, done, isDangerous = false } = actionLabels[kind];
  const ms = when.kind === 'now' ? Date.now() : when.ms;
  const time = kind === 'reschedule' && ms !== undefined ? new Date(ms).toISOString() : undefined;

  async function perform(step: 'running' | 'undoing', work: (signal: AbortSignal) => Promise<Progress>): Promise<void> {
    abort.current = new AbortController();
    setState({ step });
    onBusy(true);
    setProgress(none);
    let failure: Failure | undefined;
    let result: Progress | undefined;
    try {
      result = await work(abort.current.signal);
    } catch (error) {
      failure = toFailure(error);
    }
    onBusy(false);
    refreshEvents(queries);
    onDone();
    setState({ step: 'done', isUndone: step === 'undoing', ...(failure && { failure }) });
    const isFollowed = kind === 'redeliver' || kind === 'run_now';
    if (step === 'running' && isFollowed && result !== undefined && result.unchanged.length === 0) {
      notify({
        title: doneText(result, done),
        text: <Followed result={result} onUndo={() => void undoFollowed(result)} />,
      });
      onClose();
    }
  }

  const run = (): void => {
    void perform('running', (signal) => changeMany(client, kind, on, { time, onProgress: setProgress, signal }));
  };
  const undo = (): void => {
    const { changed } = progress;
    void perform('undoing', (signal) => undoMany(client, kind, changed, { onProgress: setProgress, signal }));
  };
  // The dialog is closed: notifications report the undo.
  const undoFollowed = async ({ changed }: Progress): Promise<void> => {
    const { signal } = new AbortController();
    try {
      const undone = await undoMany(client, kind, changed, { onProgress: () => undefined, signal });
      const left = undone.unchanged.length;
      notify({
        title: doneText(undone, 'changed back'),
        ...(left > 0 && { text: `${counted(left, 'event')} had been called or changed.` }),
      });
    } catch (error) {
      notify({ title: 'The change was not undone', text: toFailure(error).message });
    }
    refreshEvents(queries);
  };
  if (state.step === 'running' || state.step === 'undoing') {
    return <Running progress={progress} expected={expected} onStop={() => abort.current?.abort()} />;
  }
  if (state.step === 'done') {
    const canUndo = !state.isUndone && progress.changed.some(isUndoable);
    return (
      <Stack gap="md">
        {state.failure !== undefined && <FailureNotice title="Not everything was done" failure={state.failure} />}
        <Text size="sm" fw={600} role="status">
          {doneText(progress, state.isUndone ? 'changed back' : done)}
        </Text>
        <Unchanged unchanged={progress.unchanged} />
        <Group justify="flex-end" gap="sm">
          {canUndo && (
            <Button variant="default" onClick={undo}>
              Undo
            </Button>
          )}
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <Text size="sm">{about}</Text>
      {!('events' in on) && (
        <Text size="sm" c="dimmed">
          {expected === undefined
            ? 'More events match than are counted. They are changed in parts; you can stop after each.'
            : `${counted(expected, 'event')} match now.`}
        </Text>
      )}
      {kind === 'reschedule' && (
        <WhenFields when={when} tolerance={Number.POSITIVE_INFINITY} onChange={setWhen} error={undefined} />
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} data-autofocus>
          Back
        </Button>
        <ReasonButton
          {...(isDangerous && { color: 'red' })}
          reason={kind === 'reschedule' && time === undefined ? 'Enter a time.' : undefined}
          onClick={run}
        >
          {labelOf(change)}
        </ReasonButton>
      </Group>
    </Stack>
  );
}

function doneText({ changed }: Progress, done: string): string {
  return changed.length === 0 ? 'No event was changed' : `${counted(changed.length, 'event')} ${done}`;
}

interface FollowedProps {
  readonly result: Progress;
  readonly onUndo: () => void;
}

/** What follows a change, with a link where it is of one event, and the undo. */
function Followed({ result: { changed }, onUndo }: FollowedProps) {
  const [only, another] = changed;
  return (
    <Group gap="md">
      {only === undefined || another !== undefined ? (
        'The list shows their delivery.'
      ) : (
        <Anchor inherit {...linkTo(eventPath({ id: only.event_id, source: only.source }))}>
          Follow the event
        </Anchor>
      )}
      {changed.some(isUndoable) && (
        <Anchor component="button" type="button" inherit onClick={onUndo}>
          Undo
        </Anchor>
      )}
    </Group>
  );
}

interface RunningProps {
  readonly progress: Progress;
  readonly expected: number | undefined;
  readonly onStop: () => void;
}

function Running({ progress: { changed, unchanged }, expected, onStop }: RunningProps) {
  const processed = changed.length + unchanged.length;
  const share = expected === undefined || expected === 0 ? 100 : Math.min(100, (100 * processed) / expected);
  return (
    <Stack gap="md">
      <ProgressBar value={share} animated={expected === undefined} aria-label="Progress" />
      <Text size="sm" role="status">
        {processed.toLocaleString('en')}
        {expected === undefined ? ' events' : ` of ${counted(expected, 'event')}`}
        {unchanged.length > 0 && `, ${unchanged.length.toLocaleString('en')} not changed`}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onStop}>
          Stop
        </Button>
      </Group>
    </Stack>
  );
}

/** Rows of the table of events that were not changed. */
const MOST_SHOWN = 100;

function Unchanged({ unchanged }: Pick<Progress, 'unchanged'>) {
  if (unchanged.length === 0) return null;
  return (
    <Alert color="red" variant="outline" title={`${counted(unchanged.length, 'event')} not changed`}>
      <PlainTable
        fz="sm"
        aria-label="Events that were not changed"
        rows={unchanged.slice(0, MOST_SHOWN)}
        keyOf={({ event_id }) => event_id}
        columns={[
          {
            key: 'id',
            header: 'Event',
            isRowHeader: true,
            cell: ({ event_id: id, source }) => (
              <Anchor inherit {...linkTo(eventPath({ id, source }))}>
                {shortId(id)}
              </Anchor>
            ),
          },
          { key: 'reason', header: 'Reason', cell: ({ reason }) => sentence(reason) },
        ]}
      />
      {unchanged.length > MOST_SHOWN && (
        <Text size="sm" c="dimmed">
          The first {MOST_SHOWN} are shown.
        </Text>
      )}
    </Alert>
  );
}
