/** Changes many events in parts, with progress, and undoes the change. */
import type { ChangedEvents, FoundStatus } from '@joinery/metadata/api/events/search';
import type { Client } from '../../../api/client.ts';
import type { EventName } from '../../../shared/events/event-paths.ts';
import { type ChangedTarget, changeEvents } from '../activity/activity-api.ts';
import { type ActivitySearch, searchArguments } from '../activity/search-state.ts';
import type { ActionKind } from './actions.ts';

/** The chosen events, or all that match a search. */
export type ChangedOn =
  | { readonly events: readonly EventName[] }
  | { readonly search: ActivitySearch; readonly statuses: readonly FoundStatus[] };

export interface Progress {
  readonly changed: ChangedEvents['changed'];
  readonly unchanged: ChangedEvents['unchanged'];
}

export interface ChangeOptions {
  /** ISO 8601, for `reschedule`. */
  readonly time?: string | undefined;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** Events of one command. */
const PART = 500;

/** Changes events in parts until all are changed or `signal` is aborted. What was changed before a failure is in the last progress. */
export async function changeMany(
  client: Client,
  kind: ActionKind,
  on: ChangedOn,
  options: ChangeOptions,
): Promise<Progress> {
  const run = createRun(options);
  for await (const events of partsOf(client, on, options.signal)) {
    const targets = events.map(({ id, source }) => ({ event_id: id, source }));
    run.add(await changeEvents(client, kind, targets, options.time));
  }
  return run.progress();
}

/** The actions that undo others. */
const undos = {
  cancel: 'restore',
  reschedule: 'reschedule',
  redeliver: 'undo_redeliver',
  run_now: 'undo_run_now',
} as const satisfies Readonly<Record<ActionKind, string>>;

/** Whether the change of the event can be undone. Events of event triggers have no undo. */
export function isUndoable({ source }: Progress['changed'][number]): boolean {
  return source === undefined;
}

/** Undoes a change of events. Events that have been called or changed since stay as they are. */
export async function undoMany(
  client: Client,
  kind: ActionKind,
  changed: Progress['changed'],
  options: Pick<ChangeOptions, 'onProgress' | 'signal'>,
): Promise<Progress> {
  const run = createRun(options);
  const undoable = changed.filter(isUndoable);
  for (let start = 0; start < undoable.length && !options.signal.aborted; start += PART) {
    const targets = undoable.slice(start, start + PART).map(
      ({ event_id, former_time, former_status }): ChangedTarget => ({
        event_id,
        schedule_at: former_time,
        status: former_status,
      }),
    );
    run.add(await changeEvents(client, undos[kind], targets));
  }
  return run.progress();
}

function createRun({ onProgress }: Pick<ChangeOptions, 'onProgress'>) {
  let progress: Progress = { changed: [], unchanged: [] };
  return {
    progress: () => progress,
    add: ({ changed, unchanged }: ChangedEvents) => {
      progress = { changed: [...progress.changed, ...changed], unchanged: [...progress.unchanged, ...unchanged] };
      onProgress(progress);
    },
  };
}

/** The events in parts. A search is continued by its cursor, so that an event that still matches is not changed again. */
async function* partsOf(client: Client, on: ChangedOn, signal: AbortSignal): AsyncGenerator<readonly EventName[]> {
  if ('events' in on) {
    for (let start = 0; start < on.events.length && !signal.aborted; start += PART) {
      yield on.events.slice(start, start + PART);
    }
    return;
  }
  const args = { ...searchArguments({ ...on.search, statuses: on.statuses }, Date.now()), limit: PART, counts: false };
  let after: string | undefined;
  do {
    const page = await client.command('search_events', { ...args, ...(after !== undefined && { after }) }, { signal });
    if (page.events.length > 0) yield page.events;
    after = page.next;
  } while (after !== undefined && !signal.aborted);
}
