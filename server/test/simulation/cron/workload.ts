/** Cron triggers: clients change them, and nodes plan and deliver their runs. */
import type { CronTrigger } from '@joinery/metadata/schema/events/cron-triggers';
import { planTriggers } from '../../../src/events/cron/plan.ts';
import type { QueryResult } from '../../../src/postgres/client/statement-run.ts';
import { createCronPlanner, planDue } from '../../../src/service/commands/events/cron-plans.ts';
import { createStore, type Mark } from '../../../src/service/metadata/store.ts';
import { randomOf } from '../engine/random.ts';
import { origins } from '../engine/scenario.ts';
import { headerOf, type Workload, type WorkloadContext } from '../engine/workload.ts';
import { scheduledDeliveryOf } from '../scheduled/workload.ts';
import { createCronRules } from './rules.ts';
import type { CronScenario, ScenarioTrigger, TriggerChange } from './scenario.ts';

/** Interval in which nodes plan, in milliseconds; shorter than in the product, because simulations are short. */
const PLAN_EVERY_MS = 3_000;

/** A version of the metadata, which nodes know some time after it was written. A lost one has the number of a later one. */
interface Version {
  readonly mark: Mark;
  readonly writtenAt: number;
  readonly triggers: readonly CronTrigger[];
}

export function createCronWorkload(context: WorkloadContext, scenario: CronScenario): Workload {
  const { world } = context;
  const { time } = world;
  const versions: Version[] = [];
  const rules = createCronRules(context);
  let changes = scenario.events.length + 1;

  /** Changes the metadata and the planned runs in one transaction, as the product does. */
  async function write(triggers: readonly CronTrigger[]): Promise<void> {
    const run = (text: string): Promise<QueryResult> => world.execute({ text, values: [] });
    await run('begin');
    await run('select from joinery.metadata where id = 1 for update');
    await planTriggers(world.execute, triggers);
    const { rows } = await run(`update joinery.metadata
      set resource_version = resource_version + 1, updated_at = clock_timestamp() where id = 1
      returning resource_version, updated_at::text`);
    await run('commit');
    const [number, touched] = rows[0] ?? [];
    versions.push({ mark: { version: Number(number), touched: touched ?? '' }, writtenAt: time.now(), triggers });
  }

  function present(): readonly CronTrigger[] {
    return versions.filter(({ writtenAt }) => !world.isLost(writtenAt)).at(-1)?.triggers ?? [];
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
    const others = present().filter(({ name }) => name !== trigger.name);
    world.log('client', `${kind}s ${trigger.name}: ${trigger.schedule}`);
    await write([...others, { ...cronTriggerOf(trigger), ...(kind === 'pause' && { paused: true }) }]);
    rules.changed(trigger, kind === 'define');
  }

  async function removeAll(): Promise<void> {
    world.log('client', 'deletes all triggers');
    await write([]);
    rules.removedAll();
  }

  /** Returns the latest version that the node knows, which started at `startedAt`. */
  function knownTo(name: string, startedAt: number): Version {
    const delayOf = (what: string): number => randomOf(scenario.seed, 'version', name, what).between(5, 3_000);
    const known = versions.filter(({ mark: { touched }, writtenAt }) => {
      const knownAt = writtenAt + delayOf(touched);
      if (!world.isLost(writtenAt)) return time.now() >= knownAt;
      // A lost version is known to nodes that had loaded it, until they notice that there is another one.
      const lostAt = world.failedOverAt();
      return startedAt < lostAt && knownAt < lostAt && time.now() < lostAt + delayOf('failover');
    });
    const latest = known.at(-1);
    if (latest === undefined) throw new Error('there is no metadata');
    return latest;
  }

  return {
    createNode(node) {
      const delivery = scheduledDeliveryOf(node, scenario);
      const store = createStore(node.link.database);
      const startedAt = time.now();
      const plan = async (): Promise<void> => {
        const { mark, triggers } = knownTo(node.process.name, startedAt);
        await planDue(store, mark, { version: 3, sources: [], cron_triggers: [...triggers] });
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
      const text = 'select resource_version, updated_at::text from joinery.metadata where id = 1';
      const [number, touched] = (await world.execute({ text, values: [] })).rows[0] ?? [];
      const mark = { version: Number(number), touched: touched ?? '' };
      versions.push({ mark, writtenAt: Number.NEGATIVE_INFINITY, triggers: [] });
      for (const change of scenario.events) time.at(change.at, () => whenUp(() => apply(change)));
      time.at(scenario.endsAt, () => whenUp(removeAll));
    },
    async isDone() {
      if (changes > 0) return false;
      const text = 'select count(*) from joinery.scheduled_events';
      return Number((await world.execute({ text, values: [] })).rows[0]?.[0]) === 0;
    },
    async disconnected() {
      if (scenario.failures.some((one) => one.kind === 'failover' && one.at === time.now())) rules.lost();
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
