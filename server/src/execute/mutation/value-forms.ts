/** Caches by the names of given values. */

/** Maximum number of sets of names for each plan. */
const MOST_FORMS = 50;

interface Form<Made> {
  readonly names: readonly string[];
  readonly made: Made;
}

/** The cached values of one plan. */
class Forms<Made> {
  readonly #known = new Map<string, Form<Made>>();
  /** Requests of one plan mostly have the same names. */
  #latest: Form<Made> | undefined;

  /** Returns what was made for exactly these names in this sequence. */
  get(names: readonly string[]): Made | undefined {
    if (this.#latest !== undefined && areEqual(this.#latest.names, names)) return this.#latest.made;
    const found = this.#known.get(JSON.stringify(names));
    if (found !== undefined) this.#latest = found;
    return found?.made;
  }

  set(names: readonly string[], made: Made): void {
    if (this.#known.size >= MOST_FORMS) this.#known.clear();
    this.#latest = { names, made };
    this.#known.set(JSON.stringify(names), this.#latest);
  }
}

/** By plan, and by the names of the values that a request gives. */
export class ValueForms<Plan extends object, Made> {
  readonly #plans = new WeakMap<Plan, Forms<Made>>();

  of(plan: Plan): Forms<Made> {
    const known = this.#plans.get(plan);
    if (known !== undefined) return known;
    const forms = new Forms<Made>();
    this.#plans.set(plan, forms);
    return forms;
  }
}

function areEqual(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name, index) => name === others[index]);
}
