/** The process of a simulated node: its clocks and timers, and what a suspension or a kill does to them. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { type Random, randomOf } from './random.ts';
import type { Task, VirtualTime } from './virtual-time.ts';

export interface NodeProcess {
  readonly name: string;
  /** The numbers that `Math.random` returns. */
  readonly random: Random;
  /** Milliseconds of its monotonic clock. */
  monotonic(): number;
  /** Milliseconds since 1970 by its clock, which may be wrong. */
  wallClock(): number;
  isDead(): boolean;
  /** When it ended its last suspension; negative infinity if it was not suspended. */
  resumedAt(): number;
  /** Runs code of the node: its timers, times and random numbers are those of the process. */
  enter<T>(run: () => T): T;
  /** Runs code of the node as soon as the process is not suspended, at the earliest after `ms`. Never runs it after a kill. */
  after(ms: number, run: Task['run']): Timer;
  /** Suspends the process for `ms`. */
  suspend(ms: number): void;
  kill(): void;
}

export interface ProcessSettings {
  readonly time: VirtualTime;
  readonly name: string;
  readonly seed: number;
  /** How far its clock is off, in milliseconds. */
  readonly wallOffsetMs: number;
  /** How much faster its clock runs than that of the database, such as 0.0002. */
  readonly drift: number;
}

/** The first time of a simulation, milliseconds since 1970. */
export const EPOCH = Date.UTC(2030, 0, 7, 9);

const current = new AsyncLocalStorage<NodeProcess>();

/** A timer of a simulated process, with the methods of a timer of Node.js. */
class Timer {
  task: Task | undefined;
  /** Of an interval: the timer of its next call. */
  next: Timer | undefined;

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  cancel(): void {
    if (this.task !== undefined) this.task.canceled = true;
    this.task = undefined;
    this.next?.cancel();
  }

  [Symbol.toPrimitive](): number {
    return 0;
  }
}

export function createNodeProcess({ time, name, seed, wallOffsetMs, drift }: ProcessSettings): NodeProcess {
  const random = randomOf(seed, 'process', name);
  const startedAt = time.now();
  /** Its clock at the start: that of the machine, which has run for some time. */
  const bootedMs = randomOf(seed, 'boot', name).between(1_000, 1_000_000);
  let suspendedUntil = Number.NEGATIVE_INFINITY;
  let dead = false;

  function schedule(timer: Timer, at: number, run: Task['run']): void {
    timer.task = time.at(at, () => {
      timer.task = undefined;
      if (dead) return undefined;
      if (suspendedUntil <= time.now()) return current.run(self, run);
      schedule(timer, suspendedUntil, run);
      return undefined;
    });
  }

  const self: NodeProcess = {
    name,
    random,
    monotonic: () => bootedMs + (time.now() - startedAt) * (1 + drift),
    wallClock: () => EPOCH + wallOffsetMs + time.now(),
    isDead: () => dead,
    resumedAt: () => suspendedUntil,
    enter: (run) => current.run(self, run),
    after(ms, run) {
      const timer = new Timer();
      schedule(timer, time.now() + ms, run);
      return timer;
    },
    suspend(ms) {
      suspendedUntil = Math.max(suspendedUntil, time.now() + ms);
    },
    kill() {
      dead = true;
    },
  };
  return self;
}

/** Returns the milliseconds after which a timer of Node.js fires: up to one early, because it counts whole milliseconds. */
function timerMs(process: NodeProcess, ms: number | undefined): number {
  const wanted = ms !== undefined && ms >= 1 ? ms : 1;
  return Math.max(wanted + process.random.between(-0.9, 1.5), 0.1);
}

type Callback = (...values: unknown[]) => void;

/** Does not return the promise of an asynchronous callback, which the next task must not wait for. */
function call(callback: Callback, values: readonly unknown[]): void {
  callback(...values);
}

/**
 * Replaces the timers, clocks and random numbers of Node.js: those of code that `enter` has called are those of its process, and others
 * are not changed. Returns a function that restores them.
 */
export function installProcesses(): () => void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    setImmediate: globalThis.setImmediate,
    random: Math.random,
    Date,
    dateNow: Date.now,
    sleep: timersPromises.setTimeout,
    performanceNow: performance.now.bind(performance),
  };

  const replaced = {
    setTimeout(callback: Callback, ms?: number, ...values: unknown[]) {
      const process = current.getStore();
      if (process === undefined) return real.setTimeout(callback, ms, ...values);
      return process.after(timerMs(process, ms), () => call(callback, values));
    },
    setInterval(callback: Callback, ms?: number, ...values: unknown[]) {
      const process = current.getStore();
      if (process === undefined) return real.setInterval(callback, ms, ...values);
      const timer = new Timer();
      const again = (): void => {
        timer.next = process.after(timerMs(process, ms), () => {
          again();
          call(callback, values);
        });
      };
      again();
      return timer;
    },
    setImmediate(callback: Callback, ...values: unknown[]) {
      const process = current.getStore();
      if (process === undefined) return real.setImmediate(callback, ...values);
      return process.after(0.01, () => call(callback, values));
    },
    clearTimeout(timer: unknown) {
      if (timer instanceof Timer) timer.cancel();
      else real.clearTimeout(timer as NodeJS.Timeout);
    },
    sleep<T>(ms?: number, value?: T, options: { readonly signal?: AbortSignal } = {}): Promise<T> {
      const process = current.getStore();
      if (process === undefined) return real.sleep(ms, value as T, options);
      return new Promise((resolve, reject) => {
        const { signal } = options;
        const abort = (): void => {
          timer.cancel();
          reject(new DOMException('The operation was aborted', 'AbortError'));
        };
        const timer = process.after(timerMs(process, ms), () => {
          signal?.removeEventListener('abort', abort);
          resolve(value as T);
        });
        if (signal?.aborted) abort();
        else signal?.addEventListener('abort', abort, { once: true });
      });
    },
  };

  Object.assign(globalThis, {
    setTimeout: replaced.setTimeout,
    setInterval: replaced.setInterval,
    setImmediate: replaced.setImmediate,
    clearTimeout: replaced.clearTimeout,
    clearInterval: replaced.clearTimeout,
  });
  Math.random = () => current.getStore()?.random.next() ?? real.random();
  globalThis.Date = new Proxy(real.Date, {
    construct: (target, values, created) =>
      Reflect.construct(target, values.length === 0 ? [Date.now()] : values, created),
  });
  Date.now = () => current.getStore()?.wallClock() ?? real.dateNow();
  const now = (): number => current.getStore()?.monotonic() ?? real.performanceNow();
  Object.defineProperty(performance, 'now', { value: now, configurable: true, writable: true });
  Object.assign(timersPromises, { setTimeout: replaced.sleep });
  syncBuiltinESMExports();

  return () => {
    const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval } = real;
    Object.assign(globalThis, { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval });
    Math.random = real.random;
    globalThis.Date = real.Date;
    Date.now = real.dateNow;
    Reflect.deleteProperty(performance, 'now');
    Object.assign(timersPromises, { setTimeout: real.sleep });
    syncBuiltinESMExports();
  };
}
