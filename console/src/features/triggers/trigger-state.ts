/** The state of a trigger as lists and pages show it. Pure. */
import { CallTarget, targetDestination } from '@joinery/metadata/schema/events/targets';
import { eventsPath } from '../../shared/events/event-paths.ts';
import { tableLabel } from '../../shared/sources/table-paths.ts';
import type { TriggerEntry, TriggerName, TriggerStats } from './triggers-api.ts';

export interface TriggerState {
  readonly label: 'Active' | 'Paused' | 'Inconsistent' | 'Outdated';
  readonly tone: 'good' | 'waiting' | 'bad';
  /** What follows from the state. Undefined for an active trigger. */
  readonly about: string | undefined;
}

/** An inconsistent trigger captures nothing, which matters more than that it is paused. */
export function stateOf({
  consistent,
  reason,
  outdated_at,
  paused,
}: Pick<TriggerStats, 'consistent' | 'reason' | 'outdated_at' | 'paused'>): TriggerState {
  if (!consistent) {
    const about = reason ?? 'the service gave no reason; see the inconsistent objects in the settings';
    return { label: 'Inconsistent', tone: 'bad', about };
  }
  if (outdated_at !== null) {
    const about =
      'the table has changed since the trigger was installed; until the service has read the table again, whole rows are captured for every change';
    return { label: 'Outdated', tone: 'bad', about };
  }
  if (paused) return { label: 'Paused', tone: 'waiting', about: 'events are stored and not delivered' };
  return { label: 'Active', tone: 'good', about: undefined };
}

type Called = Pick<TriggerEntry, 'webhook' | 'webhook_from_env' | 'target'>;

/** Returns the webhook, the variable that has it, or the name of the target. */
export function calledBy({ webhook, webhook_from_env: variable, target }: Called): string {
  if (target !== undefined && target !== null) {
    const read = CallTarget.safeParse(target);
    return read.success ? targetDestination(read.data) : 'An invalid target';
  }
  return webhook ?? `{{${variable ?? ''}}}`;
}

/** Returns what a trigger calls in general: `webhook`, `saved operation` or `function`. */
export function calledKind({ target }: Pick<Called, 'target'>): string {
  if (target === undefined || target === null) return 'webhook';
  return target.operation === undefined ? 'function' : 'saved operation';
}

const operationLabels: Readonly<Record<string, string>> = {
  insert: 'Insert',
  update: 'Update',
  delete: 'Delete',
  manual: 'Manual',
  enable_manual: 'Manual',
};

/** Returns `Insert, update`. */
export function operationsText(operations: readonly string[]): string {
  return operations
    .map((one, index) => {
      const label = operationLabels[one.toLowerCase()] ?? one;
      return index === 0 ? label : label.toLowerCase();
    })
    .join(', ');
}

/** Returns the number of pending events, marked where it is a lower bound. */
export function pendingText({
  pending,
  pending_is_capped,
}: Pick<TriggerStats, 'pending' | 'pending_is_capped'>): string {
  return `${pending.toLocaleString('en')}${pending_is_capped === true ? '+' : ''}`;
}

/** Events of the last day that failed finally. */
export function failedCount({ last_day }: Pick<TriggerStats, 'last_day'>): number {
  return last_day.error + last_day.dead;
}

export interface TriggerFilter {
  /** Empty: all sources. */
  readonly source: string;
  /** A part of the name or of the table, in any case. */
  readonly text: string;
}

export function filterTriggers(
  triggers: readonly TriggerStats[],
  { source, text }: TriggerFilter,
): readonly TriggerStats[] {
  const wanted = text.trim().toLowerCase();
  return triggers.filter(
    (one) =>
      (source === '' || one.source === source) &&
      [one.name, tableLabel(one.table)].some((name) => name.toLowerCase().includes(wanted)),
  );
}

export const triggersPath = '/events/triggers';

export const triggerTabs = ['definition', 'calls'] as const;
export type TriggerTab = (typeof triggerTabs)[number];

export function triggerPath({ source, name }: TriggerName, tab: TriggerTab = 'definition'): string {
  return `${triggersPath}/of/${encodeURIComponent(source)}/${encodeURIComponent(name)}/${tab}`;
}

/** Path of the events of a trigger in the list of all events, with further query parameters. */
export function triggerEventsPath(
  { source, name }: TriggerName,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  return eventsPath({ kind: 'trigger', time: 'any', source, trigger: name, ...parameters });
}

export function editPath({ source, name }: TriggerName): string {
  return `${triggersPath}/edit/${encodeURIComponent(source)}/${encodeURIComponent(name)}`;
}

/** Path of the form for a new trigger, filled with a table or with the definition of another trigger. */
export function newPath(
  from: { readonly source?: string; readonly schema?: string; readonly table?: string; readonly copy?: string } = {},
): string {
  const search = new URLSearchParams(
    Object.entries(from).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return `${triggersPath}/new${search.size === 0 ? '' : `?${search}`}`;
}
