/** One-off events: clients insert them, and nodes deliver them. */
import { createScheduledDelivery } from '../../../src/events/scheduled/delivery.ts';
import { leaseTimes } from '../engine/call-rules.ts';
import { EPOCH } from '../engine/node-process.ts';
import { origins, type Scenario } from '../engine/scenario.ts';
import { headerOf, type NodeContext, type Workload, type WorkloadContext } from '../engine/workload.ts';
import { createScheduledRules } from './rules.ts';
import type { ScenarioEvent } from './scenario.ts';

/** Creates what a node of the product has for scheduled events. */
export function scheduledDeliveryOf({ process, link, httpClient, observe, listen }: NodeContext, scenario: Scenario) {
  return createScheduledDelivery({
    database: link.database,
    ...(listen !== undefined && { databaseUrl: 'postgres://simulation', listen }),
    httpClient,
    callTarget: async () => ({ outcome: 'error', status: 500, response: '{}' }),
    environment: {},
    observe,
    nodeId: process.name,
    agent: 'joinery/simulation',
    leaseTimes,
    settings: { perDestination: scenario.perDestination, circuitFailures: scenario.circuitFailures },
  });
}

export function createScheduledWorkload(context: WorkloadContext, scenario: Scenario<ScenarioEvent>): Workload {
  const { world } = context;
  const { time } = world;
  const events = new Map(scenario.events.map((event) => [event.id, event]));
  /** When events were inserted. */
  const inserted = new Map<string, number>();
  const rules = createScheduledRules(context, (id) => events.get(id));

  async function insert(event: ScenarioEvent): Promise<void> {
    if (!world.isDatabaseUp()) {
      time.after(100, () => insert(event));
      return;
    }
    await world.execute({
      text: `insert into joinery.scheduled_events (id, webhook, schedule_at, payload, ordering_key, num_retries,
          retry_interval_seconds, timeout_seconds, tolerance_seconds)
        values ($1, $2, to_timestamp($3::double precision / 1000), '{}', $4, $5, $6, $7, $8)`,
      values: [
        event.id,
        `${origins[event.destination]}/hook`,
        EPOCH + event.scheduledAt,
        event.orderingKey,
        event.retries,
        event.retryIntervalSeconds,
        event.timeoutSeconds,
        event.toleranceSeconds,
      ],
    });
    world.log('client', `inserts ${event.id} for ${event.scheduledAt}`);
    inserted.set(event.id, time.now());
  }

  return {
    createNode: (node) => scheduledDeliveryOf(node, scenario),
    async begin() {
      for (const event of scenario.events) time.at(event.insertedAt, () => insert(event));
    },
    async isDone() {
      if (inserted.size < scenario.events.length) return false;
      const text = 'select count(*) from joinery.scheduled_events';
      return Number((await world.execute({ text, values: [] })).rows[0]?.[0]) === 0;
    },
    calledEvent: (request) => ({
      id: headerOf(request, 'webhook-id'),
      attempt: Number(headerOf(request, 'webhook-attempt')),
      content: request.body ?? '',
    }),
    atCall: rules.atCall,
    atEnd: () =>
      rules.atEnd(scenario.events.map(({ id }) => ({ id, mayBeLost: world.isLost(inserted.get(id) ?? Number.NaN) }))),
  };
}
