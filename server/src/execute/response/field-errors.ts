/** Errors beside data: what failed is null and has its error and path, the rest of the answer stands. */
import { ServiceError } from '../../base/errors.ts';

/** Response keys and positions in lists, from the root of the answer. */
export type ResponsePath = readonly (string | number)[];

/** An error in the value of a field. */
export interface Fault {
  readonly error: ServiceError;
  /** From the value to what is null in it; empty for the value as a whole. */
  readonly below: ResponsePath;
  /** Nobody said where it happened: its path is ours. */
  readonly unlocated?: boolean;
}

/** A value that came with errors, in place of the value. What fetches for several keys gives one for each that failed. */
export class Flawed {
  readonly value: unknown;
  readonly faults: readonly Fault[];

  constructor(value: unknown, faults: readonly Fault[]) {
    this.value = value;
    this.faults = faults;
  }
}

/** Null, for `error`. What is no ServiceError is thrown on: it is a fault of the service. */
export function failed(error: unknown, unlocated = true): Flawed {
  if (!(error instanceof ServiceError)) throw error;
  return new Flawed(null, [{ error, below: [], unlocated }]);
}

/** One entry of `errors` in an answer that has `data` as well. */
export interface FieldError {
  readonly error: ServiceError;
  /** Undefined where the whole answer is void and nobody said where the error happened. */
  readonly path: ResponsePath | undefined;
}

/** A member of an object of the answer. */
export interface Place {
  readonly into: Readonly<Record<string, unknown>>;
  readonly alias: string;
}

/** In one answer; a join with a thousand failed keys need not be told a thousand times. */
const mostErrors = 100;

/** The errors of one answer while it is made. */
export class Failures {
  #errors: (FieldError & Pick<Fault, 'unlocated'>)[] | undefined;
  #waiting: Map<object, { readonly alias: string; readonly faults: readonly Fault[] }[]> | undefined;
  #void = false;

  /** Notes the `faults` of the field at `path`. */
  add(path: ResponsePath, faults: readonly Fault[]): void {
    this.#errors ??= [];
    for (const { error, below, unlocated = false } of faults) {
      if (this.#errors.length >= mostErrors) return;
      this.#errors.push({ error, path: [...path, ...below], unlocated });
    }
  }

  /** Notes the `faults` of the value at some places of the answer, whose paths `locate` finds. */
  atPlaces(places: readonly Place[], faults: readonly Fault[]): void {
    this.#waiting ??= new Map();
    for (const { into, alias } of places) {
      const known = this.#waiting.get(into);
      if (known === undefined) this.#waiting.set(into, [{ alias, faults }]);
      else known.push({ alias, faults });
    }
  }

  /** Finds the paths of the places that stand in `value`, the part of the answer at `path`. */
  locate(value: unknown, path: ResponsePath): void {
    if (this.#waiting !== undefined) this.#search(value, [...path]);
  }

  /** A null stands where none may: nothing of `data` can be told. */
  voidData(): void {
    this.#void = true;
  }

  get isVoid(): boolean {
    return this.#void;
  }

  /** In an answer without data each error stands once. */
  list(): readonly FieldError[] {
    const errors = this.#errors ?? [];
    if (!this.#void) return errors;
    const paths = new Map<ServiceError, ResponsePath | undefined>();
    for (const { error, path, unlocated } of errors) {
      paths.set(error, paths.get(error) ?? (unlocated ? undefined : path));
    }
    return [...paths].map(([error, path]) => ({ error, path }));
  }

  #search(value: unknown, path: (string | number)[]): void {
    if (typeof value !== 'object' || value === null) return;
    for (const { alias, faults } of this.#waiting?.get(value) ?? []) {
      this.add([...path, Array.isArray(value) ? Number(alias) : alias], faults);
    }
    const members: Iterable<[string | number, unknown]> = Array.isArray(value)
      ? value.entries()
      : isRecord(value)
        ? Object.entries(value)
        : [];
    for (const [key, member] of members) {
      if (typeof member !== 'object' || member === null) continue;
      path.push(key);
      this.#search(member, path);
      path.pop();
    }
  }
}

/** Values that print themselves, such as exact numbers, hold no places. */
function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
