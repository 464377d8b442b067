/** Errors of fields: a failed field is null and has an entry in `errors`; the rest of the data is returned. */

import { ServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';

/** Response keys and list indexes, from the root of the response. */
export type ResponsePath = readonly (string | number)[];

/** An error in the value of a field. */
export interface ResultError {
  readonly error: ServiceError;
  /** The path from the value to the null in it; empty for the whole value. */
  readonly below: ResponsePath;
  /** Whether the error was reported without a path. */
  readonly unlocated?: boolean;
}

/** A value with errors. Fetching for several keys returns one for each failed key. */
export class PartialResult {
  readonly value: unknown;
  readonly errors: readonly ResultError[];

  constructor(value: unknown, errors: readonly ResultError[]) {
    this.value = value;
    this.errors = errors;
  }
}

/** Returns null with `error`. Rethrows any error that is no ServiceError, since it is a bug. */
export function failed(error: unknown, unlocated = true): PartialResult {
  if (!(error instanceof ServiceError)) throw error;
  return new PartialResult(null, [{ error, below: [], unlocated }]);
}

/** One entry of `errors` in a response that has `data` as well. */
export interface FieldError {
  readonly error: ServiceError;
  /** Undefined if `data` is null and the error was reported without a path. */
  readonly path: ResponsePath | undefined;
}

/** A member of an object of the response, or an element of a list, whose index is the alias. */
export interface Place {
  readonly into: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly alias: string;
}

/** Maximum number of errors in one response. A join can fail for thousands of keys. */
const MAX_ERRORS = 100;

/** Collects the errors of one response. */
export class Failures {
  #errors: (FieldError & Pick<ResultError, 'unlocated'>)[] | undefined;
  #waiting: Map<object, { readonly alias: string; readonly errors: readonly ResultError[] }[]> | undefined;
  #void = false;

  /** Adds the errors of the field at `path`. */
  add(path: ResponsePath, errors: readonly ResultError[]): void {
    this.#errors ??= [];
    for (const { error, below, unlocated = false } of errors) {
      if (this.#errors.length >= MAX_ERRORS) return;
      this.#errors.push({ error, path: [...path, ...below], unlocated });
    }
  }

  /** Adds the errors of a value at some places of the response, whose paths are found by `locate`. */
  atPlaces(places: readonly Place[], errors: readonly ResultError[]): void {
    this.#waiting ??= new Map();
    for (const { into, alias } of places) {
      const known = this.#waiting.get(into);
      if (known === undefined) this.#waiting.set(into, [{ alias, errors }]);
      else known.push({ alias, errors });
    }
  }

  /** Whether errors wait for the paths of their places. */
  get hasPlaces(): boolean {
    return this.#waiting !== undefined;
  }

  /** Finds the paths of the places in `value`, the part of the response at `path`. */
  locate(value: unknown, path: ResponsePath): void {
    if (this.#waiting !== undefined) this.#search(value, [...path]);
  }

  /** Makes `data` null, because a root field that may not be null is null. */
  voidData(): void {
    this.#void = true;
  }

  get isVoid(): boolean {
    return this.#void;
  }

  /** Returns the errors. In a response without data each error is listed once. */
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
    for (const { alias, errors } of this.#waiting?.get(value) ?? []) {
      this.add([...path, Array.isArray(value) ? Number(alias) : alias], errors);
    }
    const members: Iterable<[string | number, unknown]> = Array.isArray(value)
      ? value.entries()
      : isJsonObject(value)
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
