/** A cache of handler responses with a time to live, limited in entries and bytes. Evicts the least recently used. */

export interface CacheLimits {
  readonly entries: number;
  readonly bytes: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** Time of expiry in milliseconds. */
  readonly expires: number;
}

export class HandlerCache<Value> {
  /** In order of last use. */
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #limits: CacheLimits;
  readonly #now: () => number;
  #bytes = 0;

  /** `now` returns monotonic milliseconds. */
  constructor(limits: CacheLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.delete(key);
    if (entry.expires <= this.#now()) return undefined;
    this.#add(key, entry);
    return entry.value;
  }

  /** Caches `value`, whose size is `bytes`, for `ttlMs`. A value larger than the whole cache is not cached. */
  set(key: string, value: Value, bytes: number, ttlMs: number): void {
    this.delete(key);
    const size = bytes + key.length;
    if (size > this.#limits.bytes) return;
    this.#add(key, { value, bytes: size, expires: this.#now() + ttlMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  #add(key: string, entry: Entry<Value>): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }
}
