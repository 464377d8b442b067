/** JSON without loss of precision. JSON text of PostgreSQL is embedded without parsing. */
import { isSafeNumber, parse as parseExactly } from 'lossless-json';
import { hasExactNumber } from './exact-numbers.ts';

/** A JSON number that a double cannot represent, as written. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): number {
    return Number(this.text);
  }
}

/** Valid JSON text that `printJson` embeds as it is. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `Value`, of which any member or element may be JSON text. */
export type PartlyPrinted<Value> =
  | Value
  | (Value extends readonly (infer Element)[]
      ? readonly (PartlyPrinted<Element> | RawJson)[]
      : Value extends object
        ? { readonly [Key in keyof Value]: PartlyPrinted<Value[Key]> | RawJson }
        : never);

/**
 * Parses JSON text. Numbers that a double cannot represent become ExactNumber. Throws SyntaxError. A member `__proto__` is
 * an ordinary member.
 */
export function parseJson(text: string): unknown {
  // Always parsed by JSON.parse first, so that validity does not depend on the digits.
  const fast: unknown = JSON.parse(text);
  return hasExactNumber(text) ? parseExactly(text, undefined, { parseNumber: exactly, onDuplicateKey }) : fast;
}

function exactly(digits: string): number | ExactNumber {
  return isSafeNumber(digits) ? Number(digits) : new ExactNumber(digits);
}

/** As with JSON.parse, the last member of a name takes precedence. */
function onDuplicateKey({ newValue }: { readonly newValue: unknown }): unknown {
  return newValue;
}

/** Returns `value` as JSON text. Omits undefined members, as JSON.stringify does. */
export function printJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return printString(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (value instanceof RawJson || value instanceof ExactNumber) return value.text;
      return Array.isArray(value) ? printList(value) : printObject(value as Readonly<Record<string, unknown>>);
    default:
      return 'null';
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON requires these to be escaped.
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Whether `text` is short and its JSON is the text in quotes. Checking that costs a fraction of JSON.stringify. */
export function isPlainText(text: string): boolean {
  return text.length < 64 && !escaped.test(text);
}

function printString(text: string): string {
  return isPlainText(text) ? `"${text}"` : JSON.stringify(text);
}

function printList(items: readonly unknown[]): string {
  let text = '[';
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ',';
    text += printJson(items[index]);
  }
  return `${text}]`;
}

function printObject(object: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const name of Object.keys(object)) {
    const member = object[name];
    if (member === undefined) continue;
    text += text === '' ? '{' : ',';
    text += printName(name);
    text += printJson(member);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Printed member names with their colon. Names repeat often; the first ones are cached. */
const names = new Map<string, string>();
const MOST_NAMES = 1_000;

function printName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${printString(name)}:`;
  if (names.size < MOST_NAMES && name.length < 64) names.set(name, text);
  return text;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object: no list, null, or instance of a class such as ExactNumber. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns the kind of a JSON value for messages: `null`, `a list`, `an object`, `a string`; `nothing` for undefined. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const LONGEST_SHOWN = 60;

/** Returns a short scalar as JSON text for messages; the kind of other values. */
export function showJson(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}...` : value);
  }
  if (value instanceof ExactNumber) return value.text.slice(0, LONGEST_SHOWN);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

/** Returns `kindOf`, with the value of numbers and booleans: `the number 3`, `true`. */
export function kindAndNumber(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' ? `the number ${value}` : kindOf(value);
}

/** Appends a step to a JSON path: `$.name`, `$["a b"]`, `$[0]`. */
export function memberPath(path: string, step: PropertyKey): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  const name = String(step);
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** Returns the JSON path of `steps` below `root`. */
export function jsonPath(steps: readonly PropertyKey[], root = '$'): string {
  return steps.reduce<string>(memberPath, root);
}

/** Sets an own member, also for the name `__proto__`. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}
