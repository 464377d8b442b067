/** The JSON text of rows with joins. It is split at the joined fields, and most of the rest is neither parsed nor printed. */
import { endOfString } from '../../base/json-string.ts';
import { parseJson, printJson, RawJson } from '../../base/json-value.ts';
import type { OutputJoins } from '../action/output.ts';
import { GappedText, type JoinPrinter } from '../action/output-text.ts';
import { collectJoins, type Shape } from './key-collector.ts';
import { type Member, membersOf } from './row-members.ts';

/** Rows whose joins are fetched later. Text, unless errors need the objects in which they are, as in `Output`. */
export class JoinedRows {
  readonly #shape: Shape;
  readonly #text: string;
  readonly #joins: OutputJoins;
  readonly #printed: GappedText | undefined;
  readonly #value: unknown;

  /** `text` is a list, row, aggregate, connection or null. Registers the joined fields in `joins`. */
  constructor(shape: Shape, text: string, joins: OutputJoins) {
    this.#shape = shape;
    this.#text = text;
    this.#joins = joins;
    this.#printed = printRows(shape, text, joins);
    if (this.#printed === undefined) this.#value = this.#parsed(joins.add);
  }

  /** Returns a JSON value, after the joins are fetched. */
  value(): unknown {
    if (this.#printed === undefined) return this.#value;
    return this.#joins.hasErrors ? this.#parsed(this.#joins.refill) : new RawJson(this.#printed.print());
  }

  #parsed(onJoin: OutputJoins['add']): unknown {
    const value = parseJson(this.#text);
    collectJoins(this.#shape, value, onJoin);
    return value;
  }
}

/**
 * Returns `text` without phantoms and with gaps for the values of joins. Returns undefined for text that has to be parsed,
 * because PostgreSQL printed it in another form than its plan lets expect. Some of its joins are registered then.
 */
export function printRows(shape: Shape, text: string, joins: JoinPrinter): GappedText | undefined {
  const members = membersOf(shape);
  if (members === undefined) return undefined;
  const printer = new RowPrinter(text, joins);
  return printer.value(members, 0) === text.length ? printer.out : undefined;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Copies text and replaces joins. Methods return the position after a value, or -1 for text of another form. */
class RowPrinter {
  readonly out = new GappedText();
  readonly #text: string;
  readonly #joins: JoinPrinter;

  constructor(text: string, joins: JoinPrinter) {
    this.#text = text;
    this.#joins = joins;
  }

  /** Prints an object, a list of objects or null. */
  value(members: readonly Member[], start: number): number {
    const code = this.#text.charCodeAt(start);
    if (code === OPEN_OBJECT) return this.#object(members, start);
    if (code === OPEN_LIST) return this.#list(members, start);
    if (!this.#text.startsWith('null', start)) return -1;
    this.out.text += 'null';
    return start + 4;
  }

  #list(members: readonly Member[], start: number): number {
    let at = start + 1;
    this.out.text += '[';
    if (this.#text.charCodeAt(at) !== CLOSE_LIST) {
      at = this.value(members, at);
      while (at >= 0 && this.#text.charCodeAt(at) === COMMA) {
        this.out.text += ',';
        at = this.value(members, at + 1);
      }
      if (at < 0 || this.#text.charCodeAt(at) !== CLOSE_LIST) return -1;
    }
    this.out.text += ']';
    return at + 1;
  }

  #object(members: readonly Member[], start: number): number {
    const text = this.#text;
    const starts: number[] = [];
    const ends: number[] = [];
    let at = start;
    for (const { name } of members) {
      // The brace or the comma.
      if (at > start && text.charCodeAt(at) !== COMMA) return -1;
      if (!text.startsWith(name, at + 1)) return -1;
      starts.push(at + 1 + name.length);
      at = endOf(text, at + 1 + name.length);
      if (at < 0) return -1;
      ends.push(at);
    }
    if (text.charCodeAt(at) !== CLOSE_OBJECT) return -1;
    return this.#members(members, start, starts, ends) ? at + 1 : -1;
  }

  /** Prints the object with the values at the positions. */
  #members(members: readonly Member[], start: number, starts: readonly number[], ends: readonly number[]): boolean {
    const text = this.#text;
    let from = start;
    let end = start + 1;
    for (let index = 0; index < members.length; index += 1) {
      const member = members[index];
      if (member === undefined || member.kind === 'phantom') break;
      const first = starts[index] ?? 0;
      const last = ends[index] ?? 0;
      end = last;
      if (member.kind === 'other' && member.isSame) continue;
      this.out.text += text.slice(from, first);
      from = last;
      if (member.kind === 'other') {
        this.out.text += reprinted(text.slice(first, last));
      } else if (member.kind === 'nested') {
        if (this.value(member.members, first) !== last) return false;
      } else {
        const key = member.keys.map((position) => keyPart(text.slice(starts[position], ends[position])));
        this.#joins.print(member.join, key, this.out);
      }
    }
    this.out.text += `${text.slice(from, end)}}`;
    return true;
  }
}

const shortInteger = /^(?:0|-?[1-9]\d{0,14})$/;

function reprinted(text: string): string {
  return text === 'null' || shortInteger.test(text) ? text : printJson(parseJson(text));
}

/** Returns the JSON value of `text`. Most keys are integers or short strings. */
function keyPart(text: string): unknown {
  if (shortInteger.test(text)) return Number(text);
  return text.charCodeAt(0) === QUOTE && !text.includes('\\') ? text.slice(1, -1) : parseJson(text);
}

/** Returns the position after the valid JSON value at `start`; -1 at the end of the text. */
function endOf(text: string, start: number): number {
  let at = start;
  let depth = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (depth === 0) return at;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      at += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
      if (depth === 0) return at;
    } else {
      if (code === COMMA && depth === 0) return at;
      at += 1;
    }
  }
  return -1;
}
