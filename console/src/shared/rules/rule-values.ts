/** Parses and formats operands by column type. Pure. */
import { parseExactly } from '../../api/exact-json.ts';
import { isJsonObject } from '../../api/json.ts';
import { isSessionVariable } from '../roles/known-names.ts';
import { familyOf } from '../sources/type-family.ts';
import { type Argument, isTypedAsJson, operatorNamed, type RuleOperator } from './operators.ts';

export interface TypedValue {
  readonly value: unknown;
  /** The validation error. */
  readonly problem?: string;
}

/**
 * Parses text for a column type. Text with the session variable prefix is a session variable for any type. `prefix` is
 * undefined where there are no session variables.
 */
export function parseValue(text: string, type: string, prefix: string | undefined): TypedValue {
  if (prefix !== undefined && isSessionVariable(text.trim(), prefix)) return { value: text.trim() };
  const problem = (expected: string): string =>
    `Must be ${expected}${prefix === undefined ? '' : ' or a session variable'}.`;
  if (isTypedAsJson(type)) return readJson(text, problem('JSON'));
  switch (familyOf(type)) {
    case 'boolean':
      if (text === 'true' || text === 'false') return { value: text === 'true' };
      return { value: text, problem: problem(prefix === undefined ? 'true or false' : 'true, false') };
    case 'number':
      if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return { value: number(text) };
      return { value: text, problem: problem('a number') };
    default:
      return { value: text };
  }
}

/** JSON has no leading zeros, but PostgreSQL accepts them. */
function number(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}

function readJson(text: string, problem: string): TypedValue {
  try {
    return { value: parseExactly(text) };
  } catch {
    return { value: text, problem };
  }
}

/** Formats a value as its input text. */
export function showTyped(value: unknown, type: string, prefix: string | undefined): string {
  const isVariable = prefix !== undefined && isSessionVariable(value, prefix);
  if (typeof value === 'string' && (!isTypedAsJson(type) || isVariable)) return value;
  return JSON.stringify(value) ?? '';
}

const empty: Readonly<Record<Argument, unknown>> = {
  same: '',
  list: [],
  boolean: true,
  text: '',
  texts: [],
  column: '',
  json: {},
};

/** Converts the operand of one operator for another one, as far as possible. */
export function reshaped(value: unknown, from: string, to: RuleOperator): unknown {
  const before = operatorNamed(from)?.argument;
  if (before === to.argument) return value;
  const { argument } = to;
  if (argument === 'list' || argument === 'texts') {
    if (before === 'list' || before === 'texts') return value;
    return (before === 'same' || before === 'text') && value !== '' ? [value] : empty[argument];
  }
  if (argument === 'same' || argument === 'text') {
    if (before === 'same' || before === 'text') return isJsonObject(value) ? empty[argument] : value;
    if (before === 'list' || before === 'texts') return Array.isArray(value) ? (value[0] ?? '') : value;
  }
  return empty[argument];
}

/** Parses a PostgreSQL array such as `{1,"a b"}`. Undefined for other text and nested arrays. */
export function itemsOfArray(text: string): readonly string[] | undefined {
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1];
  if (inner === undefined) return undefined;
  if (inner.trim() === '') return [];
  const items: string[] = [];
  const item = /\s*(?:"((?:[^"\\]|\\.)*)"|([^",{}\\]+?))\s*(,|$)/gsy;
  for (let ended = false; !ended; ) {
    const found = item.exec(inner);
    if (found === null) return undefined;
    items.push(found[1]?.replace(/\\(.)/gs, '$1') ?? found[2] ?? '');
    ended = found[3] === '';
  }
  return items;
}
