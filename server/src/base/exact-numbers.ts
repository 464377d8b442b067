/** Finds numbers in JSON text that a double cannot represent. Digits within strings do not count. */
import { isSafeNumber } from 'lossless-json';
import { endOfString } from './json-string.ts';

/** Fewer characters of digits without an exponent are exact. */
const LEAST_DIGITS = 16;

/** Text without it has no exponents. */
const anyExponent = /\d[eE][+-]?\d/;

/** A number with an exponent, or digits of a string that resemble one. */
const exponent = /\d[eE][+-]?\d+(?=[,\]}\s]|$)/g;

const QUOTE = '"';

/** Whether a number of the valid JSON `text` cannot be represented by a double. */
export function hasExactNumber(text: string): boolean {
  return hasLongNumber(text) || hasExponent(text);
}

/** A run of at least 16 digits includes every sixteenth position, so that only those are read. */
function hasLongNumber(text: string): boolean {
  let strings: StringScan | undefined;
  for (let at = LEAST_DIGITS - 1; at < text.length; at += LEAST_DIGITS) {
    if (!isDigitOrDot(text.charCodeAt(at))) continue;
    let end = at + 1;
    while (isDigitOrDot(text.charCodeAt(end))) end += 1;
    let start = at;
    while (start > 0 && isDigitOrDot(text.charCodeAt(start - 1))) start -= 1;
    if (end - start >= LEAST_DIGITS) {
      strings ??= new StringScan(text);
      if (!strings.contains(at) && !isSafeNumber(numberAround(text, start, end))) return true;
    }
    // The rest of the run is skipped.
    at += Math.floor((end - 1 - at) / LEAST_DIGITS) * LEAST_DIGITS;
  }
  return false;
}

function hasExponent(text: string): boolean {
  if (!anyExponent.test(text)) return false;
  let strings: StringScan | undefined;
  for (const { 0: found, index } of text.matchAll(exponent)) {
    strings ??= new StringScan(text);
    if (!strings.contains(index) && !isSafeNumber(numberAround(text, index, index + found.length))) return true;
  }
  return false;
}

function isDigitOrDot(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

/** Returns the number that includes the characters from `start` to `end`, outside of strings. */
function numberAround(text: string, start: number, end: number): string {
  let from = start;
  while (from > 0 && isNumeric(text.charCodeAt(from - 1))) from -= 1;
  let to = end;
  while (isNumeric(text.charCodeAt(to))) to += 1;
  return text.slice(from, to);
}

/** Digits, signs, dots and exponents. */
function isNumeric(code: number): boolean {
  return isDigitOrDot(code) || code === 43 || code === 45 || code === 69 || code === 101;
}

/** Finds the strings of JSON text from its start. Positions must be queried in ascending order. */
class StringScan {
  readonly #text: string;
  /** The quotes of the string at or after the last position. */
  #open = -1;
  #close = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the position is within a string. */
  contains(position: number): boolean {
    while (this.#close < position) {
      const open = this.#text.indexOf(QUOTE, this.#close + 1);
      this.#open = open === -1 ? this.#text.length : open;
      this.#close = endOfString(this.#text, this.#open) - 1;
    }
    return this.#open < position;
  }
}
