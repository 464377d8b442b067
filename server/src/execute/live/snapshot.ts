/** Compares two snapshots of one server, in the text form of `pg_current_snapshot()`: `xmin:xmax:xip,xip`. */

/** Maximum number of ids between two snapshots that are compared one by one. */
const MAX_IDS = 256;
/** The system column `xmin` has the lower 32 bits of the id. */
const IDS = 2 ** 32;

/** Whether each transaction that ended after `earlier` and before `later` is one of `known`, which are values of `xmin`. */
export function endedOnly(known: ReadonlySet<number>, earlier: string, later: string): boolean {
  const before = parse(earlier);
  const after = parse(later);
  if (before === undefined || after === undefined || after.next - before.next > MAX_IDS) return false;
  for (const id of before.running) if (!after.running.has(id) && !known.has(id % IDS)) return false;
  for (let id = before.next; id < after.next; id += 1) {
    if (!after.running.has(id) && !known.has(id % IDS)) return false;
  }
  return true;
}

interface Snapshot {
  /** The id after the last transaction that has ended. */
  readonly next: number;
  /** The transactions with lower ids that have not ended. */
  readonly running: ReadonlySet<number>;
}

function parse(text: string): Snapshot | undefined {
  const [, next, running] = /^\d+:(\d+):([\d,]*)$/.exec(text) ?? [];
  if (next === undefined || running === undefined) return undefined;
  return { next: Number(next), running: new Set(running === '' ? [] : running.split(',').map(Number)) };
}
