/** The rules of delivery, checked at each call and at the end of a simulation. */
import type { DatabaseLink } from './database-link.ts';
import type { Scenario } from './scenario.ts';
import type { WebhookCall } from './webhooks.ts';
import type { World } from './world.ts';

export interface DeliveryRules {
  /** Checks a call when it is sent, before it counts as sent. */
  atCall(call: WebhookCall, link: DatabaseLink): Promise<void>;
  /** Checks the results when all events have ended. */
  atEnd(): Promise<void>;
}

/** The duration of leases in simulations, in milliseconds. */
export const leaseTimes = { lastsMs: 3_000, renewEveryMs: 750 };

/** Difference between two roundings of a time, in milliseconds. */
const ROUNDING_MS = 0.01;

const claimOf = `
select e.lease, e.tries, extract(epoch from e.due_at) * 1000, l.node, l.expires_at > clock_timestamp(),
  exists (
    select from joinery.scheduled_events f where f.ordering_key = e.ordering_key
      and (f.schedule_at, f.created_at, f.id) < (e.schedule_at, e.created_at, e.id)
  ), e.ordering_key
from joinery.scheduled_events e left join joinery.event_leases l on l.id = e.lease where e.id = $1`;

const validLeases = 'select id from joinery.event_leases where expires_at > clock_timestamp()';

export interface DeliveryRulesSettings {
  readonly world: World;
  /** The calls that were sent before. */
  readonly calls: () => readonly WebhookCall[];
  readonly linkOf: (call: WebhookCall) => DatabaseLink;
  readonly destinations: readonly string[];
}

export function createDeliveryRules({ world, calls, linkOf, destinations }: DeliveryRulesSettings): DeliveryRules {
  const { scenario, time, violate } = world;
  const keys = new Map(scenario.events.map(({ id, orderingKey }) => [id, orderingKey]));

  /**
   * Leases are compared with a clock that was not set: when it is set forward, leases end that their nodes trust, until they have
   * expired by the clocks of the nodes as well.
   */
  const leasesCount = (): boolean => time.now() > world.clockSetAt() + 2 * leaseTimes.lastsMs;

  async function atCall(call: WebhookCall, link: DatabaseLink): Promise<void> {
    const { id, attempt, process } = call;
    const { rows } = await world.execute({ text: claimOf, values: [id] });
    const [lease, tries, dueMs, node, isValid, isBehind, key] = rows[0] ?? [];
    call.lease = lease ?? undefined;
    const name = `call of ${id}, attempt ${attempt}, by ${process.name}`;
    if (leasesCount()) {
      if (rows.length === 0) return violate(`fenced: the ${name} is of an event that has ended`);
      if (node !== `${process.name} events`) return violate(`fenced: the ${name} is under lease ${lease} of ${node}`);
      if (isValid !== 't') return violate(`fenced: the ${name} is under lease ${lease}, which has expired`);
      if (Number(tries) + 1 !== attempt) violate(`attempts: the ${name} follows ${tries} attempts`);
      if (isBehind === 't') violate(`order: the ${name} is before the end of an earlier event of ${key}`);
      await checkRepeat(call, name);
    }
    if (link.clockReadAt() > world.clockSetAt() && world.databaseNow() < Number(dueMs) - ROUNDING_MS) {
      violate(`early: the ${name} is ${(Number(dueMs) - world.databaseNow()).toFixed(3)} ms before its time`);
    }
    checkLimit(call, name);
  }

  /** A call is repeated only where the node of an earlier one counts as dead while it was in flight. */
  async function checkRepeat(call: WebhookCall, name: string): Promise<void> {
    const key = keys.get(call.id);
    const earlier = calls().filter((one) => {
      if (one.id === call.id) return one.attempt === call.attempt;
      return one.open && key !== undefined && keys.get(one.id) === key;
    });
    if (earlier.length === 0) return;
    const { rows } = await world.execute({ text: validLeases, values: [] });
    const valid = new Set(rows.map(([one]) => one));
    for (const { lease, process, aborted, id } of earlier.filter((one) => leasesAfter(one.at))) {
      if (lease === undefined) continue;
      const what = id === call.id ? `repeats that of ${process.name}` : `is beside that of ${id}`;
      if (valid.has(lease) && !aborted) violate(`repeat: the ${name} ${what}, whose lease ${lease} is valid`);
    }
    for (const one of earlier.filter((other) => leasesAfter(other.at))) {
      if (one.aborted || one.lease === undefined || !linkOf(one).removedLeases.has(one.lease)) continue;
      violate(
        `repeat: ${one.process.name} has ended lease ${one.lease} before the outcome of the call that the ${name} repeats`,
      );
    }
  }

  const leasesAfter = (at: number): boolean => at > world.clockSetAt();

  function checkLimit(call: WebhookCall, name: string): void {
    const { perDestination, concurrency } = scenario;
    const limit = call.destination === destinations[0] ? (concurrency ?? perDestination) : perDestination;
    const { destination, process } = call;
    const open = calls().filter((one) => one.open && one.process === process && one.destination === destination).length;
    if (open >= limit) violate(`limit: the ${name} is beside ${open} calls to ${destination}, whose limit is ${limit}`);
  }

  async function atEnd(): Promise<void> {
    const ended = await world.execute({ text: 'select id, status, tries from joinery.processed_events', values: [] });
    const endings = new Map(ended.rows.map(([id, status, tries]) => [id, { status, tries: Number(tries) }]));
    const logged = await world.execute({
      text: 'select event_id, attempt, status from joinery.event_invocations order by event_id, attempt',
      values: [],
    });
    for (const { id } of scenario.events) {
      const ending = endings.get(id);
      const entries = logged.rows.filter(([event]) => event === id).map(([, attempt, status]) => ({ attempt, status }));
      if (ending === undefined) violate(`lost: event ${id} is not in joinery.processed_events`);
      else checkLog(id, ending.status ?? '', ending.tries, entries);
    }
    if (isCalm(scenario)) checkCalm();
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
  function checkCalm(): void {
    for (const event of scenario.events) {
      const sent = calls().filter((one) => one.id === event.id);
      const attempts = new Set(sent.map(({ attempt }) => attempt)).size;
      if (sent.length > attempts)
        violate(`calm: ${attempts} attempts of event ${event.id} were called ${sent.length} times`);
    }
  }

  return { atCall, atEnd };
}

function isCalm({ failures, failingWebhooks }: Scenario): boolean {
  return failures.length === 0 && failingWebhooks === 0;
}
