/** Reads words, numbers and signs of a Kriti template. The parser reads the text between quotes. */
import { KritiError } from './error.ts';

export interface Token {
  readonly kind: 'word' | 'number' | 'sign' | 'end';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** White space, and comments to the end of their line. */
const blank = /(?:\s|#[^\n]*)*/y;
const word = /\$?[A-Za-z][$A-Za-z0-9_-]*|\$|_[$A-Za-z0-9_-]+/y;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Longer signs first. Closing braces are single signs, because only the parser can pair them. */
const sign = /\{\{|==|!=|>=|<=|&&|\|\||\?\?|:=|[{}[\]().,:?<>_"']/y;

/** Returns the token at or after `offset`. Throws KritiError if no token begins there. */
export function tokenAt(text: string, offset: number): Token {
  const start = endOf(blank, text, offset) ?? offset;
  if (start === text.length) return { kind: 'end', text: '', start, end: start };
  for (const [kind, pattern] of [
    ['word', word],
    ['number', number],
    ['sign', sign],
  ] as const) {
    const end = endOf(pattern, text, start);
    if (end !== undefined) return { kind, text: text.slice(start, end), start, end };
  }
  const rest = text.slice(start, start + 40);
  throw new KritiError('Lex Error', `Invalid Lexeme: '${rest}'`, text, { start, end: start + 1 });
}

function endOf(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
