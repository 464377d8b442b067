/** A pseudo-random generator, reproducible by its seed. */

export interface Random {
  /** Returns an integer from 0 to `bound` - 1. */
  below(bound: number): number;
  /** Returns true with the probability 1/n. */
  oneIn(n: number): boolean;
  /** Returns one of the items. Throws if there is none. */
  pick<Item>(items: readonly Item[]): Item;
  /** Returns at most `most` distinct items in their order. */
  some<Item>(items: readonly Item[], most: number): readonly Item[];
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  /** Implements Mulberry32. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  return {
    below,
    oneIn: (n) => below(n) === 0,
    pick,
    some: (items, most) => {
      const wanted = new Set<unknown>();
      for (let count = 1 + below(most); count > 0; count -= 1) wanted.add(pick(items));
      return items.filter((item) => wanted.has(item));
    },
  };
}
