/** The rules of event triggers: checked at each call and at the end of a simulation. */
import { createCallRules, isCalm, nameOf, ROUNDING_MS } from '../engine/call-rules.ts';
import type { DatabaseLink } from '../engine/database-link.ts';
import type { WebhookCall } from '../engine/webhook-call.ts';
import type { WorkloadContext } from '../engine/workload.ts';
import { ORDERED, UNORDERED } from './install.ts';
import type { TriggerScenario } from './scenario.ts';
import { type CommittedChange, changeName } from './writers.ts';

export interface TriggerRules {
  atCall(call: WebhookCall, link: DatabaseLink): Promise<void>;
  atEnd(): Promise<void>;
  /** Returns the id of the event of a change; undefined if the database does not have it. */
  idOf(trigger: number, change: CommittedChange): Promise<string | undefined>;
  /** Notes that a command has redelivered the event. */
  redelivered(id: string): void;
}

const claimOf = `
select coalesce(w.lease, b.lease), coalesce(w.tries, 0), extract(epoch from w.due_at) * 1000, l.node, l.expires_at > clock_timestamp(),
  exists (
    select from joinery.trigger_work f where f.number = w.number and f.ordering_key = w.ordering_key
      and w.stamp > 0 and f.stamp > 0 and (f.stamp, f.seq) < (w.stamp, w.seq)
  ), coalesce(w.number, b.number) is not null
from joinery.event_seq($1) e
left join joinery.trigger_work w on w.number = e.number and w.seq = e.seq
left join joinery.trigger_batches b on b.number = e.number and e.seq = any (b.seqs)
left join joinery.source_leases l on l.id = coalesce(w.lease, b.lease)`;

/** Statement that returns the id, the operation and the version of each event of a trigger. */
const eventsOf = (trigger: number): string => `
select joinery.event_id(${trigger}, e.seq),
  case lower(e.op::text) when 'i' then 'INSERT' when 'u' then 'UPDATE' else 'DELETE' end, coalesce(e.new, e.old) ->> 'version'
from joinery.trigger_${trigger}_s1 e order by e.seq`;

const logOf = (trigger: number): string => `
select joinery.event_id(${trigger}, l.seq), l.attempt, l.status, l.outcome
from joinery.trigger_${trigger}_log_s1 l order by l.seq, l.attempt, l.started_at`;

interface LogEntry {
  readonly attempt: number;
  readonly status: number | undefined;
  readonly outcome: string | undefined;
}

interface CalledChange {
  readonly trigger: number;
  readonly change: CommittedChange;
}

export function createTriggerRules(
  context: WorkloadContext,
  scenario: TriggerScenario,
  committed: readonly CommittedChange[],
): TriggerRules {
  const { world, calls } = context;
  const { time, violate } = world;
  const rules = createCallRules(context, 'joinery.source_leases');
  const redeliveries = new Map<string, number>();
  const called = new Map<string, CalledChange>();

  /** Returns the committed change of a call. */
  function changeOf({ content }: WebhookCall): CalledChange | undefined {
    const { trigger, op, old, new: fresh } = JSON.parse(content);
    const { version } = fresh ?? old;
    const change = committed.find((one) => one.operation === op && one.version === version);
    return change && { trigger: Number(trigger.split(' ')[1]), change };
  }

  async function atCall(call: WebhookCall, link: DatabaseLink): Promise<void> {
    const { id, process } = call;
    const found = changeOf(call);
    if (found === undefined)
      return violate(`phantom: the ${nameOf(call)} is of a change that is not committed: ${call.content}`);
    const { rows } = await world.execute({ text: claimOf, values: [id] });
    const [lease, tries, dueMs, node, isValid, isBehind, isPending] = rows[0] ?? [];
    call.lease = lease ?? undefined;
    if (rules.leasesCount()) {
      const claim = {
        lease: lease ?? undefined,
        node: node ?? undefined,
        isValid: isValid === 't',
        tries: Number(tries),
      };
      if (!rules.checkClaim(call, isPending === 't' ? claim : undefined, `${process.name} events`)) return;
      if (isBehind === 't') violate(`order: the ${nameOf(call)} is before the end of an earlier event of its key`);
      if (found.trigger === ORDERED) checkOrder(call, found.change);
      await rules.checkRepeat(call, (other) => {
        const earlier = called.get(other.id);
        return found.trigger === ORDERED && earlier?.trigger === ORDERED && earlier.change.key === found.change.key;
      });
    }
    called.set(id, found);
    const early = typeof dueMs === 'string' ? Number(dueMs) - world.databaseNow() : 0;
    if (link.clockReadAt('triggers') > world.clockSetAt() && early > ROUNDING_MS) {
      violate(`early: the ${nameOf(call)} is ${early.toFixed(3)} ms before its time`);
    }
    if (!redeliveries.has(id)) rules.checkWait(call, scenario.call.intervalSeconds * 1_000);
    rules.checkLimit(call);
    rules.checkContent(call);
    await rules.checkCircuit(call, link);
  }

  /** The first calls of a key are in the order of the commits. */
  function checkOrder(call: WebhookCall, change: CommittedChange): void {
    if (called.has(call.id)) return;
    for (const [id, { trigger, change: other }] of called) {
      if (trigger !== ORDERED || other.key !== change.key || other.position <= change.position) continue;
      violate(`order: the ${nameOf(call)} follows that of ${id}, which was committed later`);
    }
  }

  async function idOf(trigger: number, { operation, version }: CommittedChange): Promise<string | undefined> {
    const { rows } = await world.execute({ text: eventsOf(trigger), values: [] });
    const row = rows.find(([, op, written]) => op === operation && Number(written) === version);
    return row?.[0] ?? undefined;
  }

  async function atEnd(): Promise<void> {
    for (const trigger of [UNORDERED, ORDERED]) {
      const events = await world.execute({ text: eventsOf(trigger), values: [] });
      const log = await world.execute({ text: logOf(trigger), values: [] });
      checkEvents(
        trigger,
        events.rows.map(([, operation, version]) => changeName(operation ?? '', Number(version))),
      );
      for (const [id] of events.rows) {
        const entries = log.rows
          .filter(([event]) => event === id)
          .map(([, attempt, status, outcome]) => ({
            attempt: Number(attempt),
            status: typeof status === 'string' ? Number(status) : undefined,
            outcome: outcome ?? undefined,
          }));
        checkLog(id ?? '', entries);
      }
    }
    for (const [id, at] of redeliveries) {
      if (world.isLost(at) || calls().some((one) => one.id === id && one.at >= at) || isUnreached(id)) continue;
      violate(`redelivery: event ${id} was redelivered and not called`);
    }
  }

  /** Calls that find no address are not seen by webhooks. */
  const isUnreached = (id: string): boolean => context.unreached(id) > 0;

  /** Each committed change has one event, and others have none. */
  function checkEvents(trigger: number, names: readonly string[]): void {
    const expected = new Map(committed.map((one) => [changeName(one.operation, one.version), one]));
    for (const [name, { committedAt }] of expected) {
      if (!names.includes(name) && !world.isLost(committedAt))
        violate(`lost: ${name} has no event of trigger ${trigger}`);
    }
    for (const [index, name] of names.entries()) {
      if (!expected.has(name)) violate(`phantom: ${name} has an event of trigger ${trigger}, and was not committed`);
      if (names.indexOf(name) < index) violate(`doubled: ${name} has two events of trigger ${trigger}`);
    }
  }

  function checkLog(id: string, entries: readonly LogEntry[]): void {
    const sent = calls().filter((one) => one.id === id);
    const attempts = entries.map(({ attempt }) => attempt);
    if (attempts.some((attempt, index) => attempt !== index + 1))
      violate(`log: event ${id} has the attempts ${attempts}`);
    if (entries.at(-1)?.outcome === undefined) violate(`log: event ${id} has no outcome in its log`);
    for (const { attempt, status, outcome } of entries) {
      if ((status === 200) !== (outcome === 'delivered'))
        violate(`log: attempt ${attempt} of ${id} with status ${status} is ${outcome}`);
      if (status === undefined) continue;
      if (!sent.some((one) => one.attempt === attempt && one.status === status)) {
        violate(`log: attempt ${attempt} of ${id} has status ${status}, which no webhook has sent`);
      }
    }
    if (redeliveries.has(id)) return;
    const { retries } = scenario.call;
    const last = entries.at(-1);
    const isFinal = last?.outcome === 'delivered' || last?.status === 410;
    if (entries.length > retries + 1 || (!isFinal && entries.length <= retries)) {
      violate(
        `retries: event ${id} ended as ${last?.outcome} after ${entries.length} attempts with ${retries} retries`,
      );
    }
    if (!isCalm(scenario)) return;
    const calledAttempts = new Set(sent.map(({ attempt }) => attempt)).size;
    if (sent.length > calledAttempts)
      violate(`calm: ${calledAttempts} attempts of event ${id} were called ${sent.length} times`);
  }

  return {
    atCall,
    atEnd,
    idOf,
    redelivered(id) {
      redeliveries.set(id, time.now());
    },
  };
}
