/** Due events by destination: each destination has its own queue and its own limit, so that a slow one delays no other. */

export interface Lanes<Item> {
  /** An item that is due; it starts as soon as its destination and the node have a place for it. */
  push(item: Item): void;
  /** Lanes whose destinations hold enough; more of their events are not wanted now. `onRoom` tells when they are. */
  full(): string[];
  /** Items in queues. */
  queued(): number;
  /** Items started and not finished. */
  running(): number;
  /** Takes everything out of the queues. */
  clear(): Item[];
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** `mayStart` may have changed its answer. */
  resume(): void;
}

export interface LaneSettings<Item> {
  /** Items of one destination that run at the same time. */
  readonly perDestination: number;
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
}

export function createLanes<Item>(settings: LaneSettings<Item>): Lanes<Item> {
  const destinations = new Map<string, Destination<Item>>();
  /** Destinations take turns, one item a turn, so that the overall limit is shared evenly. */
  const round: Destination<Item>[] = [];
  let queued = 0;
  let running = 0;
  const onIdle: (() => void)[] = [];

  function destinationFor(lane: string): Destination<Item> {
    const name = settings.destinationOf(lane);
    let destination = destinations.get(name);
    if (destination === undefined) {
      destination = { name, lanes: new Set(), queue: [], running: 0, inRound: false, closed: false };
      destinations.set(name, destination);
    }
    destination.lanes.add(lane);
    return destination;
  }

  function enter(destination: Destination<Item>): void {
    if (destination.inRound || destination.queue.length === 0) return;
    if (destination.running >= settings.perDestination) return;
    destination.inRound = true;
    round.push(destination);
  }

  function startWhatMay(): void {
    while (running < settings.overall && settings.mayStart()) {
      const destination = round.shift();
      if (destination === undefined) return;
      destination.inRound = false;
      const item = destination.queue.shift();
      if (item === undefined) continue;
      queued -= 1;
      running += 1;
      destination.running += 1;
      enter(destination);
      settings.start(item).finally(() => finish(destination));
    }
  }

  function finish(destination: Destination<Item>): void {
    running -= 1;
    destination.running -= 1;
    enter(destination);
    startWhatMay();
    if (destination.running + destination.queue.length === 0) destinations.delete(destination.name);
    if (running === 0) for (const resolve of onIdle.splice(0)) resolve();
    if (destination.closed && heldBy(destination) <= refillAt()) {
      destination.closed = false;
      settings.onRoom();
    }
  }

  function heldBy(destination: Destination<Item>): number {
    return destination.queue.length + destination.running;
  }

  /** Three times as many wait as may run: enough to bridge the time that a claim takes. */
  function enough(): number {
    return queued > settings.mostQueued ? 1 : 4 * settings.perDestination;
  }

  function refillAt(): number {
    return Math.floor(enough() * 0.75);
  }

  return {
    push(item) {
      const destination = destinationFor(settings.laneOf(item));
      destination.queue.push(item);
      queued += 1;
      enter(destination);
      startWhatMay();
    },
    full() {
      const lanes: string[] = [];
      for (const destination of destinations.values()) {
        if (heldBy(destination) < enough()) continue;
        destination.closed = true;
        lanes.push(...destination.lanes);
      }
      return lanes;
    },
    queued: () => queued,
    running: () => running,
    clear() {
      const items = [...destinations.values()].flatMap((destination) => destination.queue.splice(0));
      queued = 0;
      return items;
    },
    resume: startWhatMay,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
}
