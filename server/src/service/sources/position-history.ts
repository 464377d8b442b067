/** Positions of a primary with the moments at which they were read, to find how old the data of a standby is. */
import { includes, type WalPosition } from './wal-position.ts';

/** More are thinned out, the older half first. What is left out makes a standby seem older, never younger. */
const MOST_SAMPLES = 600;

interface Sample {
  readonly position: WalPosition;
  /** Milliseconds of the clock of this process, before the position was read. */
  at: number;
}

export class PositionHistory {
  /** In order. */
  #samples: Sample[] = [];

  add(position: WalPosition, at: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && includes(last.position, position) && includes(position, last.position)) {
      last.at = at;
      return;
    }
    // Another primary: what was read from the one before says nothing about a standby of this one.
    if (last !== undefined && !includes(position, last.position)) this.#samples = [];
    this.#samples.push({ position, at });
    if (this.#samples.length > MOST_SAMPLES) {
      const half = MOST_SAMPLES / 2;
      this.#samples = this.#samples.filter((_sample, index) => index >= half || index % 2 === 0);
    }
  }

  /**
   * Returns the newest moment whose commits a standby at `position` shows, in milliseconds; undefined where it is older than
   * all samples, or on another timeline.
   */
  reachedAt(position: WalPosition): number | undefined {
    return this.#samples.findLast((sample) => includes(position, sample.position))?.at;
  }

  /** The last position that was added. */
  get last(): WalPosition | undefined {
    return this.#samples.at(-1)?.position;
  }
}
