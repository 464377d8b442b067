import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import type { Observation } from '../../base/telemetry/observe.ts';
import { assign } from './assignments.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import { type Child, createSupervisor, type Supervisor } from './supervisor.ts';

/** A process of the test, which starts when it has its assignment unless `fails`. */
class FakeProcess implements Child {
  readonly received: ToProcess[] = [];
  isAlive = true;
  #message: (message: FromProcess) => void = () => undefined;
  #exit: (how: string) => void = () => undefined;

  readonly pid: number;
  readonly fails: boolean;

  constructor(pid: number, fails: boolean) {
    this.pid = pid;
    this.fails = fails;
    queueMicrotask(() => this.#message({ kind: 'joined' }));
  }

  send(message: ToProcess): void {
    this.received.push(message);
    if (message.kind === 'assignment') {
      if (this.fails) this.end('code 1');
      else this.#message({ kind: 'started', url: `http://${message.assignment.name}` });
    }
    if (message.kind === 'stop') this.end('code 0');
  }

  kill(): void {
    this.end('SIGKILL');
  }

  onMessage(listener: (message: FromProcess) => void): void {
    this.#message = listener;
  }

  onExit(listener: (how: string) => void): void {
    this.#exit = listener;
  }

  report(message: FromProcess): void {
    this.#message(message);
  }

  end(how: string): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#exit(how);
  }
}

interface Scene {
  readonly supervisor: Supervisor;
  readonly processes: FakeProcess[];
  readonly observed: Observation[];
  readonly ends: Error[];
  /** Processes that start from now on fail. */
  fail(): void;
}

function scene(): Scene {
  const [processes, observed, ends]: [FakeProcess[], Observation[], Error[]] = [[], [], []];
  let fails = false;
  const supervisor = createSupervisor({
    fork: () => {
      const started = new FakeProcess(processes.length + 1, fails);
      processes.push(started);
      return started;
    },
    assignments: assign(
      { processes: 2, components: ['api', 'events'], poolSize: 10 },
      { group: 'test', embeddedUrl: undefined },
    ),
    observe: (observation) => observed.push(observation),
    onCrashLoop: (error) => ends.push(error),
    stopMs: 10_000,
    limits: { pauseMs: 1, longestPauseMs: 2, failures: 3 },
  });
  return { supervisor, processes, observed, ends, fail: () => (fails = true) };
}

const assignmentsOf = (processes: readonly FakeProcess[]) =>
  processes.map(({ received: [first] }) => (first?.kind === 'assignment' ? first.assignment.name : undefined));

test('starts the delivery process first, and reports readiness when all have started', async () => {
  const { supervisor, processes } = scene();
  await supervisor.start();
  expect(assignmentsOf(processes)).toEqual(['delivery', '1', '2']);
  expect(processes.map(({ received }) => received.at(-1))).toEqual([
    { kind: 'ready', ready: true },
    { kind: 'ready', ready: true },
    { kind: 'ready', ready: true },
  ]);
});

test('a process that ends at the start fails the start', async () => {
  const { supervisor, fail } = scene();
  fail();
  await expect(supervisor.start()).rejects.toThrow('process delivery (pid 1) ended at the start: code 1');
});

test('starts another process with the assignment of one that has ended', async () => {
  const { supervisor, processes } = scene();
  await supervisor.start();
  processes[1]?.kill();
  await until('another process', () => processes.length === 4 || undefined);
  await until('its assignment', () => assignmentsOf(processes)[3] === '1' || undefined);
});

test('stops all processes when one ends again and again', async () => {
  const { supervisor, processes, ends, fail } = scene();
  await supervisor.start();
  fail();
  processes[2]?.kill();
  const [error] = await until('the end', () => (ends.length > 0 ? ends : undefined));
  expect(error?.message).toContain('the last of 3 times in a row');
  expect(processes.filter(({ isAlive }) => isAlive)).toEqual([]);
});

test('a reload stops the old processes after all new ones have started', async () => {
  const { supervisor, processes } = scene();
  await supervisor.start();
  await supervisor.reload();
  expect(assignmentsOf(processes)).toEqual(['delivery', '1', '2', 'delivery', '1', '2']);
  expect(processes.map(({ isAlive }) => isAlive)).toEqual([false, false, false, true, true, true]);
  expect(processes[0]?.received.at(-1)).toEqual({ kind: 'stop', reason: 'reload', drains: true });
});

test('a reload whose processes cannot start keeps the old ones', async () => {
  const { supervisor, processes, observed, fail } = scene();
  await supervisor.start();
  fail();
  await supervisor.reload();
  expect(processes.map(({ isAlive }) => isAlive)).toEqual([true, true, true, false]);
  expect(observed.at(-1)).toMatchObject({ kind: 'failure', where: 'reload of the processes' });
});

/** Returns the last report of processes that poll live queries, which each process has received. */
function peersOf(processes: readonly FakeProcess[]) {
  const sets = processes
    .filter(({ isAlive }) => isAlive)
    .map(({ received }) => received.findLast((message) => message.kind === 'peers')?.set);
  expect(new Set(sets.map((set) => JSON.stringify(set))).size).toBe(1);
  return sets[0];
}

test('reports the processes that poll live queries, which are not those that are being replaced', async () => {
  const { supervisor, processes } = scene();
  await supervisor.start();
  expect(peersOf(processes)).toEqual({ owners: ['1:2', '2:3'], alive: ['delivery:1', '1:2', '2:3'] });
  processes[1]?.kill();
  await until('another process polls', () => peersOf(processes)?.owners.includes('1:4') || undefined);
  const set = { owners: ['2:3'], alive: ['delivery:1', '2:3'] };
  expect(processes[2]?.received).toContainEqual({ kind: 'peers', set });
  expect(peersOf(processes)).toEqual({ owners: ['1:4', '2:3'], alive: ['delivery:1', '2:3', '1:4'] });
  await supervisor.reload();
  expect(peersOf(processes)).toEqual({ owners: ['1:6', '2:7'], alive: ['delivery:5', '1:6', '2:7'] });
});

test('forwards messages about live queries to one process or to all others', async () => {
  const { supervisor, processes } = scene();
  await supervisor.start();
  const messages = [{ kind: 'polls', polls: true }] as const;
  processes[1]?.report({ kind: 'to-peer', to: '2:3', messages });
  processes[1]?.report({ kind: 'to-peer', to: undefined, messages });
  processes[1]?.report({ kind: 'to-peer', to: 'of an ended process', messages });
  const received = processes.map((one) => one.received.filter(({ kind }) => kind === 'from-peer'));
  const message = { kind: 'from-peer', from: '1:2', messages };
  expect(received).toEqual([[message], [], [message, message]]);
});

test('forwards no message of a process that has ended, for which nothing is polled any more', async () => {
  const { supervisor, processes } = scene();
  await supervisor.start();
  processes[1]?.end('SIGKILL');
  await until('its end is reported', () => !peersOf(processes)?.alive.includes('1:2') || undefined);
  processes[1]?.report({ kind: 'to-peer', to: '2:3', messages: [{ kind: 'polls', polls: true }] });
  expect(processes[2]?.received.filter(({ kind }) => kind === 'from-peer')).toEqual([]);
});

test('divides the connections of a pool without exceeding them', () => {
  const shared = { group: 'test', embeddedUrl: undefined };
  expect(() => assign({ processes: 4, components: ['api', 'events'], poolSize: 9 }, shared)).toThrow(
    'set it to at least 10',
  );
  expect(() => assign({ processes: 2, components: ['events'], poolSize: 10 }, shared)).toThrow('JOINERY_COMPONENTS');
  const { length, ...roles } = assign({ processes: 2, components: ['api'], poolSize: 10 }, shared).map(
    ({ name, appliesDirectory }) => [name, appliesDirectory],
  );
  expect(length).toBe(2);
  expect(roles).toEqual({ 0: ['1', true], 1: ['2', false] });
});
