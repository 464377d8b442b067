/** JSON without loss: numbers that a double cannot hold stay exact, and JSON text from PostgreSQL is spliced unparsed. */
import { isSafeNumber, parse as parseExactly } from 'lossless-json';

/** A JSON number in the digits it was written in, because a double would change its value. */
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

/** JSON text that is known to be valid and goes into an answer as it is. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Only such text can hold a number that a double changes: more than 15 digits, or an exponent. Matches within strings
 * do no harm, they only choose the slower parser. Written as one alternative for speed.
 */
const suspicious = /\d(?:[\d.]{15}|[eE][+-]?\d+(?:[,\]}\s]|$))/;

/**
 * The value of `text`. Numbers become ordinary numbers where that loses nothing and ExactNumber otherwise. Throws
 * SyntaxError. Members named `__proto__` are ordinary members.
 */
export function parseJson(text: string): unknown {
  // The fast parser first even then: what is valid must not depend on the digits in it.
  const fast: unknown = JSON.parse(text);
  return suspicious.test(text) ? parseExactly(text, undefined, { parseNumber: exactly, onDuplicateKey }) : fast;
}

function exactly(digits: string): number | ExactNumber {
  return isSafeNumber(digits) ? Number(digits) : new ExactNumber(digits);
}

/** The last one counts, as with JSON.parse. */
function onDuplicateKey({ newValue }: { readonly newValue: unknown }): unknown {
  return newValue;
}

/** `value` as JSON text. Undefined members are left out, as JSON.stringify does. */
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON wants escaped.
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Most strings are short and need no escape; finding that out costs a fraction of JSON.stringify. */
function printString(text: string): string {
  return text.length < 64 && !escaped.test(text) ? `"${text}"` : JSON.stringify(text);
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

/** Members have few names and many values: the first ones that come are kept, with their quotes and colon. */
const names = new Map<string, string>();
const MOST_NAMES = 1_000;

function printName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const text = `${printString(name)}:`;
  if (names.size < MOST_NAMES && name.length < 64) names.set(name, text);
  return text;
}

/** Whether the value is a JSON object: no list, null or exact number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** Sets an own member, also for the name `__proto__`. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}
