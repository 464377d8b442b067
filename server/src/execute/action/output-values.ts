/** Single values of a handler's answer: which fit a scalar or an enum, and how one that does not is told. */
import { ExactNumber } from '../../base/json-value.ts';
import type { EnumRef, ScalarRef } from '../../model/types/action.ts';

/** Whether a value, null aside, fits the type; undefined where every value does. */
export function fitsOf(type: ScalarRef | EnumRef): ((value: unknown) => boolean) | undefined {
  return type.kind === 'enum' ? enumFits(type) : scalarFits(type);
}

function enumFits(type: EnumRef): (value: unknown) => boolean {
  const values = new Set<unknown>(type.values.map(({ value }) => value));
  return (value) => values.has(value);
}

/** `colour (red, green)` */
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
 * Whether a value of a remote schema, null aside, fits a scalar of GraphQL; undefined for other scalars. A number that
 * is written as a string is accepted: services that print numerics as strings announce `Float` for averages of them.
 */
export function builtInFits(name: string): ((value: unknown) => boolean) | undefined {
  if (!builtIn.has(name)) return undefined;
  const fits = scalarFits({ kind: 'scalar', name, origin: 'graphql', description: undefined });
  if (fits === undefined || name !== 'Float') return fits;
  return (value) => fits(value) || (typeof value === 'string' && numeric.test(value));
}

const builtIn: ReadonlySet<string> = new Set(['Int', 'Float', 'String', 'Boolean', 'ID']);
const numeric = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const LONGEST_SHOWN = 60;

/** The value itself where it is short and plain. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}...` : value);
  }
  if (value instanceof ExactNumber) return value.text.slice(0, LONGEST_SHOWN);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

/** What kind of value it is. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
