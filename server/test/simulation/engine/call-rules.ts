/** Rules of calls that all kinds of events share. */
import type { DatabaseLink } from './database-link.ts';
import { EPOCH } from './node-process.ts';
import { origins, type Scenario } from './scenario.ts';
import type { WebhookCall } from './webhook-call.ts';
import type { WorkloadContext } from './workload.ts';

/** The duration of leases in simulations, in milliseconds. */
export const leaseTimes = { lastsMs: 3_000, renewEveryMs: 750 };

/** Difference between two roundings of a time, in milliseconds. */
export const ROUNDING_MS = 0.01;

/** What the database has of a called event when the call is sent. */
export interface PresentClaim {
  readonly lease: string | undefined;
  /** The node of the lease, as in the table of leases. */
  readonly node: string | undefined;
  readonly isValid: boolean;
  /** Earlier attempts. */
  readonly tries: number;
}

export interface CallRules {
  /**
   * Whether leases in the database are comparable with those that nodes trust: when its clock is set forward or commits are lost, leases
   * end that nodes trust, until they have expired by the clocks of the nodes as well.
   */
  leasesCount(): boolean;
  /** Checks that the node calls under its own valid lease, with the right number of the attempt. False if a rule is broken. */
  checkClaim(call: WebhookCall, claim: PresentClaim | undefined, node: string): boolean;
  /**
   * Checks that an earlier call is repeated only where its node counts as dead while it was in flight.
   *
   * @param isBeside whether another call must have ended, as that of an event of the same key
   */
  checkRepeat(call: WebhookCall, isBeside: (other: WebhookCall) => boolean): Promise<void>;
  /**
   * Checks that a retry waits after the failure of the attempt before.
   *
   * @param waitMs the configured wait; the rule is that at least half of it passes, because nodes estimate the time of the database
   */
  checkWait(call: WebhookCall, waitMs: number): void;
  /** Checks the concurrent calls of a node to a destination. */
  checkLimit(call: WebhookCall): void;
  /** Checks that no node calls a destination whose circuit it knows to be open, but for probes. */
  checkCircuit(call: WebhookCall, link: DatabaseLink): Promise<void>;
  /** Checks that all calls of an id have the same content. */
  checkContent(call: WebhookCall): void;
}

/** Returns the text by which messages name a call. */
export function nameOf({ id, attempt, process }: WebhookCall): string {
  return `call of ${id}, attempt ${attempt}, by ${process.name}`;
}

/** Time from the start of a call, or the end of a statement that it waits for, until it is sent. */
const SENT_WITHIN_MS = 50;

const openCircuit = `select extract(epoch from circuit_opened_at) * 1000 from joinery.event_destinations
  where destination = $1 and circuit_opened_at is not null`;

/**
 * @param table the table of the leases of this kind of events
 * @param abandonsOutcomes whether a node that stops does not wait for the database to store outcomes
 */
export function createCallRules(
  { world, calls, linkOf, unreached }: WorkloadContext,
  table: string,
  abandonsOutcomes = false,
): CallRules {
  const { scenario, time, violate } = world;
  const validLeases = `select id from ${table} where expires_at > clock_timestamp()`;
  const isComparable = ({ at }: WebhookCall): boolean => at > world.leasesChangedAt();

  return {
    leasesCount: () => time.now() > world.leasesChangedAt() + 2 * leaseTimes.lastsMs,
    checkClaim(call, claim, expected) {
      const name = nameOf(call);
      if (claim === undefined) violate(`fenced: the ${name} is of an event that has ended`);
      else if (claim.node !== expected) violate(`fenced: the ${name} is under lease ${claim.lease} of ${claim.node}`);
      else if (!claim.isValid) violate(`fenced: the ${name} is under lease ${claim.lease}, which has expired`);
      else if (claim.tries + 1 !== call.attempt) violate(`attempts: the ${name} follows ${claim.tries} attempts`);
      else return true;
      return false;
    },
    async checkRepeat(call, isBeside) {
      const name = nameOf(call);
      const earlier = calls().filter((one) => {
        return one.id === call.id ? one.attempt === call.attempt : one.open && isBeside(one);
      });
      if (earlier.length === 0) return;
      const { rows } = await world.execute({ text: validLeases, values: [] });
      const valid = new Set(rows.map(([one]) => one));
      for (const { lease, process, aborted, id } of earlier.filter(isComparable)) {
        if (lease === undefined) continue;
        const what = id === call.id ? `repeats that of ${process.name}` : `is beside that of ${id}`;
        if (valid.has(lease) && !aborted) violate(`repeat: the ${name} ${what}, whose lease ${lease} is valid`);
      }
      for (const one of earlier.filter(isComparable)) {
        if (one.aborted || one.lease === undefined || !linkOf(one).removedLeases.has(one.lease)) continue;
        if (abandonsOutcomes && world.brokeSince(one.node, one.at)) continue;
        violate(
          `repeat: ${one.process.name} has ended lease ${one.lease} before the outcome of the call that the ${name} repeats`,
        );
      }
    },
    checkWait(call, waitMs) {
      const before = calls().filter((one) => one.id === call.id && one.attempt === call.attempt - 1);
      const [failed] = before;
      // Of several calls of an attempt it is not known which one has the outcome. `Retry-After` replaces the wait.
      if (failed === undefined || before.length > 1 || unreached(call.id) > 0) return;
      if (failed.endedAt === undefined || failed.status === 429) return;
      // Nodes read the time of the database once a second.
      if (failed.at <= world.leasesChangedAt() + 2 * leaseTimes.lastsMs) return;
      const waited = time.now() - failed.endedAt;
      if (waited < waitMs / 2) {
        violate(`wait: the ${nameOf(call)} is ${waited.toFixed(3)} ms after a failure, and must wait ${waitMs} ms`);
      }
    },
    checkLimit(call) {
      const { perDestination, concurrency } = scenario;
      const { destination, process } = call;
      const limit = destination === origins[0] ? (concurrency ?? perDestination) : perDestination;
      const open = calls().filter(
        (one) => one.open && one.process === process && one.destination === destination,
      ).length;
      if (open >= limit) {
        violate(`limit: the ${nameOf(call)} is beside ${open} calls to ${destination}, whose limit is ${limit}`);
      }
    },
    async checkCircuit(call, link) {
      if (scenario.circuitFailures === 0 || !this.leasesCount()) return;
      const { rows } = await world.execute({ text: openCircuit, values: [call.destination] });
      const openedMs = rows[0]?.[0];
      if (openedMs === undefined || openedMs === null) return;
      const clockOffset = world.databaseNow() - EPOCH - time.now();
      const openedAt = Number(openedMs) - EPOCH - clockOffset;
      const known = link.limitReads.find(({ executedAt }) => executedAt > openedAt);
      if (known === undefined) return;
      const idleSince = Math.max(known.receivedAt, call.process.resumedAt());
      if (time.now() < idleSince + SENT_WITHIN_MS || link.hasWaited(idleSince, SENT_WITHIN_MS)) return;
      const probe = link.probes
        .filter(({ destination, at }) => destination === call.destination && at > openedAt)
        .at(-1);
      const name = nameOf(call);
      if (probe === undefined) return violate(`circuit: the ${name} is to a destination whose circuit is open`);
      const since = calls().filter((one) => {
        return one.process === call.process && one.destination === call.destination && one.at > probe.at;
      });
      if (since.length > 0) violate(`circuit: the ${name} is the call ${since.length + 1} of one probe`);
    },
    checkContent(call) {
      const other = calls().find((one) => one.id === call.id && one.content !== call.content);
      if (other === undefined) return;
      violate(`content: the ${nameOf(call)} has ${call.content}, and an earlier one of this id ${other.content}`);
    },
  };
}

/** Whether nothing fails in the scenario: then every attempt is called once. */
export function isCalm({ failures, failingWebhooks }: Scenario): boolean {
  return failures.length === 0 && failingWebhooks === 0;
}
