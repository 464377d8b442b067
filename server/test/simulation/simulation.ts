/** Runs a scenario: nodes with the engine of the product, a database and webhooks in virtual time. */
import { createScheduledDelivery, type ScheduledDelivery } from '../../src/events/scheduled/delivery.ts';
import { createDatabaseLink, type DatabaseLink } from './database-link.ts';
import { createNodeProcess, EPOCH, type NodeProcess } from './node-process.ts';
import { randomOf } from './random.ts';
import { createDeliveryRules, leaseTimes } from './rules.ts';
import { DESTINATIONS, type Failure, type Scenario, type ScenarioEvent } from './scenario.ts';
import type { VirtualDatabase } from './virtual-database.ts';
import { createWebhooks, type WebhookCall } from './webhooks.ts';
import { createWorld, digestOf } from './world.ts';

export interface SimulationResult {
  /** Broken rules; empty if all hold. */
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  /** Equal for runs in which the same happened. */
  readonly digest: string;
  readonly calls: number;
  readonly virtualMs: number;
}

interface RunningNode {
  readonly process: NodeProcess;
  readonly link: DatabaseLink;
  readonly delivery: ScheduledDelivery;
  stopped: Promise<void> | undefined;
  hasStopped: boolean;
}

const origins = Array.from({ length: DESTINATIONS }, (_unused, index) => `http://destination-${index}.test`);

/** Virtual time in which events must end after the last failure, in milliseconds. */
const END_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 40_000;

/** Runs the scenario on the database, which it resets. `installProcesses` must have been called. */
export async function simulate(scenario: Scenario, database: VirtualDatabase): Promise<SimulationResult> {
  await database.reset();
  const world = createWorld(scenario, database);
  const { time } = world;
  const expected = new WeakSet<object>();
  const nodes: (RunningNode | undefined)[] = [];
  const all: RunningNode[] = [];
  const numbers: number[] = [];
  const linkOf = ({ process }: Pick<WebhookCall, 'process'>): DatabaseLink => {
    const link = all.find((one) => one.process === process)?.link;
    if (link === undefined) throw new Error(`there is no process ${process.name}`);
    return link;
  };
  const webhooks = createWebhooks(world, (call) => rules.atCall(call, linkOf(call)));
  const rules = createDeliveryRules({ world, calls: () => webhooks.calls, linkOf, destinations: origins });

  function start(node: number): void {
    const name = `n${node}.${all.length}`;
    const random = randomOf(scenario.seed, 'clock of', name);
    const drift = random.between(-0.0002, 0.0002);
    const wallOffsetMs = random.between(-100_000, 100_000);
    const process = createNodeProcess({ time, name, seed: scenario.seed, wallOffsetMs, drift });
    const nextNumber = (): number => {
      numbers[node] = (numbers[node] ?? -1) + 1;
      return numbers[node];
    };
    const link = createDatabaseLink({ world, process, node, nextNumber, expected });
    world.log(name, 'starts');
    const delivery = process.enter(() =>
      createScheduledDelivery({
        database: link.database,
        httpClient: webhooks.clientOf(process, node),
        callTarget: async () => ({ outcome: 'error', status: 500, response: '{}' }),
        environment: {},
        observe: (observation) => {
          if (observation.kind !== 'failure') return;
          const { error, where } = observation;
          if (error instanceof Object && expected.has(error)) return;
          world.violate(`failure of ${name} in ${where}: ${error instanceof Error ? error.stack : String(error)}`);
        },
        nodeId: name,
        agent: 'joinery/simulation',
        leaseTimes,
        settings: { perDestination: scenario.perDestination, circuitFailures: 0 },
      }),
    );
    const running: RunningNode = { process, link, delivery, stopped: undefined, hasStopped: false };
    nodes[node] = running;
    all.push(running);
    process.enter(() => delivery.start()).catch((error) => world.violate(`${name} does not start: ${String(error)}`));
  }

  function stop(running: RunningNode, drainMs: number): void {
    if (running.stopped !== undefined) return;
    world.log(running.process.name, `stops within ${drainMs} ms`);
    running.stopped = running.process.enter(() => running.delivery.stop({ drainMs }));
    running.stopped.then(() => {
      running.hasStopped = true;
      world.log(running.process.name, 'has stopped');
    });
  }

  function kill(running: RunningNode): void {
    world.log(running.process.name, 'is killed');
    running.process.kill();
    webhooks.disconnect(running.process);
  }

  function apply(failure: Exclude<Failure, { kind: 'statement' }>): void {
    if (failure.kind === 'clock') world.setClock(failure.byMs);
    else if (failure.kind === 'restart') world.restartDatabase(failure.forMs);
    else if (failure.kind === 'partition') world.partition(failure.node, failure.forMs);
    else {
      const running = nodes[failure.node];
      if (running !== undefined) interrupt(running, failure);
    }
  }

  function interrupt(running: RunningNode, failure: Extract<Failure, { kind: 'kill' | 'stop' | 'suspend' }>): void {
    const { node, forMs } = failure;
    if (failure.kind === 'suspend') {
      world.log(running.process.name, `is suspended for ${forMs} ms`);
      running.process.suspend(forMs);
      return;
    }
    if (failure.kind === 'kill') kill(running);
    else stop(running, failure.drainMs);
    nodes[node] = undefined;
    time.after(forMs, () => start(node));
  }

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
    inserted += 1;
  }

  /** Runs until `done` returns true, which is polled after each task, and at most for `ms`. */
  async function runWhile(what: string, ms: number, done: () => boolean): Promise<void> {
    await time.run(time.now() + ms, () => world.violations.length > 0 || done());
    if (world.violations.length === 0 && !done()) world.violate(`end: ${what} within ${ms} ms`);
  }

  let inserted = 0;
  let waiting = Number.POSITIVE_INFINITY;
  async function count(): Promise<void> {
    const text = 'select count(*) from joinery.scheduled_events';
    waiting = inserted < scenario.events.length ? 1 : Number((await world.execute({ text, values: [] })).rows[0]?.[0]);
    if (waiting > 0) time.after(250, count);
  }

  const { concurrency } = scenario;
  if (concurrency !== undefined) {
    const text = 'insert into joinery.event_destinations (destination, concurrency) values ($1, $2)';
    await world.execute({ text, values: [origins[0], concurrency] });
  }
  for (let node = 0; node < scenario.nodes; node += 1) time.at(node * 20, () => start(node));
  for (const event of scenario.events) time.at(event.insertedAt, () => insert(event));
  const timed = scenario.failures.filter((one) => one.kind !== 'statement');
  for (const failure of timed) time.at(failure.at, () => apply(failure));
  const quietAt = Math.max(1_000, ...timed.map((one) => one.at + ('forMs' in one ? one.forMs : 0) + 10));
  time.at(quietAt, count);

  await runWhile('events do not end', quietAt + END_WITHIN_MS, () => waiting === 0);
  if (world.violations.length === 0) {
    for (const running of nodes) if (running !== undefined) stop(running, 1_000);
    const ends = all.filter(({ process }) => !process.isDead());
    await runWhile('a node does not stop', STOP_WITHIN_MS, () => ends.every(({ hasStopped }) => hasStopped));
  }
  if (world.violations.length === 0) await rules.atEnd();
  for (const { process } of all) process.kill();
  return {
    violations: world.violations,
    trace: world.trace,
    digest: digestOf(world.trace),
    calls: webhooks.calls.length,
    virtualMs: time.now(),
  };
}
