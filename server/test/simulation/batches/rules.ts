/** The rules of batches and debounces: checked at each call and at the end of a simulation. */
import { createCallRules, nameOf, ROUNDING_MS } from '../engine/call-rules.ts';
import type { DatabaseLink } from '../engine/database-link.ts';
import type { WebhookCall } from '../engine/webhook-call.ts';
import type { WorkloadContext } from '../engine/workload.ts';
import { BATCHED, DEBOUNCED } from './install.ts';
import type { BatchScenario } from './scenario.ts';
import { type BulkChange, type BulkWriters, changeName } from './writers.ts';

export interface BatchRules {
  atCall(call: WebhookCall, link: DatabaseLink): Promise<void>;
  atEnd(): Promise<void>;
}

/** What a call delivers. */
export interface CalledChanges {
  readonly trigger: number;
  /** The id of the event and the name of the change, by `changeName`. */
  readonly changes: readonly (readonly [id: string, name: string])[];
}

const claimOf = `
select coalesce(w.lease, b.lease), coalesce(w.tries, 0), extract(epoch from w.due_at) * 1000, l.node, l.expires_at > clock_timestamp(),
  coalesce(w.number, b.number) is not null
from unnest($1::uuid[]) as given (id) cross join lateral joinery.event_seq(given.id) e
left join joinery.trigger_work w on w.number = e.number and w.seq = e.seq
left join joinery.trigger_batches b on b.number = e.number and e.seq = any (b.seqs)
left join joinery.source_leases l on l.id = coalesce(w.lease, b.lease)`;

/** Returns the content of calls, as `WebhookCall.content` has it. */
export function printChanges(called: CalledChanges): string {
  return JSON.stringify(called);
}

function changesOf({ content }: WebhookCall): CalledChanges {
  return JSON.parse(content) as CalledChanges;
}

export function createBatchRules(
  context: WorkloadContext,
  scenario: BatchScenario,
  { committed }: Pick<BulkWriters, 'committed'>,
): BatchRules {
  const { world, calls } = context;
  const { violate } = world;
  const rules = createCallRules(context, 'joinery.source_leases');
  /** The change of the last call of each key of the debounced trigger. */
  const lastOfKey = new Map<string, BulkChange>();

  async function atCall(call: WebhookCall, link: DatabaseLink): Promise<void> {
    const { trigger, changes } = changesOf(call);
    const what = nameOf(call);
    const most = trigger === BATCHED ? scenario.maxEvents : 1;
    if (changes.length > most) violate(`batch: the ${what} has ${changes.length} changes, and ${most} are permitted`);
    if (new Set(changes.map(([id]) => id)).size < changes.length) violate(`batch: the ${what} has a change twice`);
    for (const [, name] of changes) {
      if (!committed.has(name)) return violate(`phantom: the ${what} is of the change ${name}, which is not committed`);
    }
    await checkClaims(call, changes);
    if (trigger === DEBOUNCED) checkOrder(call, changes);
    rules.checkWait(call, scenario.intervalSeconds * 1_000);
    rules.checkLimit(call);
    rules.checkContent(call);
    await rules.checkCircuit(call, link);
  }

  async function checkClaims(call: WebhookCall, changes: CalledChanges['changes']): Promise<void> {
    const { rows } = await world.execute({ text: claimOf, values: [changes.map(([id]) => id)] });
    call.lease = rows[0]?.[0] ?? undefined;
    for (const [lease, tries, dueMs, node, isValid, isPending] of rows) {
      const early = typeof dueMs === 'string' ? Number(dueMs) - world.databaseNow() : 0;
      if (call.process.resumedAt() < world.clockSetAt() || world.time.now() < world.clockSetAt() + 2_000) continue;
      if (early > ROUNDING_MS) violate(`early: the ${nameOf(call)} is ${early.toFixed(3)} ms before its time`);
      if (!rules.leasesCount()) continue;
      const claim = {
        lease: lease ?? undefined,
        node: node ?? undefined,
        isValid: isValid === 't',
        tries: Number(tries),
      };
      if (!rules.checkClaim(call, isPending === 't' ? claim : undefined, `${call.process.name} events`)) return;
    }
    if (!rules.leasesCount()) return;
    const ids = new Set(changes.map(([id]) => id));
    await rules.checkRepeat(call, (other) => changesOf(other).changes.some(([id]) => ids.has(id)));
  }

  /** The first calls of a key are in the order of the commits. */
  function checkOrder(call: WebhookCall, changes: CalledChanges['changes']): void {
    for (const [, name] of changes) {
      const change = committed.get(name);
      if (change === undefined) continue;
      const last = lastOfKey.get(change.key);
      if (last !== undefined && last.position > change.position) {
        violate(`order: the ${nameOf(call)} of ${name} follows that of ${last.name}, which was committed later`);
      }
      lastOfKey.set(change.key, change);
    }
  }

  async function atEnd(): Promise<void> {
    for (const trigger of [BATCHED, DEBOUNCED]) await checkEvents(trigger, await outcomesOf(trigger));
  }

  /** Returns the outcomes of the events of each change, with the id of the event. */
  async function outcomesOf(trigger: number): Promise<Map<string, Outcome[]>> {
    const found = new Map<string, Outcome[]>();
    const segments = await world.execute({
      text: 'select segment from joinery.trigger_segments where number = $1::integer order by 1',
      values: [trigger],
    });
    for (const [segment] of segments.rows) {
      const { rows } = await world.execute({ text: eventsOf(trigger, Number(segment)), values: [] });
      for (const [id, row, version, outcomes] of rows) {
        const name = changeName(Number(row), Number(version));
        const list = found.get(name) ?? [];
        list.push({ id: id ?? '', outcomes: outcomes === '' ? [] : (outcomes ?? '').split(',') });
        found.set(name, list);
      }
    }
    return found;
  }

  async function checkEvents(trigger: number, found: Map<string, Outcome[]>): Promise<void> {
    const called = new Set(calls().flatMap((one) => changesOf(one).changes.map(([id]) => id)));
    const lastPositions = new Map<string, number>();
    for (const { key, position } of committed.values()) {
      lastPositions.set(key, Math.max(position, lastPositions.get(key) ?? 0));
    }
    for (const name of found.keys()) {
      if (!committed.has(name)) violate(`phantom: ${name} has an event of trigger ${trigger}, and was not committed`);
    }
    const ends = new Set<string>();
    for (const { name, key, position } of committed.values()) {
      const [event, ...others] = found.get(name) ?? [];
      if (event === undefined) violate(`lost: ${name} has no event of trigger ${trigger}`);
      else if (others.length > 0) violate(`doubled: ${name} has ${others.length + 1} events of trigger ${trigger}`);
      else if (event.outcomes.length !== 1) violate(`log: ${name} has the outcomes ${event.outcomes.join() || 'none'}`);
      else if (!event.outcomes.includes('superseded')) {
        if (position === lastPositions.get(key)) ends.add(key);
      } else if (trigger === BATCHED || called.has(event.id)) {
        violate(`superseded: ${name} of trigger ${trigger} is superseded, and must be called or was`);
      }
    }
    if (trigger !== DEBOUNCED) return;
    for (const key of lastPositions.keys()) {
      if (!ends.has(key)) violate(`debounce: no event of the last change of ${key} was called`);
    }
  }

  return { atCall, atEnd };
}

interface Outcome {
  readonly id: string;
  /** The final ones in the log. */
  readonly outcomes: readonly string[];
}

function eventsOf(trigger: number, segment: number): string {
  return `select joinery.event_id(${trigger}, e.seq), e.new ->> 'id', e.new ->> 'version', array_to_string(array(
      select l.outcome from joinery.trigger_${trigger}_log_s${segment} l where l.seq = e.seq and l.outcome is not null
    ), ',')
    from joinery.trigger_${trigger}_s${segment} e order by e.seq`;
}
