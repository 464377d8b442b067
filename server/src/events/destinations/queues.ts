/** Queues of due events of an engine, one for each destination with its own limits, so that a slow destination delays no other. */
import type { Allowance, CallSlots } from './slots.ts';

export interface DestinationQueues<Item> {
  /** Adds a due item. It starts as soon as its destination and the node have a free slot. */
  push(item: Item): void;
  /**
   * Returns the lanes of destinations with more items than half of their capacity, whose events are not to be claimed until `onRoom`
   * is called.
   */
  full(): string[];
  /** Number of queued items. */
  queued(): number;
  /** Number of running items of this engine. */
  running(): number;
  /** Removes and returns all queued items. */
  clear(): Item[];
  /**
   * Removes and returns queued items of these destinations: all items if none may start, and items beyond the capacity
   * of a limited destination. `full` returns their lanes until there is room.
   */
  takeSurplus(destinations: Iterable<string>): Item[];
  /** Returns the smallest free capacity of the limited destinations that are not full; infinite without such. */
  room(): number;
  /** Resolves when no item is running. */
  idle(): Promise<void>;
  /** Starts items after `mayStart` has changed. */
  resume(): void;
  /** Starts items after `allowance` has changed. */
  applyLimits(): void;
  /** Ends the use of the slots: nothing starts any more. */
  close(): void;
}

export interface DestinationQueueSettings<Item> {
  readonly allowance: (destination: string) => Allowance;
  /** The slots that the engines of the node share. */
  readonly slots: CallSlots;
  /** Number of queued items above which every destination with a queued item is full. */
  readonly mostQueued: number;
  /** Whether items may start. */
  readonly mayStart: () => boolean;
  readonly laneOf: (item: Item) => string;
  /** Returns the destination of a lane; several lanes may have the same. */
  readonly destinationOf: (lane: string) => string;
  /** Runs one item. Must not reject; the slot is free when it resolves. */
  readonly start: (item: Item) => Promise<void>;
  /** Called when a destination of `full` has room again. */
  readonly onRoom: () => void;
}

interface DestinationQueue<Item> {
  readonly name: string;
  /** The lanes of the items added so far. */
  readonly lanes: Set<string>;
  readonly queue: Item[];
  running: number;
  /** Whether it is in the rotation of destinations that may start an item. */
  inRotation: boolean;
  /** Whether `full` has returned its lanes. */
  full: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** Capacity of a rate-limited queue in milliseconds: enough for claims to keep up, and a share for other nodes. */
const QUEUED_MS = 2_000;

export function createDestinationQueues<Item>(settings: DestinationQueueSettings<Item>): DestinationQueues<Item> {
  const { allowance, slots } = settings;
  const destinations = new Map<string, DestinationQueue<Item>>();
  const limitedDestinations = new Set<DestinationQueue<Item>>();
  /** Destinations take turns, one item a turn, to share the overall limit evenly. */
  const rotation: DestinationQueue<Item>[] = [];
  let queued = 0;
  let running = 0;
  const onIdle: (() => void)[] = [];

  function destinationFor(lane: string): DestinationQueue<Item> {
    const name = settings.destinationOf(lane);
    let destination = destinations.get(name);
    if (destination === undefined) {
      const empty = { running: 0, inRotation: false, full: false, timer: undefined };
      destination = { name, lanes: new Set(), queue: [], ...empty };
      destinations.set(name, destination);
    }
    destination.lanes.add(lane);
    return destination;
  }

  /** Milliseconds until the destination may start an item; infinite if it has none or no free slot. */
  function delayOf(destination: DestinationQueue<Item>): number {
    return destination.queue.length === 0 ? Number.POSITIVE_INFINITY : slots.delayOf(destination.name);
  }

  function enter(destination: DestinationQueue<Item>): void {
    if (destination.inRotation || destination.timer !== undefined) return;
    const wait = delayOf(destination);
    if (wait <= 0) {
      destination.inRotation = true;
      rotation.push(destination);
    } else if (wait < Number.POSITIVE_INFINITY) {
      destination.timer = setTimeout(() => slots.offer(destination.name), Math.min(wait, QUEUED_MS));
    }
  }

  function startItems(): void {
    while (slots.hasRoom() && settings.mayStart()) {
      const destination = rotation.shift();
      if (destination === undefined) return;
      destination.inRotation = false;
      const item = delayOf(destination) <= 0 ? destination.queue.shift() : undefined;
      if (item !== undefined) start(destination, item);
      enter(destination);
    }
  }

  function start(destination: DestinationQueue<Item>, item: Item): void {
    queued -= 1;
    running += 1;
    destination.running += 1;
    slots.take(destination.name);
    const ended = (): void => finish(destination);
    settings.start(item).then(ended, ended);
  }

  function finish(destination: DestinationQueue<Item>): void {
    running -= 1;
    destination.running -= 1;
    slots.release(destination.name);
    if (running === 0) for (const resolve of onIdle.splice(0)) resolve();
    if (reopen(destination)) settings.onRoom();
    removeIfEmpty(destination);
  }

  /** Starts items after a slot of the destination has become free. */
  function onSlot(name: string): void {
    const destination = destinations.get(name);
    if (destination !== undefined) {
      clearTimeout(destination.timer);
      destination.timer = undefined;
      enter(destination);
    }
    startItems();
  }
  const leave = slots.join(onSlot);

  /** Clears the mark of a full destination that has room; returns whether it did. */
  function reopen(destination: DestinationQueue<Item>): boolean {
    if (!destination.full || !hasRoom(destination)) return false;
    destination.full = false;
    return true;
  }

  /** Removes an empty destination, unless it is limited: its capacity bounds the size of claims. */
  function removeIfEmpty(destination: DestinationQueue<Item>): void {
    const { concurrency, limited } = allowance(destination.name);
    if (limited || concurrency === 0) limitedDestinations.add(destination);
    else limitedDestinations.delete(destination);
    if (sizeOf(destination) === 0 && !limitedDestinations.has(destination)) destinations.delete(destination.name);
  }

  function sizeOf(destination: DestinationQueue<Item>): number {
    return destination.queue.length + destination.running;
  }

  /** Capacity of the queue: three times as many items as may run cover the duration of a claim. */
  function capacityOf(destination: DestinationQueue<Item>): number {
    const { concurrency, gapMs } = allowance(destination.name);
    if (queued > settings.mostQueued) return Math.min(concurrency, 1);
    return gapMs === 0 ? 4 * concurrency : Math.min(4 * concurrency, Math.ceil(QUEUED_MS / gapMs) + 1);
  }

  /** Whether half of the capacity is free. Most of the cost of a small claim is that of its transaction, so that claims wait for it. */
  function hasRoom(destination: DestinationQueue<Item>): boolean {
    const capacity = capacityOf(destination);
    return capacity > 0 && sizeOf(destination) <= Math.floor(capacity / 2);
  }

  return {
    push(item) {
      const destination = destinationFor(settings.laneOf(item));
      destination.queue.push(item);
      queued += 1;
      enter(destination);
      startItems();
      removeIfEmpty(destination);
    },
    full() {
      const lanes: string[] = [];
      for (const destination of destinations.values()) {
        if (hasRoom(destination)) continue;
        destination.full = true;
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
        const most = Math.max(capacityOf(destination) - destination.running, 0);
        const { concurrency, limited } = allowance(name);
        if (concurrency === 0 || limited) items.push(...destination.queue.splice(concurrency === 0 ? 0 : most));
      }
      queued -= items.length;
      return items;
    },
    room() {
      let least = Number.POSITIVE_INFINITY;
      for (const destination of limitedDestinations) {
        if (hasRoom(destination)) least = Math.min(least, capacityOf(destination) - sizeOf(destination));
      }
      return least;
    },
    resume: startItems,
    applyLimits() {
      let room = false;
      for (const destination of destinations.values()) {
        enter(destination);
        if (reopen(destination)) room = true;
        removeIfEmpty(destination);
      }
      startItems();
      if (room) settings.onRoom();
    },
    close: leave,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
}
