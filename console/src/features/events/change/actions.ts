/** The actions on events: their labels, and the statuses of the events that they can change. Pure. */
import type { EventOfSearch, FoundStatus } from '@joinery/metadata/api/events/search';
import { counted } from '../../../ui/format.ts';

export const actionKinds = ['redeliver', 'cancel', 'reschedule', 'run_now'] as const;
export type ActionKind = (typeof actionKinds)[number];

interface ActionLabels {
  /** Label of the button. */
  readonly label: string;
  /** Label with its object, which `describeEvents` returns. */
  readonly labelOf: (events: string) => string;
  readonly about: string;
  /** Past participle, after the number of events. */
  readonly done: string;
  readonly statuses: readonly FoundStatus[];
  /** The statuses of a search without a status. */
  readonly usual: readonly FoundStatus[];
  readonly isDangerous?: true;
}

export const actionLabels: Readonly<Record<ActionKind, ActionLabels>> = {
  redeliver: {
    label: 'Redeliver',
    labelOf: (events) => `Redeliver ${events}`,
    about:
      'Finished events become pending again and are due now, with the same id: retries start again, the log continues. Undo affects events whose call has not started.',
    done: 'queued for redelivery',
    statuses: ['delivered', 'error', 'dead', 'cancelled', 'superseded'],
    usual: ['error', 'dead'],
  },
  cancel: {
    label: 'Cancel',
    labelOf: (events) => `Cancel ${events}`,
    about: 'The events are not delivered. They stay in the list as canceled, with their log.',
    done: 'canceled',
    statuses: ['scheduled', 'locked'],
    usual: ['scheduled', 'locked'],
    isDangerous: true,
  },
  reschedule: {
    label: 'Reschedule',
    labelOf: (events) => `Reschedule ${events}`,
    about: 'Called at the new time. Retries start again.',
    done: 'rescheduled',
    statuses: ['scheduled', 'locked'],
    usual: ['scheduled', 'locked'],
  },
  run_now: {
    label: 'Run now',
    labelOf: (events) => `Run ${events} now`,
    about: 'Due now. The body keeps the original time. Undo affects events whose call has not started.',
    done: 'due now',
    statuses: ['scheduled', 'locked'],
    usual: ['scheduled', 'locked'],
  },
};

/** Why the action cannot change the event. Undefined where it can. */
export function reasonAgainst(
  kind: ActionKind,
  { status, kind: of }: Pick<EventOfSearch, 'status' | 'kind'>,
): string | undefined {
  if (of === 'trigger' && kind !== 'redeliver') return 'Events of event triggers can only be redelivered.';
  if (actionLabels[kind].statuses.includes(status)) return undefined;
  return kind === 'redeliver' ? 'The event is pending.' : 'The event is finished.';
}

/** Returns the statuses of a search that the action can change. Empty: none. */
export function changeableStatuses(kind: ActionKind, searched: readonly FoundStatus[]): readonly FoundStatus[] {
  const { statuses, usual } = actionLabels[kind];
  return searched.length === 0 ? usual : statuses.filter((status) => searched.includes(status));
}

/** Returns `this event`, `3 events`, or `all failed and dead events that match`. */
export function describeEvents(on: { readonly count: number } | { readonly statuses: readonly FoundStatus[] }): string {
  if ('count' in on) return on.count === 1 ? 'this event' : counted(on.count, 'event');
  const names = on.statuses.map((status) => statusNames[status]);
  const list = names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `all ${list} events that match`;
}

const statusNames: Readonly<Record<FoundStatus, string>> = {
  scheduled: 'scheduled',
  locked: 'in-flight',
  delivered: 'delivered',
  error: 'failed',
  dead: 'dead',
  cancelled: 'canceled',
  superseded: 'superseded',
};
