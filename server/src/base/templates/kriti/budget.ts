/** The limits of one evaluation, so that no template and no input can block the service. */
import { ExactNumber } from '../../json-value.ts';

export interface KritiLimits {
  /** The number of evaluated expressions, visited items and compared values. */
  readonly steps: number;
  /** The number of characters of the result as JSON, and of all text that is built during the evaluation. */
  readonly characters: number;
}

export const usualLimits: KritiLimits = { steps: 1_000_000, characters: 20_000_000 };

/** The evaluation exceeds a limit. The evaluator adds the position. */
export class LimitError extends Error {}

export class Budget {
  #steps: number;
  #characters: number;
  readonly #limits: KritiLimits;

  constructor(limits: KritiLimits) {
    this.#steps = limits.steps;
    this.#characters = limits.characters;
    this.#limits = limits;
  }

  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0) throw new LimitError(`the template takes more than ${this.#limits.steps} steps`);
  }

  text(characters: number): void {
    this.#characters -= characters;
    if (this.#characters < 0) {
      throw new LimitError(`the template makes more than ${this.#limits.characters} characters`);
    }
  }

  /**
   * Counts the characters of `value` as JSON. Values can share parts, so that a small template may have a result of any size;
   * therefore it is counted before it is printed, and the count stops at the limit.
   */
  print(value: unknown): void {
    if (typeof value === 'string') this.text(value.length + 2);
    else if (typeof value !== 'object' || value === null) this.text(4);
    else if (value instanceof ExactNumber) this.text(value.text.length);
    else if (Array.isArray(value)) {
      this.text(2 + value.length);
      for (const item of value) this.print(item);
    } else {
      this.text(2);
      for (const [name, member] of Object.entries(value)) {
        this.text(name.length + 4);
        this.print(member);
      }
    }
  }
}
