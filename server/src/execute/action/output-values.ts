/** Scalar and enum values of responses: their validity, and their form in error messages. */
import { ExactNumber } from '../../base/json-value.ts';
import type { EnumRef, ScalarRef } from '../../model/types/action.ts';

/** Returns a test for valid non-null values of the type; undefined if all values are valid. */
export function fitsOf(type: ScalarRef | EnumRef): ((value: unknown) => boolean) | undefined {
  return type.kind === 'enum' ? enumFits(type) : scalarFits(type);
}

function enumFits(type: EnumRef): (value: unknown) => boolean {
  const values = new Set<unknown>(type.values.map(({ value }) => value));
  return (value) => values.has(value);
}

/** `color (red, green)` */
export function enumText(type: EnumRef): string {
  return `${type.name} (${type.values.map(({ value }) => value).join(', ')})`;
}

function scalarFits({ name, origin }: ScalarRef): ((value: unknown) => boolean) | undefined {
  if (origin !== 'graphql') return undefined;
  switch (name) {
    case 'Int':
      return (value) => typeof value === 'number' && (value | 0) === value;
    case 'Float':
      return (value) => typeof value === 'number' || value instanceof ExactNumber;
    case 'Boolean':
      return (value) => typeof value === 'boolean';
    case 'ID':
      return (value) => typeof value === 'string' || Number.isInteger(value) || value instanceof ExactNumber;
    default:
      return (value) => typeof value === 'string';
  }
}

/**
 * Returns a test for valid non-null values of a built-in scalar in a remote schema; undefined for other scalars. For
 * `Float`, a number in a string is accepted, since services that print numerics as strings declare averages as `Float`.
 */
export function builtInFits(name: string): ((value: unknown) => boolean) | undefined {
  if (!builtIn.has(name)) return undefined;
  const fits = scalarFits({ kind: 'scalar', name, origin: 'graphql', description: undefined });
  if (fits === undefined || name !== 'Float') return fits;
  return (value) => fits(value) || (typeof value === 'string' && numeric.test(value));
}

const builtIn: ReadonlySet<string> = new Set(['Int', 'Float', 'String', 'Boolean', 'ID']);
const numeric = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
