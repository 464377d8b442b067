/** Batches and debounces: clients change a table by statements on few and on many rows, segments are replaced, and nodes deliver. */
import { createDatabaseClock } from '../../../src/events/delivery/database-clock.ts';
import { createDelivery } from '../../../src/events/delivery/delivery.ts';
import { followedLimits } from '../../../src/events/destinations/limits.ts';
import { closeSegment } from '../../../src/events/triggers/segments.ts';
import { type DeliveredTrigger, deliveredTrigger } from '../../../src/events/triggers/trigger.ts';
import { createTriggerStore } from '../../../src/events/triggers/trigger-store.ts';
import { triggerDefinition } from '../../support/events/trigger-definitions.ts';
import { leaseTimes } from '../engine/call-rules.ts';
import { origins } from '../engine/scenario.ts';
import { headerOf, type SimulatedNode, type Workload, type WorkloadContext } from '../engine/workload.ts';
import { scheduledDeliveryOf } from '../scheduled/workload.ts';
import { BATCHED, DEBOUNCED, firstSegments } from './install.ts';
import { createBatchRules, printChanges } from './rules.ts';
import type { BatchScenario, Rotation } from './scenario.ts';
import { changeName, createBulkWriters } from './writers.ts';

const segments = `select number, segment, unpack is not null from joinery.trigger_segments
  where number in (${BATCHED}, ${DEBOUNCED}) order by 1, 2`;

export function createBatchWorkload(context: WorkloadContext, scenario: BatchScenario): Workload {
  const { world } = context;
  const { time } = world;
  const writers = createBulkWriters(world);
  const rules = createBatchRules(context, scenario, writers);
  let rotations = 0;

  async function rotate({ trigger }: Rotation): Promise<void> {
    rotations -= 1;
    if (!world.isDatabaseUp()) return;
    await closeSegment(world.execute, trigger, 0);
    world.log('client', `replaces the segment of trigger ${trigger}`);
  }

  /** Whether events are pending, or stored as packed statements. */
  async function isPending(): Promise<boolean> {
    const { rows } = await world.execute({ text: segments, values: [] });
    const left = rows.flatMap(([number, segment, packs]) => [
      `(select count(*) from joinery.trigger_${number}_s${segment} e where not exists (
        select from joinery.trigger_${number}_log_s${segment} l where l.seq = e.seq and l.outcome is not null))`,
      ...(packs === 't' ? [`(select count(*) from joinery.trigger_${number}_s${segment}_packed)`] : []),
    ]);
    const text = `select ${left.join(' + ')} + (select count(*) from joinery.trigger_work)
      + (select count(*) from joinery.trigger_batches) + (select count(*) from joinery.trigger_stamps)`;
    return Number((await world.execute({ text, values: [] })).rows[0]?.[0]) > 0;
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
      await world.execute({ text: firstSegments, values: [] });
      for (const event of scenario.events) {
        if (event.kind === 'transaction') writers.begin(event);
        else {
          rotations += 1;
          time.at(event.at, () => rotate(event));
        }
      }
    },
    async isDone() {
      return writers.haveEnded() && rotations === 0 && !(await isPending());
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

interface Envelope {
  readonly id: string;
  readonly trigger: { readonly name: string };
  readonly event: { readonly data: { readonly new: { readonly id: number; readonly version: number } } };
}

/** Returns the trigger and the changes of a body. */
function contentOf(body: string): string {
  const parsed = JSON.parse(body) as Envelope | readonly Envelope[];
  const list = 'length' in parsed ? parsed : [parsed];
  return printChanges({
    trigger: Number(list[0]?.trigger.name.split(' ')[1]),
    changes: list.map(({ id, event }) => [id, changeName(event.data.new.id, event.data.new.version)]),
  });
}

function triggersOf(scenario: BatchScenario): ReadonlyMap<number, DeliveredTrigger> {
  const { maxEvents, maxWaitMs, retries, intervalSeconds, timeoutSeconds } = scenario;
  return new Map(
    [BATCHED, DEBOUNCED].map((number, index) => {
      const definition = triggerDefinition({
        name: `trigger ${number}`,
        table: { schema: 'public', name: 'bulk' },
        url: { template: `${origins[index]}/hook` },
        batch: number === BATCHED ? { maxEvents, maxWaitMs } : undefined,
        retry: { num_retries: retries, interval_sec: intervalSeconds, timeout_sec: timeoutSeconds },
      });
      return [number, deliveredTrigger(number, definition)];
    }),
  );
}
