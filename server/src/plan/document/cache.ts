/** What was used least recently goes first, once there are too many entries or they weigh too much. */

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
  /** The count of steps when it was put behind all others. */
  moved: number;
}

export interface LruLimits {
  readonly entries: number;
  /** Sum of the weights; what weighs more alone is not kept. */
  readonly weight: number;
}

export class Lru<Value> {
  readonly #limits: LruLimits;
  /** In order of use; a Map keeps the order of insertion. */
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;
  /** Entries that were found or put in. */
  #steps = 0;

  constructor(limits: LruLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // Moving it at each use would cost more than finding it; so the order is right but for the last quarter of the line.
    this.#steps += 1;
    if (this.#steps - entry.moved > this.#limits.entries / 4) {
      entry.moved = this.#steps;
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.value;
  }

  /** `weight` is in units of the caller's choice, the same for all. */
  set(key: string, value: Value, weight: number): void {
    this.#drop(key);
    if (weight > this.#limits.weight) return;
    this.#steps += 1;
    this.#entries.set(key, { value, weight, moved: this.#steps });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.entries && this.#weight <= this.#limits.weight) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }
}
