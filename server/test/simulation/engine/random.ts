/** Numbers that follow from a seed. */

export interface Random {
  /** Returns a number from 0 to 1, without 1. */
  next(): number;
  between(least: number, most: number): number;
  /** Returns an integer from `least` to `most`. */
  integer(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * Returns the numbers of a key. Each decision of a simulation has a key of its own, so that an event or a failure that is removed does
 * not change the others.
 */
export function randomOf(...key: readonly (string | number)[]): Random {
  let state = hash(key.join('/'));

  /** The generator mulberry32. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between = (least: number, most: number): number => least + next() * (most - least);
  const integer = (least: number, most: number): number => Math.floor(between(least, most + 1));
  return {
    next,
    between,
    integer,
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new Error('there are no items to choose from');
      return item;
    },
  };
}

/** The hash FNV-1a with 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value;
}
