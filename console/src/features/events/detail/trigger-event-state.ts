/** The status of an event of an event trigger, and its row. Pure. */
import type { TriggerEvent, TriggerEventPayload } from '@joinery/metadata/api/events/triggers';
import { isJsonObject } from '../../../api/json.ts';
import type { ColumnText } from '../../../shared/sources/table-paths.ts';
import { counted } from '../../../ui/format.ts';
import { relative } from '../../../ui/time/times.ts';

type EventState = Pick<TriggerEvent, 'status' | 'tries' | 'next_retry_at'>;

/** Explains the status. `now` in milliseconds since 1970. */
export function explainStatus(
  { status, tries, next_retry_at: next }: EventState,
  now: number,
  paused: boolean,
): string {
  switch (status) {
    case 'pending': {
      if (paused) return 'Delivered when the trigger is resumed.';
      if (tries === 0) return 'Called as soon as a slot of its destination is free.';
      const when = next === null ? 'soon' : relative(Date.parse(next), now);
      return `${counted(tries, 'call')} failed; the next starts ${when}.`;
    }
    case 'delivered':
      return tries <= 1 ? 'Delivered by the first call.' : `Delivered by call ${tries}.`;
    case 'error':
      return `Given up after ${counted(tries, 'call')}: none was successful. The log has the responses.`;
    case 'dead':
      return 'Never to be called again; the last entry of its log has the reason.';
    case 'superseded':
      return 'Not called: a later change with the same debounce key takes its place.';
    default:
      return status satisfies never;
  }
}

export interface EventRow {
  /** `id 7`, or the beginning of the row as JSON. */
  readonly text: string;
  /** The primary key. Undefined where the event does not have it, as that of a manual event. */
  readonly key: readonly ColumnText[] | undefined;
}

/** Returns the row that an event is about: the new one, or the old one of a delete. */
export function rowOfEvent(
  { op, data }: Pick<TriggerEventPayload, 'op' | 'data'>,
  primaryKey: readonly string[] | null,
): EventRow {
  const row = data.new ?? data.old;
  const whole = JSON.stringify(row) ?? 'null';
  if (op === 'MANUAL' || primaryKey === null || primaryKey.length === 0 || !isJsonObject(row)) {
    return { text: whole, key: undefined };
  }
  if (!primaryKey.every((column) => Object.hasOwn(row, column))) return { text: whole, key: undefined };
  const key = primaryKey.map((column): ColumnText => [column, textOf(row[column])]);
  return { text: key.map(([column, text]) => `${column} ${text}`).join(', '), key };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}
