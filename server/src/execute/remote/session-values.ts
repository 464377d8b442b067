/** Session variables of presets as variables of a request to a remote schema. */
import { type GraphQLInputType, getNullableType, isEnumType, isListType, isNonNullType } from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { SessionValue } from '../../plan/plan/remote.ts';
import type { ExecuteContext } from '../context/context.ts';

/**
 * Adds session variables to the variables of the request. Throws `not-found` for a missing session variable, and
 * `coercion-error` for one that is no value of the type.
 */
export function withSession(
  values: readonly SessionValue[],
  { variables, session }: ExecuteContext,
): ExecuteContext['variables'] {
  if (values.length === 0) return variables;
  const filled = values.map((wanted): [string, unknown] => {
    const { variable, name, type } = wanted;
    const text = session.variables.get(name);
    if (text === undefined) throw new ServiceError('not-found', `missing session variable: "${name}"`, { status: 400 });
    const value = inputOf(isListType(getNullableType(type)) ? listIn(text) : text, type, wanted);
    if (value !== undefined) return [variable, value];
    throw new ServiceError(
      'coercion-error',
      `session variable "${name}" is not a value of type ${getNullableType(type)}`,
    );
  });
  return { ...variables, ...Object.fromEntries(filled) };
}

/** Returns a value of the type; undefined if `value`, a text or a part of a list, is none. */
function inputOf(value: unknown, type: GraphQLInputType, wanted: SessionValue): unknown {
  if (value === null) return isNonNullType(type) ? undefined : null;
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const items = [value].flat().map((item: unknown) => inputOf(item, nullable.ofType, wanted));
    return items.includes(undefined) ? undefined : items;
  }
  if (isEnumType(nullable)) return wanted.enumValues?.has(String(value)) === true ? value : undefined;
  const text = typeof value === 'string' ? value : printJson(value);
  switch (String(nullable)) {
    case 'Int': {
      const number = numberIn(text);
      return number !== undefined && Number.isInteger(number) && isInt32(number) ? number : undefined;
    }
    case 'Float':
      return numberIn(text);
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'String':
      return text;
    default:
      return value;
  }
}

function numberIn(text: string): number | undefined {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : undefined;
}

function isInt32(number: number): boolean {
  return number >= -(2 ** 31) && number < 2 ** 31;
}

/** Reads a list, which is an array literal such as `{1,2}` and `{"a b",NULL}`, or JSON. Any other text is its only item. */
function listIn(text: string): readonly unknown[] {
  const items = arrayIn(text);
  if (items !== undefined) return items;
  try {
    return [parseJson(text)].flat();
  } catch {
    return [text];
  }
}

const token = /\s*(?:([{},])|"((?:[^"\\]|\\[\s\S])*)"|((?:[^\s{},"\\]|\\[\s\S]|\s+(?=[^\s{},"]))+))\s*/uy;

/** Returns the items of an array literal of PostgreSQL, in which nested arrays are lists; undefined for any other text. */
function arrayIn(text: string): readonly unknown[] | undefined {
  const outer: unknown[] = [];
  const open = [outer];
  let isItemNext = true;
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const [found, sign, quoted, plain] = token.exec(text) ?? [];
    const list = open.at(-1);
    if (found === undefined || list === undefined) return undefined;
    const isFirst = list.length === 0;
    if (sign === '{' && isItemNext) {
      const nested: unknown[] = [];
      list.push(nested);
      open.push(nested);
    } else if (sign === '}' && (!isItemNext || isFirst) && open.length > 1) {
      open.pop();
      isItemNext = false;
    } else if (sign === ',' && !isItemNext && open.length > 1) {
      isItemNext = true;
    } else if (sign === undefined && isItemNext && open.length > 1) {
      list.push(itemOf(quoted, plain));
      isItemNext = false;
    } else return undefined;
  }
  const [array] = outer;
  return open.length === 1 && outer.length === 1 && Array.isArray(array) ? array : undefined;
}

function itemOf(quoted: string | undefined, plain = ''): string | null {
  if (quoted === undefined && plain.toUpperCase() === 'NULL') return null;
  return (quoted ?? plain).replace(/\\([\s\S])/g, '$1');
}
