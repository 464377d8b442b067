/** Due events by destination: each destination has its own queue and its own limits, so that a slow one delays no other. */

/** What a destination may be given. */
export interface Allowance {
  /** Items that run at the same time; 0 while none may start. */
  readonly concurrency: number;
  /** Milliseconds from one start to the next; 0 for no limit. */
  readonly gapMs: number;
  /** Set where it is less than usual, so that more than what is enough for it is better left to other nodes. */
  readonly limited?: boolean;
}

export interface DestinationQueues<Item> {
  /** An item that is due; it starts as soon as its destination and the node have a place for it. */
  push(item: Item): void;
  /** DestinationQueues whose destinations hold enough; more of their events are not wanted now. `onRoom` tells when they are. */
  full(): string[];
  /** Items in queues. */
  queued(): number;
  /** Items started and not finished. */
  running(): number;
  /** Takes everything out of the queues. */
  clear(): Item[];
  /**
   * Takes out of the queues of these destinations what may not start, and of those that are limited what is more than
   * enough. `full` names their lanes until there is room.
   */
  takeSurplus(destinations: Iterable<string>): Item[];
  /** How many more are enough for the limited destination that lacks the least; infinite where there is none. */
  room(): number;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** `mayStart` may have changed its answer. */
  resume(): void;
  /** `allowance` may have changed its answer. */
  reconsider(): void;
}

export interface DestinationQueueSettings<Item> {
  readonly allowance: (destination: string) => Allowance;
  /** Items that run at the same time in all. */
  readonly overall: number;
  /** Queued items in all beyond which every destination is full that has one. */
  readonly mostQueued: number;
  /** False while nothing is to be started. */
  readonly mayStart: () => boolean;
  readonly laneOf: (item: Item) => string;
  /** Several lanes may lead to one destination. */
  readonly destinationOf: (lane: string) => string;
  /** Runs one item. Must not reject; the place is free again when it resolves. */
  readonly start: (item: Item) => Promise<void>;
  /** A destination that `full` named has room again. */
  readonly onRoom: () => void;
}

interface Destination<Item> {
  readonly name: string;
  /** The lanes that were seen to lead here. */
  readonly lanes: Set<string>;
  readonly queue: Item[];
  running: number;
  /** Stands in the round of those that may start something. */
  inRound: boolean;
  /** `full` has named it. */
  closed: boolean;
  /** Where starts have a distance: when the next may be, by the local clock. */
  nextStart: number;
  timer: NodeJS.Timeout | undefined;
}

/** What a destination with a rate may hold: so much that claims keep up, so little that other nodes get their share. */
const QUEUED_MS = 2_000;
/** By how much a start that came late moves those that follow: not at all, up to this. */
const LATE_MS = 20;

export function createDestinationQueues<Item>(settings: DestinationQueueSettings<Item>): DestinationQueues<Item> {
  const { allowance } = settings;
  const destinations = new Map<string, Destination<Item>>();
  const limitedOnes = new Set<Destination<Item>>();
  /** Destinations take turns, one item a turn, so that the overall limit is shared evenly. */
  const round: Destination<Item>[] = [];
  let queued = 0;
  let running = 0;
  const onIdle: (() => void)[] = [];

  function destinationFor(lane: string): Destination<Item> {
    const name = settings.destinationOf(lane);
    let destination = destinations.get(name);
    if (destination === undefined) {
      const empty = { running: 0, inRound: false, closed: false, nextStart: 0, timer: undefined };
      destination = { name, lanes: new Set(), queue: [], ...empty };
      destinations.set(name, destination);
    }
    destination.lanes.add(lane);
    return destination;
  }

  /** Milliseconds until it may start one; infinite where that takes more than time. */
  function waitOf(destination: Destination<Item>): number {
    const { concurrency, gapMs } = allowance(destination.name);
    if (destination.queue.length === 0 || destination.running >= concurrency) return Number.POSITIVE_INFINITY;
    return gapMs === 0 ? 0 : destination.nextStart - performance.now();
  }

  function enter(destination: Destination<Item>): void {
    if (destination.inRound || destination.timer !== undefined) return;
    const wait = waitOf(destination);
    if (wait <= 0) {
      destination.inRound = true;
      round.push(destination);
    } else if (wait < Number.POSITIVE_INFINITY) {
      const again = (): void => {
        destination.timer = undefined;
        enter(destination);
        startWhatMay();
      };
      destination.timer = setTimeout(again, Math.min(wait, QUEUED_MS));
    }
  }

  function startWhatMay(): void {
    while (running < settings.overall && settings.mayStart()) {
      const destination = round.shift();
      if (destination === undefined) return;
      destination.inRound = false;
      const item = waitOf(destination) <= 0 ? destination.queue.shift() : undefined;
      if (item !== undefined) start(destination, item);
      enter(destination);
    }
  }

  function start(destination: Destination<Item>, item: Item): void {
    queued -= 1;
    running += 1;
    destination.running += 1;
    const { gapMs } = allowance(destination.name);
    if (gapMs > 0) destination.nextStart = Math.max(destination.nextStart, performance.now() - LATE_MS) + gapMs;
    settings.start(item).finally(() => finish(destination));
  }

  function finish(destination: Destination<Item>): void {
    running -= 1;
    destination.running -= 1;
    enter(destination);
    startWhatMay();
    if (running === 0) for (const resolve of onIdle.splice(0)) resolve();
    if (open(destination)) settings.onRoom();
    forget(destination);
  }

  /** True when it was full and is not any more. */
  function open(destination: Destination<Item>): boolean {
    if (!destination.closed || heldBy(destination) > Math.floor(enough(destination) * 0.75)) return false;
    if (allowance(destination.name).concurrency === 0) return false;
    destination.closed = false;
    return true;
  }

  /** What is empty need not be kept, unless it is limited: of it, no claim is to take more than enough. */
  function forget(destination: Destination<Item>): void {
    const { concurrency, limited } = allowance(destination.name);
    if (limited || concurrency === 0) limitedOnes.add(destination);
    else limitedOnes.delete(destination);
    if (heldBy(destination) === 0 && !limitedOnes.has(destination)) destinations.delete(destination.name);
  }

  function heldBy(destination: Destination<Item>): number {
    return destination.queue.length + destination.running;
  }

  /** Three times as many wait as may run: enough to bridge the time that a claim takes. */
  function enough(destination: Destination<Item>): number {
    const { concurrency, gapMs } = allowance(destination.name);
    if (queued > settings.mostQueued) return Math.min(concurrency, 1);
    return gapMs === 0 ? 4 * concurrency : Math.min(4 * concurrency, Math.ceil(QUEUED_MS / gapMs) + 1);
  }

  return {
    push(item) {
      const destination = destinationFor(settings.laneOf(item));
      destination.queue.push(item);
      queued += 1;
      enter(destination);
      startWhatMay();
      forget(destination);
    },
    full() {
      const lanes: string[] = [];
      for (const destination of destinations.values()) {
        if (heldBy(destination) < enough(destination)) continue;
        destination.closed = true;
        lanes.push(...destination.lanes);
      }
      return lanes;
    },
    queued: () => queued,
    running: () => running,
    clear() {
      const items: Item[] = [];
      for (const destination of destinations.values()) {
        items.push(...destination.queue.splice(0));
        clearTimeout(destination.timer);
        destination.timer = undefined;
      }
      queued = 0;
      return items;
    },
    takeSurplus(names) {
      const items: Item[] = [];
      for (const name of names) {
        const destination = destinations.get(name);
        if (destination === undefined) continue;
        const most = Math.max(enough(destination) - destination.running, 0);
        const { concurrency, limited } = allowance(name);
        if (concurrency === 0 || limited) items.push(...destination.queue.splice(concurrency === 0 ? 0 : most));
      }
      queued -= items.length;
      return items;
    },
    room() {
      let least = Number.POSITIVE_INFINITY;
      for (const destination of limitedOnes) {
        const room = enough(destination) - heldBy(destination);
        if (room > 0) least = Math.min(least, room);
      }
      return least;
    },
    resume: startWhatMay,
    reconsider() {
      let room = false;
      for (const destination of destinations.values()) {
        enter(destination);
        if (open(destination)) room = true;
        forget(destination);
      }
      startWhatMay();
      if (room) settings.onRoom();
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
}
