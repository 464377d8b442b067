/** An LRU cache, limited by the number of entries and the sum of their weights. */

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
  /** The step at which the entry was last moved to the end of the order. */
  moved: number;
}

export interface LruLimits {
  readonly entries: number;
  /** Maximum sum of the weights. A heavier single entry is not cached. */
  readonly weight: number;
}

export class Lru<Value> {
  readonly #limits: LruLimits;
  /** In order of use. */
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;
  /** Number of hits and insertions. */
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
    // Moving an entry costs more than finding it, so entries in the newest quarter are not moved again.
    this.#steps += 1;
    if (this.#steps - entry.moved > this.#limits.entries / 4) {
      entry.moved = this.#steps;
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.value;
  }

  /** Adds an entry. The unit of `weight` is chosen by the caller. */
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
