/** The functions that every Kriti template can call. Each has one argument. */
import { ExactNumber, isJsonObject, type JsonObject } from '../../json-value.ts';
import type { Budget } from './budget.ts';
import { typeOf } from './values.ts';

/** A function from a JSON value to a JSON value. Throws a FunctionError for an unsupported value. */
export type KritiFunction = (value: unknown, budget: Budget) => unknown;

/** The function does not support the argument. The message names the expected type. */
export class FunctionError extends Error {}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new FunctionError(`expected a String, but encountered ${typeOf(value)}`);
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new FunctionError(`expected an Array, but encountered ${typeOf(value)}`);
  return value;
}

function object(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new FunctionError(`expected an Object, but encountered ${typeOf(value)}`);
  return value;
}

/** Splits the string into code points. */
const characters = (value: string): readonly string[] => [...value];

function size(value: unknown): unknown {
  if (typeof value === 'string') return characters(value).length;
  if (Array.isArray(value)) return value.length;
  if (isJsonObject(value)) return Object.keys(value).length;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value ?? 0;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'boolean') throw new FunctionError('Cannot define emptiness for a boolean');
  if (typeof value === 'string') return value.trim() === '';
  return value instanceof ExactNumber ? false : size(value) === 0;
}

function inverse(value: unknown): unknown {
  if (typeof value === 'string') return characters(value).toReversed().join('');
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return value.toReversed();
  if (typeOf(value) !== 'Number') return value;
  if (Number(value) === 0) throw new FunctionError('zero has no inverse');
  return 1 / Number(value);
}

/** Applies `take` to a list or to the characters of a string. Throws if it is empty. */
function ends<Result>(value: unknown, take: (parts: readonly unknown[], wasText: boolean) => Result): Result {
  if (typeof value !== 'string' && !Array.isArray(value)) throw new FunctionError('Expected an array or string');
  if (value.length === 0) throw new FunctionError(typeof value === 'string' ? 'Empty string' : 'Empty array');
  return typeof value === 'string' ? take(characters(value), true) : take(value, false);
}

function toTitle(value: unknown): string {
  return text(value)
    .toLowerCase()
    .replaceAll(/(^|[^\p{L}\p{M}'])(\p{L})/gu, (_all, before: string, letter: string) => before + letter.toUpperCase());
}

/** Percent-encodes all characters except the unreserved ones of RFC 3986. */
function escapeUri(value: unknown): string {
  // Lone surrogates, at which the encoder would throw, are replaced by the replacement character.
  return encodeURIComponent(Buffer.from(text(value)).toString()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function fromPairs(value: unknown, budget: Budget): JsonObject {
  const pairs = list(value);
  budget.step(pairs.length);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, member, ...more] = Array.isArray(pair) ? pair : [];
      if (typeof name !== 'string' || !Array.isArray(pair) || pair.length !== 2 || more.length > 0) {
        throw new FunctionError('Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.');
      }
      return [name, member as unknown];
    }),
  );
}

/** Concatenates lists or strings, or merges objects, in which the last member of a name wins. */
function concat(value: unknown, budget: Budget): unknown {
  const parts = list(value);
  if (parts.every((part): part is readonly unknown[] => Array.isArray(part))) {
    budget.step(parts.reduce((sum, part) => sum + part.length, 1));
    return parts.flat(1);
  }
  if (parts.every((part) => typeof part === 'string')) {
    budget.text(parts.reduce((sum, part) => sum + part.length, 0));
    return parts.join('');
  }
  if (!parts.every(isJsonObject)) throw new FunctionError('expected an Array of arrays, of strings or of objects');
  return Object.fromEntries(
    parts.flatMap((part) => {
      const members = Object.entries(part);
      budget.step(members.length);
      return members;
    }),
  );
}

function not(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new FunctionError(`expected a Bool, but encountered ${typeOf(value)}`);
  return !value;
}

export const basicFunctions: Readonly<Record<string, KritiFunction>> = {
  empty: isEmpty,
  size,
  length: size,
  inverse,
  head: (value) => ends(value, ([first]) => first),
  tail: (value) => ends(value, ([, ...rest], wasText) => (wasText ? rest.join('') : rest)),
  toCaseFold: (value) => text(value).toLowerCase(),
  toLower: (value) => text(value).toLowerCase(),
  toUpper: (value) => text(value).toUpperCase(),
  toTitle,
  escapeUri,
  toPairs: (value) => Object.entries(object(value)),
  fromPairs,
  removeNulls: (value) => list(value).filter((item) => item !== null),
  concat,
  not,
};
