/** Limits of the number of members of the input values of one operation, in variables and literals. */
import { type ErrorCode, ServiceError } from '../../base/errors.ts';

export interface InputLimits {
  /**
   * Members of the conditions and terms of the `order_by` arguments of one operation. A variable counts at each use.
   */
  readonly predicateMembers: number;
  /** Terms of one `order_by`. */
  readonly orderTerms: number;
  /** Columns of one `distinct_on`. */
  readonly distinctColumns: number;
  /** Members and items of all variables of one operation, such as the columns of the rows of an insert. */
  readonly values: number;
}

/** The default values of the options. */
export const defaultInputLimits: InputLimits = {
  predicateMembers: 10_000,
  orderTerms: 100,
  distinctColumns: 100,
  values: 250_000,
};

/** Number of counted members between two calls of `checkTime`. */
const BETWEEN_CHECKS = 1_024;

/** Counts the members of the input values of one operation. Throws `input-limit-exceeded` beyond a limit. */
export class InputCount {
  readonly limits: InputLimits;
  readonly #checkTime: () => void;
  #predicateMembers = 0;
  #values = 0;
  #untilCheck = BETWEEN_CHECKS;

  /** `checkTime` throws when the request has timed out. */
  constructor(limits: InputLimits, checkTime: () => void = () => undefined) {
    this.limits = limits;
    this.#checkTime = checkTime;
  }

  /** Counts members of conditions or `order_by` arguments. */
  addPredicateMembers(count: number, path: () => string): void {
    this.#predicateMembers += count;
    const most = this.limits.predicateMembers;
    if (this.#predicateMembers > most) {
      throw tooMany(`the conditions and order_by arguments of the operation have more than ${most} members`, path());
    }
    this.#check(count);
  }

  /** Counts members of input objects and items of lists. */
  addValues(count: number, path: () => string): void {
    this.#values += count;
    const most = this.limits.values;
    if (this.#values > most) throw tooMany(`the variables hold more than ${most} values`, path());
    this.#check(count);
  }

  #check(count: number): void {
    this.#untilCheck -= count;
    if (this.#untilCheck > 0) return;
    this.#untilCheck = BETWEEN_CHECKS;
    this.#checkTime();
  }
}

/** The error for an input value with too many members. */
export function tooMany(problem: string, path: string): ServiceError {
  const code: ErrorCode = 'input-limit-exceeded';
  return new ServiceError(code, `${problem}; send fewer at once, or raise the limit (/docs/limits)`, { path });
}
