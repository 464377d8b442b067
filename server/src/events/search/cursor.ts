/** The cursor of a search: where the next page continues in each part of the events. */
import { isUuid, rejectArgument } from '../commands/rejected-argument.ts';

/** A scheduled event: its time, in the format of `PendingEvent.scheduledTime`, and its id. */
export interface ScheduledPosition {
  readonly time: string;
  readonly id: string;
}

/** An event of an event trigger: its segment, its transaction and its number. */
export interface TriggerPosition {
  readonly segment: number;
  readonly xid: string;
  readonly seq: string;
}

export interface Cursor {
  readonly scheduled?: ScheduledPosition | undefined;
  /** By source and number of the trigger: see `triggerKey`. */
  readonly triggers: ReadonlyMap<string, TriggerPosition>;
}

export function triggerKey(source: string, number: number): string {
  return `${number} ${source}`;
}

export function printCursor({ scheduled, triggers }: Cursor): string {
  const entries = [...triggers].map(([key, { segment, xid, seq }]) => [key, segment, xid, seq]);
  const written = [scheduled === undefined ? null : [scheduled.time, scheduled.id], entries];
  return Buffer.from(JSON.stringify(written)).toString('base64url');
}

/** Throws `parse-failed`. */
export function readCursor(text: string): Cursor {
  const read = tryRead(text);
  if (read === undefined) rejectArgument('must be "next" of the previous page', ['after']);
  return read;
}

function tryRead(text: string): Cursor | undefined {
  let written: unknown;
  try {
    written = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(written) || !Array.isArray(written[1])) return undefined;
  const scheduled = readScheduled(written[0]);
  if (scheduled === null) return undefined;
  const triggers = new Map<string, TriggerPosition>();
  for (const entry of written[1]) {
    if (!Array.isArray(entry)) return undefined;
    const [key, segment, xid, seq]: unknown[] = entry;
    if (typeof key !== 'string' || typeof segment !== 'number' || !Number.isSafeInteger(segment)) return undefined;
    if (!isNumber(xid) || !isNumber(seq)) return undefined;
    triggers.set(key, { segment, xid, seq });
  }
  return { scheduled, triggers };
}

/** Null for an invalid position. */
function readScheduled(written: unknown): ScheduledPosition | undefined | null {
  if (written === null) return undefined;
  if (!Array.isArray(written)) return null;
  const [time, id]: unknown[] = written;
  const isTime = typeof time === 'string' && /^\d{4,6}-\d\d-\d\dT[\d:.]{8,15}$/.test(time);
  return isTime && typeof id === 'string' && isUuid(id) ? { time, id } : null;
}

function isNumber(text: unknown): text is string {
  return typeof text === 'string' && /^\d{1,19}$/.test(text);
}
