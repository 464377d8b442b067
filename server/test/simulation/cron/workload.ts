/** Cron triggers: clients change them, and nodes plan and deliver their runs. */
import type { CronTrigger } from '@joinery/metadata/schema/events/cron-triggers';
import { planTriggers } from '../../../src/events/cron/plan.ts';
import { createCronPlanner, planDue } from '../../../src/service/commands/events/cron-plans.ts';
import { createStore } from '../../../src/service/metadata/store.ts';
import { randomOf } from '../engine/random.ts';
import { origins } from '../engine/scenario.ts';
import { headerOf, type Workload, type WorkloadContext } from '../engine/workload.ts';
import { scheduledDeliveryOf } from '../scheduled/workload.ts';
import { createCronRules } from './rules.ts';
import type { CronScenario, ScenarioTrigger, TriggerChange } from './scenario.ts';

/** Interval in which nodes plan, in milliseconds; shorter than in the product, because simulations are short. */
const PLAN_EVERY_MS = 3_000;

/** A version of the metadata, which nodes know some time after it was written. */
interface Version {
  readonly number: number;
  readonly writtenAt: number;
  readonly triggers: readonly CronTrigger[];
}

export function createCronWorkload(context: WorkloadContext, scenario: CronScenario): Workload {
  const { world } = context;
  const { time } = world;
  const versions: Version[] = [{ number: 1, writtenAt: 0, triggers: [] }];
  const rules = createCronRules(context);
  let changes = scenario.events.length + 1;

  /** Changes the metadata and the planned runs in one transaction, as the product does. */
  async function write(triggers: readonly CronTrigger[]): Promise<void> {
    const number = versions.length + 1;
    const run = (text: string): Promise<unknown> => world.execute({ text, values: [] });
    await run('begin');
    await run('select from joinery.metadata where id = 1 for update');
    await planTriggers(world.execute, triggers);
    await run(`update joinery.metadata set resource_version = ${number} where id = 1`);
    await run('commit');
    versions.push({ number, writtenAt: time.now(), triggers });
  }

  async function whenUp(change: () => Promise<void>): Promise<void> {
    if (!world.isDatabaseUp()) {
      time.after(100, () => whenUp(change));
      return;
    }
    await change();
    changes -= 1;
  }

  async function apply({ kind, trigger }: TriggerChange): Promise<void> {
    const others = (versions.at(-1)?.triggers ?? []).filter(({ name }) => name !== trigger.name);
    world.log('client', `${kind}s ${trigger.name}: ${trigger.schedule}`);
    await write([...others, { ...cronTriggerOf(trigger), ...(kind === 'pause' && { paused: true }) }]);
    rules.changed(trigger, kind === 'define');
  }

  async function removeAll(): Promise<void> {
    world.log('client', 'deletes all triggers');
    await write([]);
    rules.removedAll();
  }

  /** Returns the latest version that the node knows. */
  function knownTo(name: string): Version {
    const known = versions.filter(({ number, writtenAt }) => {
      return time.now() >= writtenAt + randomOf(scenario.seed, 'version', name, number).between(5, 3_000);
    });
    const [first] = versions;
    if (first === undefined) throw new Error('there is no metadata');
    return known.at(-1) ?? first;
  }

  return {
    createNode(node) {
      const delivery = scheduledDeliveryOf(node, scenario);
      const store = createStore(node.link.database);
      const plan = async (): Promise<void> => {
        const { number, triggers } = knownTo(node.process.name);
        await planDue(store, number, { version: 3, sources: [], cron_triggers: [...triggers] });
      };
      const planner = createCronPlanner(plan, node.observe, PLAN_EVERY_MS);
      return {
        async start() {
          planner.start();
          await delivery.start();
        },
        async stop(limit) {
          await Promise.all([planner.stop(), delivery.stop(limit)]);
        },
      };
    },
    async begin() {
      world.setClock(scenario.clockMs);
      for (const change of scenario.events) time.at(change.at, () => whenUp(() => apply(change)));
      time.at(scenario.endsAt, () => whenUp(removeAll));
    },
    async isDone() {
      if (changes > 0) return false;
      const text = 'select count(*) from joinery.scheduled_events';
      return Number((await world.execute({ text, values: [] })).rows[0]?.[0]) === 0;
    },
    calledEvent: (request) => ({
      id: headerOf(request, 'webhook-id'),
      attempt: Number(headerOf(request, 'webhook-attempt')),
      content: request.body ?? '',
    }),
    atCall: rules.atCall,
    atEnd: rules.atEnd,
  };
}

function cronTriggerOf(trigger: ScenarioTrigger): CronTrigger {
  return {
    name: trigger.name,
    webhook: `${origins[trigger.destination]}/hook`,
    schedule: trigger.schedule,
    include_in_metadata: true,
    catch_up: trigger.catchUp,
    retry_conf: {
      num_retries: trigger.retries,
      retry_interval_seconds: trigger.retryIntervalSeconds,
      timeout_seconds: trigger.timeoutSeconds,
      tolerance_seconds: trigger.toleranceSeconds,
    },
  };
}
