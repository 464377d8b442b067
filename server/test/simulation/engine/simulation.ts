/** Runs a scenario: nodes with the engines of the product, a database and webhooks in virtual time. */
import { createDatabaseLink, type DatabaseLink } from './database-link.ts';
import { createNodeProcess, type NodeProcess } from './node-process.ts';
import { createNotifications } from './notifications.ts';
import { randomOf } from './random.ts';
import { type Failure, origins, type Scenario } from './scenario.ts';
import type { VirtualDatabase } from './virtual-database.ts';
import type { WebhookCall } from './webhook-call.ts';
import { createWebhooks } from './webhooks.ts';
import type { SimulatedNode, Workload, WorkloadContext } from './workload.ts';
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
  readonly node: SimulatedNode;
  stopped: Promise<void> | undefined;
  hasStopped: boolean;
}

/** Virtual time in which events must end after the last failure, in milliseconds; longer than the probes of a circuit. */
const END_WITHIN_MS = 240_000;
const STOP_WITHIN_MS = 40_000;

/** Runs the scenario on the database, which it resets. `installProcesses` must have been called. */
export async function simulate(
  scenario: Scenario,
  createWorkload: (context: WorkloadContext) => Workload,
  database: VirtualDatabase,
): Promise<SimulationResult> {
  await database.reset();
  const world = createWorld(scenario, database);
  const { time } = world;
  const expected = new WeakSet<object>();
  const nodes: (RunningNode | undefined)[] = [];
  const all: RunningNode[] = [];
  const numbers: number[] = [];
  const listenOf = createNotifications(world, database);
  const linkOf = ({ process }: Pick<WebhookCall, 'process'>): DatabaseLink => {
    const link = all.find((one) => one.process === process)?.link;
    if (link === undefined) throw new Error(`there is no process ${process.name}`);
    return link;
  };
  const webhooks = createWebhooks({
    world,
    workload: () => workload,
    atCall: (call) => workload.atCall(call, linkOf(call)),
  });
  const workload = createWorkload({ world, calls: () => webhooks.calls, linkOf, unreached: webhooks.unreached });

  function start(number: number): void {
    const name = `n${number}.${all.length}`;
    const random = randomOf(scenario.seed, 'clock of', name);
    const drift = random.between(-0.0002, 0.0002);
    const wallOffsetMs = random.between(-100_000, 100_000);
    const process = createNodeProcess({ time, name, seed: scenario.seed, wallOffsetMs, drift });
    const nextNumber = (): number => {
      numbers[number] = (numbers[number] ?? -1) + 1;
      return numbers[number];
    };
    const link = createDatabaseLink({ world, process, node: number, nextNumber, expected });
    world.log(name, 'starts');
    const node = process.enter(() =>
      workload.createNode({
        process,
        link,
        httpClient: webhooks.clientOf(process, number),
        observe: (observation) => {
          if (observation.kind !== 'failure') return;
          const { error, where } = observation;
          if (error instanceof Object && expected.has(error)) return;
          world.violate(`failure of ${name} in ${where}: ${error instanceof Error ? error.stack : String(error)}`);
        },
        listen: listenOf(process, number),
      }),
    );
    const running: RunningNode = { process, link, node, stopped: undefined, hasStopped: false };
    nodes[number] = running;
    all.push(running);
    process.enter(() => node.start()).catch((error) => world.violate(`${name} does not start: ${String(error)}`));
  }

  function stop(running: RunningNode, drainMs: number): void {
    if (running.stopped !== undefined) return;
    world.log(running.process.name, `stops within ${drainMs} ms`);
    running.stopped = running.process.enter(() => running.node.stop({ drainMs }));
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

  async function apply(failure: Extract<Failure, { at: number }>): Promise<void> {
    if (failure.kind === 'clock') world.setClock(failure.byMs);
    else if (failure.kind === 'partition') world.partition(failure.node, failure.forMs);
    else if (failure.kind === 'restart' || failure.kind === 'failover') {
      await workload.disconnected?.();
      if (failure.kind === 'restart') world.restartDatabase(failure.forMs);
      else await world.failOver(failure.forMs, failure.lossMs > 0);
    } else {
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

  /** Runs until `done` returns true, which is polled after each task, and at most for `ms`. */
  async function runWhile(what: string, ms: number, done: () => boolean): Promise<void> {
    await time.run(time.now() + ms, () => world.violations.length > 0 || done());
    if (world.violations.length === 0 && !done()) world.violate(`end: ${what} within ${ms} ms`);
  }

  let isDone = false;
  async function poll(): Promise<void> {
    isDone = await workload.isDone();
    if (!isDone) time.after(250, poll);
  }

  const { concurrency } = scenario;
  if (concurrency !== undefined) {
    const text = 'insert into joinery.event_destinations (destination, concurrency) values ($1, $2)';
    await world.execute({ text, values: [origins[0], concurrency] });
  }
  for (let node = 0; node < scenario.nodes; node += 1) time.at(node * 20, () => start(node));
  await workload.begin();
  const timed = scenario.failures.filter((one) => 'at' in one);
  for (const failure of timed) {
    time.at(failure.at, () => apply(failure));
    if (failure.kind === 'failover' && failure.lossMs > 0) time.at(failure.at - failure.lossMs, world.save);
  }
  const quietAt = Math.max(1_000, ...timed.map((one) => one.at + ('forMs' in one ? one.forMs : 0) + 10));
  time.at(quietAt, poll);

  await runWhile('events do not end', quietAt + END_WITHIN_MS, () => isDone);
  if (world.violations.length === 0) {
    for (const running of nodes) if (running !== undefined) stop(running, 1_000);
    const ends = all.filter(({ process }) => !process.isDead());
    await runWhile('a node does not stop', STOP_WITHIN_MS, () => ends.every(({ hasStopped }) => hasStopped));
  }
  if (world.violations.length === 0) await workload.atEnd();
  for (const { process } of all) process.kill();
  return {
    violations: world.violations,
    trace: world.trace,
    digest: digestOf(world.trace),
    calls: webhooks.calls.length,
    virtualMs: time.now(),
  };
}
