/** The rules of scheduled events, one-off and cron: checked at each call and at the end of a simulation. */
import { createCallRules, isCalm, nameOf, ROUNDING_MS } from '../engine/call-rules.ts';
import type { DatabaseLink } from '../engine/database-link.ts';
import type { WebhookCall } from '../engine/webhook-call.ts';
import type { WorkloadContext } from '../engine/workload.ts';

export interface ScheduledRules {
  atCall(call: WebhookCall, link: DatabaseLink): Promise<void>;
  /** Checks that these events, and no event twice, have ended in agreement with their log. */
  atEnd(events: readonly ExpectedEvent[]): Promise<void>;
}

export interface ExpectedEvent {
  readonly id: string;
  /** Whether a failover has lost the commit that created it. */
  readonly mayBeLost: boolean;
}

/** How an event is called. */
export interface CalledScheduledEvent {
  readonly orderingKey: string | undefined;
  readonly retryIntervalSeconds: number;
}

const claimOf = `
select e.lease, e.tries, extract(epoch from e.due_at) * 1000, l.node, l.expires_at > clock_timestamp(),
  exists (
    select from joinery.scheduled_events f where f.ordering_key = e.ordering_key
      and (f.schedule_at, f.created_at, f.id) < (e.schedule_at, e.created_at, e.id)
  ), e.ordering_key
from joinery.scheduled_events e left join joinery.event_leases l on l.id = e.lease where e.id = $1`;

/** @param eventOf returns what the rules need of an event; undefined if it is not known */
export function createScheduledRules(
  context: WorkloadContext,
  eventOf: (id: string) => CalledScheduledEvent | undefined,
): ScheduledRules {
  const { world, calls } = context;
  const { violate } = world;
  const rules = createCallRules(context, 'joinery.event_leases');

  async function atCall(call: WebhookCall, link: DatabaseLink): Promise<void> {
    const { id, process } = call;
    const event = eventOf(id);
    const { rows } = await world.execute({ text: claimOf, values: [id] });
    const [row] = rows;
    const [lease, tries, dueMs, node, isValid, isBehind, key] = row ?? [];
    call.lease = lease ?? undefined;
    if (rules.leasesCount()) {
      const claim = {
        lease: lease ?? undefined,
        node: node ?? undefined,
        isValid: isValid === 't',
        tries: Number(tries),
      };
      if (!rules.checkClaim(call, row && claim, `${process.name} events`)) return;
      if (isBehind === 't') violate(`order: the ${nameOf(call)} is before the end of an earlier event of ${key}`);
      const ownKey = event?.orderingKey;
      await rules.checkRepeat(call, (other) => ownKey !== undefined && eventOf(other.id)?.orderingKey === ownKey);
    }
    const early = Number(dueMs) - world.databaseNow();
    if (link.clockReadAt('events') > world.clockSetAt() && early > ROUNDING_MS) {
      violate(`early: the ${nameOf(call)} is ${early.toFixed(3)} ms before its time`);
    }
    if (event !== undefined) rules.checkWait(call, event.retryIntervalSeconds * 1_000);
    rules.checkLimit(call);
    rules.checkContent(call);
    await rules.checkCircuit(call, link);
  }

  async function atEnd(events: readonly ExpectedEvent[]): Promise<void> {
    const ended = await world.execute({ text: 'select id, status, tries from joinery.processed_events', values: [] });
    const endings = new Map(ended.rows.map(([id, status, tries]) => [id, { status, tries: Number(tries) }]));
    const logged = await world.execute({
      text: 'select event_id, attempt, status from joinery.event_invocations order by event_id, attempt',
      values: [],
    });
    for (const { id, mayBeLost } of events) {
      const ending = endings.get(id);
      const entries = logged.rows.filter(([event]) => event === id).map(([, attempt, status]) => ({ attempt, status }));
      if (ending !== undefined) checkLog(id, ending.status ?? '', ending.tries, entries);
      else if (!mayBeLost) violate(`lost: event ${id} is not in joinery.processed_events`);
    }
    if (isCalm(world.scenario)) checkCalm(events);
  }

  function checkLog(
    id: string,
    status: string,
    tries: number,
    entries: readonly { readonly attempt: string | null | undefined; readonly status: string | null | undefined }[],
  ): void {
    // The last entry of a dead event is of the call that was too late.
    const expected = Array.from({ length: status === 'dead' ? tries + 1 : tries }, (_unused, index) =>
      String(index + 1),
    );
    const attempts = entries.map(({ attempt }) => attempt);
    if (attempts.join() !== expected.join()) {
      violate(
        `log: event ${id} ended as ${status} after ${tries} attempts, but its log has ${attempts.join() || 'none'}`,
      );
    }
    const sent = calls().filter((one) => one.id === id);
    for (const entry of entries) {
      if (entry.status === null || entry.status === undefined) continue;
      const matches = sent.some((one) => one.attempt === Number(entry.attempt) && one.status === Number(entry.status));
      if (!matches)
        violate(`log: attempt ${entry.attempt} of ${id} has status ${entry.status}, which no webhook has sent`);
    }
    const isDelivered = entries.some((entry) => entry.status === '200');
    if (isDelivered !== (status === 'delivered')) violate(`log: event ${id} ended as ${status}, against its log`);
  }

  /** Without failures every attempt is called once. A webhook that responds after the timeout is called again as the next attempt. */
  function checkCalm(events: readonly ExpectedEvent[]): void {
    for (const { id } of events) {
      const sent = calls().filter((one) => one.id === id);
      const attempts = new Set(sent.map(({ attempt }) => attempt)).size;
      if (sent.length > attempts) violate(`calm: ${attempts} attempts of event ${id} were called ${sent.length} times`);
    }
  }

  return { atCall, atEnd };
}
