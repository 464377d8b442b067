/** The rules of asynchronous actions: checked at each call of a handler and at the end of a simulation. */
import { createCallRules, isCalm, nameOf, ROUNDING_MS } from '../engine/call-rules.ts';
import type { WebhookCall } from '../engine/webhook-call.ts';
import type { WorkloadContext } from '../engine/workload.ts';
import type { ActionScenario } from './scenario.ts';

export interface ActionRules {
  atCall(call: WebhookCall): Promise<void>;
  /** Returns the result of a call, which is that of no other. */
  responseOf(call: WebhookCall): string;
  /** @param mayBeLost whether a failover has lost the commit of a request */
  atEnd(mayBeLost: (number: number) => boolean): Promise<void>;
}

const claimOf = `
select a.lease, a.tries, extract(epoch from a.due_at) * 1000, l.node, l.expires_at > clock_timestamp(), a.status
from joinery.action_log a left join joinery.event_leases l on l.id = a.lease
where (a.input_payload ->> 'n')::integer = $1::integer`;

const results = `
select a.input_payload ->> 'n', a.status, a.tries, a.response_payload, a.errors ->> 'code', a.calls
from joinery.action_log a order by 1`;

const validLeases = 'select id from joinery.event_leases where expires_at > clock_timestamp()';

/** An entry of the column `calls`. */
interface LoggedCall {
  readonly attempt: number;
  readonly response: { readonly status: number } | null;
}

export function createActionRules(context: WorkloadContext, scenario: ActionScenario): ActionRules {
  const { world, calls } = context;
  const { violate } = world;
  const rules = createCallRules(context, 'joinery.event_leases', true);

  async function atCall(call: WebhookCall): Promise<void> {
    const { rows } = await world.execute({ text: claimOf, values: [call.id] });
    const [lease, tries, dueMs, node, isValid, status] = rows[0] ?? [];
    call.lease = lease ?? undefined;
    call.attempt = Number(tries ?? 0) + 1;
    if (rules.leasesCount()) {
      const claim = {
        lease: lease ?? undefined,
        node: node ?? undefined,
        isValid: isValid === 't',
        tries: Number(tries),
      };
      const isClaimed = status === 'processing';
      if (!rules.checkClaim(call, isClaimed ? claim : undefined, `${call.process.name} actions`)) return;
      await rules.checkRepeat(call, () => false);
      await checkBeside(call);
    }
    // The database compares the time: where its clock is set back, the claim was made by the former time.
    const early = typeof dueMs === 'string' ? Number(dueMs) - world.databaseNow() : 0;
    if (rules.leasesCount() && early > ROUNDING_MS)
      violate(`early: the ${nameOf(call)} is ${early} ms before its time`);
    rules.checkWait(call, scenario.retryIntervalSeconds * 1_000);
    rules.checkLimit(call);
    rules.checkContent(call);
  }

  /** A later attempt is not called while an earlier one is open under a valid lease. */
  async function checkBeside(call: WebhookCall): Promise<void> {
    const earlier = calls().filter((one) => one.id === call.id && one.open && one.attempt < call.attempt);
    if (earlier.length === 0) return;
    const valid = (await world.execute({ text: validLeases, values: [] })).rows.map(([id]) => id);
    for (const { lease, aborted, at, attempt, process } of earlier) {
      if (aborted || at <= world.leasesChangedAt() || !valid.includes(lease ?? null)) continue;
      violate(`repeat: the ${nameOf(call)} is beside attempt ${attempt} of ${process.name}, whose lease is valid`);
    }
  }

  async function atEnd(mayBeLost: (number: number) => boolean): Promise<void> {
    const { rows } = await world.execute({ text: results, values: [] });
    for (const { number } of scenario.events) {
      const entries = rows.filter(([n]) => n === String(number));
      if (entries.length > 1) violate(`doubled: request ${number} has ${entries.length} entries`);
      const [entry] = entries;
      if (entry === undefined) {
        if (!mayBeLost(number)) violate(`lost: request ${number} has no entry`);
        continue;
      }
      const [, status, tries, response, code, logged] = entry;
      checkEntry(String(number), {
        status: status ?? '',
        tries: Number(tries),
        response: response ?? undefined,
        code: code ?? undefined,
        logged: JSON.parse(logged ?? '[]'),
      });
    }
  }

  interface Entry {
    readonly status: string;
    readonly tries: number;
    readonly response: string | undefined;
    readonly code: string | undefined;
    readonly logged: readonly LoggedCall[];
  }

  function checkEntry(id: string, { status, tries, response, code, logged }: Entry): void {
    const sent = calls().filter((one) => one.id === id);
    const attempts = logged.map(({ attempt }) => attempt);
    const expected = Array.from({ length: tries }, (_unused, index) => index + 1);
    if (attempts.join() !== expected.join())
      violate(`log: request ${id} has ${tries} attempts, and the log has ${attempts}`);
    for (const { attempt, response: received } of logged) {
      if (received === null) continue;
      if (!sent.some((one) => one.attempt === attempt && one.status === received.status)) {
        violate(`log: attempt ${attempt} of ${id} has status ${received.status}, which no handler has sent`);
      }
    }
    const last = logged.at(-1)?.response?.status;
    const isCompleted = last === 200;
    if (isCompleted !== (status === 'completed'))
      violate(`result: request ${id} is ${status}, and its last status is ${last}`);
    if (isCompleted) checkResult(id, sent, response);
    if (!isCompleted && code === undefined) violate(`result: request ${id} has no error`);
    if (tries > scenario.retries + 1 || (!isCompleted && last !== 410 && tries <= scenario.retries)) {
      violate(`retries: request ${id} is ${status} after ${tries} attempts with ${scenario.retries} retries`);
    }
    const different = new Set(sent.map(({ attempt }) => attempt)).size;
    if (isCalm(scenario) && sent.length > different) {
      violate(`calm: ${different} attempts of request ${id} were called ${sent.length} times`);
    }
  }

  /** The result is that of the last call: of earlier ones, nodes had lost the claim. */
  function checkResult(id: string, sent: readonly WebhookCall[], response: string | undefined): void {
    const results = sent.map(responseOf);
    const isOrdered = world.leasesChangedAt() === Number.NEGATIVE_INFINITY;
    if (isOrdered ? results.at(-1) === response : results.includes(response ?? '')) return;
    violate(`result: request ${id} has the result ${response}, and its calls have returned ${results.join()}`);
  }

  function responseOf(call: WebhookCall): string {
    const number = calls()
      .filter(({ id }) => id === call.id)
      .indexOf(call);
    return String(Number(call.id) * 1_000 + number);
  }

  return { atCall, atEnd, responseOf };
}
