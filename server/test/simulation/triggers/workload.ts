/** Event triggers: clients change a table in transactions, and nodes deliver the changes that were committed. */
import { createDatabaseClock } from '../../../src/events/delivery/database-clock.ts';
import { createDelivery } from '../../../src/events/delivery/delivery.ts';
import { followedLimits } from '../../../src/events/destinations/limits.ts';
import { type DeliveredTrigger, deliveredTrigger } from '../../../src/events/triggers/trigger.ts';
import { createTriggerStore } from '../../../src/events/triggers/trigger-store.ts';
import { triggerDefinition } from '../../support/events/trigger-definitions.ts';
import { leaseTimes } from '../engine/call-rules.ts';
import { origins } from '../engine/scenario.ts';
import { headerOf, type SimulatedNode, type Workload, type WorkloadContext } from '../engine/workload.ts';
import { scheduledDeliveryOf } from '../scheduled/workload.ts';
import { ORDERED, UNORDERED } from './install.ts';
import { createTriggerRules } from './rules.ts';
import type { Redelivery, TriggerScenario } from './scenario.ts';
import { createWriters } from './writers.ts';

const pending = `select
  (select count(*) from joinery.trigger_1_s1 e where not exists (
    select from joinery.trigger_1_log_s1 l where l.seq = e.seq and l.outcome is not null))
  + (select count(*) from joinery.trigger_2_s1 e where not exists (
    select from joinery.trigger_2_log_s1 l where l.seq = e.seq and l.outcome is not null))
  + (select count(*) from joinery.trigger_work) + (select count(*) from joinery.trigger_batches)
  + (select count(*) from joinery.trigger_stamps)`;

export function createTriggerWorkload(context: WorkloadContext, scenario: TriggerScenario): Workload {
  const { world } = context;
  const { time } = world;
  const writers = createWriters(world);
  const rules = createTriggerRules(context, scenario, writers.committed);
  let redeliveries = 0;

  async function redeliver({ trigger, choice }: Redelivery): Promise<void> {
    redeliveries -= 1;
    const { committed } = writers;
    const change = committed[choice % committed.length];
    if (change === undefined || !world.isDatabaseUp()) return;
    const id = await rules.idOf(trigger, change);
    if (id === undefined) return;
    const { rows } = await world.execute({ text: 'select joinery.redeliver_trigger_event($1)', values: [id] });
    world.log('client', `redelivers ${id}: ${rows[0]?.[0]}`);
    if (rows[0]?.[0] === 'ok') rules.redelivered(id);
  }

  return {
    createNode(node) {
      const { process, link, httpClient, observe, listen } = node;
      const scheduled = scheduledDeliveryOf(node, scenario);
      const triggers = triggersOf(scenario);
      const delivery = createDelivery({
        store: createTriggerStore({ database: link.database, triggers: () => triggers }),
        clock: createDatabaseClock(),
        limits: followedLimits(scheduled.limits),
        ...(listen !== undefined && { databaseUrl: 'postgres://simulation', listen }),
        httpClient,
        callTarget: async () => ({ outcome: 'error', status: 500, response: '{}' }),
        environment: {},
        observe,
        nodeId: process.name,
        agent: 'joinery/simulation',
        leaseTimes,
      });
      const both: readonly SimulatedNode[] = [scheduled, delivery];
      return {
        async start() {
          await Promise.all(both.map((one) => one.start()));
        },
        async stop(limit) {
          await Promise.all(both.map((one) => one.stop(limit)));
        },
      };
    },
    async begin() {
      for (const event of scenario.events) {
        if (event.kind === 'transaction') writers.begin(event);
        else {
          redeliveries += 1;
          time.at(event.at, () => redeliver(event));
        }
      }
    },
    async isDone() {
      if (!writers.haveEnded() || redeliveries > 0) return false;
      return Number((await world.execute({ text: pending, values: [] })).rows[0]?.[0]) === 0;
    },
    disconnected: writers.disconnect,
    calledEvent: (request) => ({
      id: headerOf(request, 'webhook-id'),
      attempt: Number(headerOf(request, 'webhook-attempt')),
      content: contentOf(request.body ?? ''),
    }),
    atCall: rules.atCall,
    atEnd: rules.atEnd,
  };
}

/** Returns the operation and the rows of a body. */
function contentOf(body: string): string {
  const { event, trigger } = JSON.parse(body);
  return JSON.stringify({ trigger: trigger.name, op: event.op, ...event.data });
}

function triggersOf({ call }: TriggerScenario): ReadonlyMap<number, DeliveredTrigger> {
  const numbers = [UNORDERED, ORDERED];
  return new Map(
    numbers.map((number, index) => {
      const definition = triggerDefinition({
        name: `trigger ${number}`,
        table: { schema: 'public', name: 'item' },
        url: { template: `${origins[index]}/hook` },
        retry: { num_retries: call.retries, interval_sec: call.intervalSeconds, timeout_sec: call.timeoutSeconds },
      });
      return [number, deliveredTrigger(number, definition)];
    }),
  );
}
