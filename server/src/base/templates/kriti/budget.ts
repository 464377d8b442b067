/** What one evaluation may spend, so that no template and no input can hold up the service. */
import { ExactNumber } from '../../json-value.ts';

export interface KritiLimits {
  /** Expressions evaluated, items walked over, values compared. */
  readonly steps: number;
  /** Characters of the result as JSON, and of all text that is put together on the way. */
  readonly characters: number;
}

export const usualLimits: KritiLimits = { steps: 1_000_000, characters: 20_000_000 };

/** The evaluation would cost too much. The evaluator gives it a place. */
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
   * Takes what `value` will need when it is printed. Values share their parts, so that a small template can stand for a
   * text of any size: it is counted before it is printed, and counting ends at the limit.
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
