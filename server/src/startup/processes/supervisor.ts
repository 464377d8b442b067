/** Starts the processes of a service, restarts those that end, replaces them at a reload and sums their metrics. */
import { ServiceError } from '../../base/errors.ts';
import { addLasting, type MetricSample, type ProcessMetrics } from '../../base/telemetry/metric-sums.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { PeerSet } from '../../execute/live/peers.ts';
import type { Assignment, FromProcess, ToProcess } from './messages.ts';

/** A process, or a test's replacement of one. */
export interface Child {
  readonly pid: number | undefined;
  /** Ignored by a process that has ended. */
  send(message: ToProcess): void;
  /** Ends the process by SIGKILL. */
  kill(): void;
  onMessage(listener: (message: FromProcess) => void): void;
  /** `how` is `code 1` or `SIGKILL`. */
  onExit(listener: (how: string) => void): void;
}

export interface SupervisorOptions {
  readonly fork: () => Child;
  /** The first has started before the others start. */
  readonly assignments: readonly Assignment[];
  readonly observe: Observe;
  /** Called when processes end again and again; all have ended then. */
  readonly onCrashLoop: (error: ServiceError) => void;
  /** Milliseconds after which a process that does not stop is killed. */
  readonly stopMs: number;
  readonly limits?: Partial<RestartLimits>;
}

interface RestartLimits {
  /** Milliseconds before the first restart; doubled with each failure in a row. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Failures of one process in a row that end the service. */
  readonly failures: number;
  /** Milliseconds after which a process that ends begins a new row. */
  readonly stableMs: number;
}

const defaults: RestartLimits = { pauseMs: 100, longestPauseMs: 5_000, failures: 5, stableMs: 30_000 };
/** Milliseconds for the metrics of a process, which may be busy. */
const METRICS_MS = 2_000;

export interface Supervisor {
  /** Resolves with the URL when all processes have started. Rejects when one ends before. */
  start(): Promise<string>;
  /** Starts new processes, then drains the old ones one after the other. Keeps the old ones if a new one fails. */
  reload(): Promise<void>;
  /** Returns the metrics of each process, and of those that have ended. */
  readMetrics(): Promise<readonly ProcessMetrics[]>;
  /** Stops all processes. */
  stop(reason: string): Promise<void>;
}

interface Running {
  /** Not used again after the end of the process. */
  readonly id: string;
  readonly slot: Slot;
  readonly child: Child;
  readonly began: number;
  readonly started: Promise<string | undefined>;
  readonly exited: Promise<string>;
  /** Whether it accepts messages. */
  hasJoined: boolean;
  hasStarted: boolean;
  /** The metrics of the last scrape. */
  metrics: readonly MetricSample[];
}

/** An assignment and the process that has it. */
interface Slot {
  readonly assignment: Assignment;
  running: Running | undefined;
  failures: number;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { observe, assignments } = options;
  const limits = { ...defaults, ...options.limits };
  const slots: readonly Slot[] = assignments.map((assignment) => ({ assignment, running: undefined, failures: 0 }));
  const alive = new Set<Running>();
  const timers = new Set<NodeJS.Timeout>();
  const scrapes = new Map<number, (from: Running, metrics: readonly MetricSample[]) => void>();
  let retired: Promise<readonly MetricSample[]> = Promise.resolve([]);
  let scrapeCount = 0;
  let launches = 0;
  let ready = false;
  let stopping: Promise<void> | undefined;
  let reloading: Promise<void> | undefined;
  let failStart: (error: ServiceError) => void = () => undefined;

  const note = (level: 'info' | 'warn', message: string): void =>
    observe({ kind: 'note', level, where: 'processes', message });

  function broadcast(message: ToProcess): void {
    for (const { child } of alive) child.send(message);
  }

  function setReady(value: boolean): void {
    ready = value;
    broadcast({ kind: 'ready', ready });
  }

  /** Returns the processes that poll live queries: those that serve requests and are not being replaced. */
  function peers(): PeerSet {
    const owners = slots.flatMap(({ assignment, running }) =>
      running !== undefined && assignment.role === 'requests' && running.hasStarted && alive.has(running)
        ? [running.id]
        : [],
    );
    return { owners, alive: [...alive].map(({ id }) => id) };
  }

  function reportPeers(): void {
    const set = peers();
    for (const { child, hasJoined } of alive) if (hasJoined) child.send({ kind: 'peers', set });
  }

  function forward(from: string, { to, messages }: Extract<FromProcess, { kind: 'to-peer' }>): void {
    for (const { id, child } of alive) {
      if (id === to || (to === undefined && id !== from)) child.send({ kind: 'from-peer', from, messages });
    }
  }

  /** Starts a process, which takes the slot when `attach` is called. */
  function launch(slot: Slot): Running {
    const child = options.fork();
    const exited = new Promise<string>((resolve) => child.onExit(resolve));
    const started = new Promise<string | undefined>((resolve, reject) => {
      child.onMessage((message) => {
        if (message.kind === 'started') {
          running.hasStarted = true;
          resolve(message.url);
          reportPeers();
        } else receive(running, message);
      });
      exited.then((how) => reject(new ServiceError('unexpected', `${described(running)} ended at its start: ${how}`)));
    });
    started.catch(() => undefined);
    const running: Running = {
      id: `${slot.assignment.name}:${++launches}`,
      ...{ slot, child, began: performance.now(), started, exited, hasJoined: false, hasStarted: false, metrics: [] },
    };
    alive.add(running);
    exited.then((how) => ended(running, how));
    return running;
  }

  function receive(running: Running, message: Exclude<FromProcess, { kind: 'started' }>): void {
    switch (message.kind) {
      case 'joined':
        running.hasJoined = true;
        running.child.send({
          kind: 'assignment',
          assignment: running.slot.assignment,
          id: running.id,
          ready,
          peers: peers(),
        });
        break;
      case 'metrics':
        running.metrics = message.metrics;
        if (message.id !== undefined) scrapes.get(message.id)?.(running, message.metrics);
        break;
      case 'request-metrics':
        readAll().then((metrics) => running.child.send({ kind: 'all-metrics', id: message.id, metrics }));
        break;
      case 'to-peer':
        // Its last messages may arrive after its end, which the other processes know already.
        if (alive.has(running)) forward(running.id, message);
        break;
      default:
        message satisfies never;
    }
  }

  function ended(running: Running, how: string): void {
    alive.delete(running);
    retired = retired.then((before) =>
      addLasting(before, running.metrics).catch((error: unknown) => {
        observe({ kind: 'failure', where: 'metrics of a process that has ended', error });
        return before;
      }),
    );
    if (running.slot.running === running) lost(running, how);
    reportPeers();
  }

  /** Starts another process, or stops the service where processes end again and again. */
  function lost(running: Running, how: string): void {
    if (stopping !== undefined) return;
    const { slot } = running;
    slot.running = undefined;
    if (!ready) {
      failStart(new ServiceError('unexpected', `${described(running)} ended at the start: ${how}`));
      return;
    }
    slot.failures = performance.now() - running.began > limits.stableMs ? 1 : slot.failures + 1;
    if (slot.failures >= limits.failures) {
      const message = `${described(running)} ended: ${how}, the last of ${slot.failures} times in a row; the service stops`;
      const error = new ServiceError('unexpected', message);
      stop('a process ends again and again').then(() => options.onCrashLoop(error));
      return;
    }
    const pauseMs = Math.min(limits.pauseMs * 2 ** (slot.failures - 1), limits.longestPauseMs);
    note('warn', `${described(running)} ended: ${how}; starting another in ${pauseMs / 1_000} s`);
    const timer = setTimeout(() => {
      timers.delete(timer);
      // A reload may have filled the slot.
      if (stopping === undefined && slot.running === undefined) slot.running = launch(slot);
    }, pauseMs);
    timers.add(timer);
  }

  async function start(): Promise<string> {
    const failed = new Promise<never>((_resolve, reject) => {
      failStart = reject;
    });
    const starting = startAll((slot, running) => {
      slot.running = running;
    });
    const urls = await Promise.race([starting, failed]);
    setReady(true);
    return urls.find((url) => url !== undefined) ?? '';
  }

  /** Starts one process for each slot, the first alone. */
  async function startAll(each: (slot: Slot, running: Running) => void): Promise<readonly (string | undefined)[]> {
    const [first, ...others] = slots.map((slot) => () => {
      const running = launch(slot);
      each(slot, running);
      return running.started;
    });
    return [await first?.(), ...(await Promise.all(others.map((launchOne) => launchOne())))];
  }

  async function replaceAll(): Promise<void> {
    const replacements = new Map<Slot, Running>();
    try {
      await startAll((slot, running) => replacements.set(slot, running));
    } catch (error) {
      for (const { child } of replacements.values()) child.kill();
      if (stopping !== undefined) return;
      observe({ kind: 'failure', where: 'reload of the processes', error });
      return;
    }
    for (const [slot, running] of replacements) {
      const old = slot.running;
      slot.running = running;
      slot.failures = 0;
      reportPeers();
      if (stopping !== undefined) return;
      if (!alive.has(running)) lost(running, 'during the reload');
      if (old === undefined || !alive.has(old)) continue;
      old.child.send({ kind: 'stop', reason: 'reload', drains: true });
      await killLate(old);
    }
    note('info', 'all processes are replaced');
  }

  async function killLate(running: Running): Promise<void> {
    const timer = setTimeout(() => running.child.kill(), options.stopMs);
    await running.exited;
    clearTimeout(timer);
  }

  function stop(reason: string): Promise<void> {
    stopping ??= (async () => {
      setReady(false);
      for (const timer of timers) clearTimeout(timer);
      broadcast({ kind: 'stop', reason, drains: false });
      await Promise.all([...alive].map(killLate));
    })();
    return stopping;
  }

  /** Returns the metrics of each process. A process that does not respond has those of the last scrape. */
  async function readAll(): Promise<readonly ProcessMetrics[]> {
    const id = ++scrapeCount;
    const waiting = new Set(alive);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, METRICS_MS);
      const finish = (running: Running): void => {
        waiting.delete(running);
        if (waiting.size > 0) return;
        clearTimeout(timer);
        resolve();
      };
      scrapes.set(id, finish);
      for (const running of alive) {
        running.exited.then(() => finish(running));
        running.child.send({ kind: 'read-metrics', id });
      }
    });
    scrapes.delete(id);
    const current = [...alive].map(({ slot, metrics }) => ({ process: slot.assignment.name, samples: metrics }));
    return [...current, { process: undefined, samples: await retired }];
  }

  return {
    start,
    reload: () => {
      if (stopping !== undefined || !ready) return Promise.resolve();
      reloading ??= replaceAll().finally(() => {
        reloading = undefined;
      });
      return reloading;
    },
    readMetrics: readAll,
    stop,
  };
}

function described({ child, slot }: Running): string {
  return `process ${slot.assignment.name} (pid ${child.pid ?? 'unknown'})`;
}
