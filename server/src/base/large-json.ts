/** Parses JSON text of megabytes in slices, between which the event loop handles other events. */
import { isSafeNumber } from 'lossless-json';
import { ExactNumber } from './json-value.ts';
import { yieldToEvents } from './steps.ts';

/** Minimum length of text that is parsed in slices. */
export const LARGE_JSON = 262_144;

/** Maximum nesting. The code that reads the value is recursive. */
const DEEPEST = 10_000;
/** Maximum members of one object. Larger objects are copied as they grow, which cannot be sliced. */
const MOST_MEMBERS = 100_000;
/** Milliseconds of one slice. */
const SLICE_MS = 15;
/** Values between two checks of the clock. */
const VALUES_BETWEEN = 2_000;

/**
 * Parses like `parseJson`, in several times its total time, and blocks for milliseconds at most. Rejects with a
 * SyntaxError.
 */
export async function parseLargeJson(text: string): Promise<unknown> {
  const parser = new SlicedParser(text);
  while (!parser.advance(performance.now() + SLICE_MS)) await yieldToEvents();
  return parser.result;
}

type Container = unknown[] | Record<string, unknown>;

/** The next token: a value; the first item or `]`; a member name or `}`; a comma or the end after a value. */
type Expected = 'value' | 'item' | 'name' | 'separator';

const QUOTE = 34;
const BACKSLASH = 92;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const space = /[ \t\r\n]*/y;
const literals: readonly (readonly [word: string, value: boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class SlicedParser {
  readonly #text: string;
  /** The enclosing containers, each with the name of its current member. */
  readonly #outer: { readonly container: Container; readonly name: string; readonly members: number }[] = [];
  #container: Container | undefined;
  #name = '';
  /** Members of the current object parsed so far. */
  #members = 0;
  #at = 0;
  #expected: Expected = 'value';
  /** Whether `}` may follow, at the start of an object. */
  #isFirst = false;
  #result: unknown;

  constructor(text: string) {
    this.#text = text;
  }

  get result(): unknown {
    return this.#result;
  }

  /** Parses until `deadline` (of `performance.now()`). Returns whether the text has ended. Throws a SyntaxError. */
  advance(deadline: number): boolean {
    for (let count = 1; ; count += 1) {
      if (count % VALUES_BETWEEN === 0 && performance.now() > deadline) return false;
      this.#skipSpace();
      if (this.#expected === 'separator' && this.#container === undefined) {
        if (this.#at < this.#text.length) throw this.#unexpected();
        return true;
      }
      this.#step();
    }
  }

  #step(): void {
    const code = this.#text.charCodeAt(this.#at);
    switch (this.#expected) {
      case 'separator':
        this.#separator(code);
        break;
      case 'name':
        if (this.#isFirst && code === 125) this.#leave();
        else this.#memberName(code);
        break;
      case 'item':
        if (code === 93) this.#leave();
        else this.#value(code);
        break;
      case 'value':
        this.#value(code);
        break;
      default:
        this.#expected satisfies never;
    }
  }

  #separator(code: number): void {
    const inList = Array.isArray(this.#container);
    if (code === (inList ? 93 : 125)) this.#leave();
    else if (code === 44) {
      this.#at += 1;
      this.#expected = inList ? 'value' : 'name';
    } else throw this.#unexpected();
  }

  #memberName(code: number): void {
    if (code !== QUOTE) throw this.#unexpected();
    this.#isFirst = false;
    this.#members += 1;
    if (this.#members > MOST_MEMBERS) throw new SyntaxError(`an object has more than ${MOST_MEMBERS} members`);
    this.#name = this.#string();
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== 58) throw this.#unexpected();
    this.#at += 1;
    this.#expected = 'value';
  }

  #value(code: number): void {
    if (code === QUOTE) this.#put(this.#string());
    else if (code === 91) this.#enter([], 'item');
    else if (code === 123) this.#enter({}, 'name');
    else this.#put(code === 45 || (code >= 48 && code <= 57) ? this.#number() : this.#word());
  }

  #enter(container: Container, expected: Expected): void {
    if (this.#outer.length >= DEEPEST) {
      throw new SyntaxError(`it is nested more than ${DEEPEST} levels deep`);
    }
    this.#put(container);
    this.#outer.push({ container: this.#container ?? [], name: this.#name, members: this.#members });
    this.#members = 0;
    this.#container = container;
    this.#isFirst = true;
    this.#expected = expected;
    this.#at += 1;
  }

  #leave(): void {
    const outer = this.#outer.pop();
    this.#container = this.#outer.length === 0 ? undefined : outer?.container;
    this.#name = outer?.name ?? '';
    this.#members = outer?.members ?? 0;
    this.#expected = 'separator';
    this.#at += 1;
  }

  #put(value: unknown): void {
    const container = this.#container;
    if (container === undefined) this.#result = value;
    else if (Array.isArray(container)) container.push(value);
    else if (this.#name === '__proto__') {
      Object.defineProperty(container, '__proto__', { value, writable: true, enumerable: true, configurable: true });
    } else container[this.#name] = value;
    this.#expected = 'separator';
  }

  /** Reads a string. `JSON.parse` decodes its escapes. */
  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let escaped = false;
    let at = start + 1;
    for (; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        escaped = true;
        at += 1;
      } else if (!(code >= 32)) {
        this.#at = at;
        throw this.#unexpected();
      }
    }
    this.#at = at + 1;
    return escaped ? (JSON.parse(text.slice(start, at + 1)) as string) : text.slice(start + 1, at);
  }

  #number(): number | ExactNumber {
    number.lastIndex = this.#at;
    const digits = number.exec(this.#text)?.[0];
    if (digits === undefined) throw this.#unexpected();
    this.#at += digits.length;
    // Up to 15 digits without an exponent are exact.
    return (digits.length < 16 && !/[eE]/.test(digits)) || isSafeNumber(digits)
      ? Number(digits)
      : new ExactNumber(digits);
  }

  #word(): boolean | null {
    for (const [word, value] of literals) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    throw this.#unexpected();
  }

  #skipSpace(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code > 32) return;
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
  }

  #unexpected(): SyntaxError {
    const found = this.#text[this.#at];
    const what = found === undefined ? 'end of the text' : `character ${JSON.stringify(found)}`;
    return new SyntaxError(`unexpected ${what} at position ${this.#at}`);
  }
}
