/** Parses Kriti templates, which are JSON with `{{ expressions }}`, by recursive descent with a limit on depth. */
import { parseJson } from '../../json-value.ts';
import { KritiError } from './error.ts';
import { type Token, tokenAt } from './lexer.ts';
import type { Comparison, Expression, Span, Step, Template } from './syntax.ts';

/** The most characters of one template. */
const longestTemplate = 200_000;
/** The most levels of nesting; each needs a few stack frames, here and in the evaluation. */
const deepest = 100;

/** Parses a template whose result is any JSON value. Throws KritiError. */
export function parseTemplate(text: string): Template {
  const parser = new Parser(text);
  return { text, root: parser.whole() };
}

/** Parses a template of text without quotes, such as that of a URL, whose result is a string. */
export function parseTextTemplate(text: string): Template {
  const parser = new Parser(text);
  return { text, root: parser.bareText() };
}

const comparisons: ReadonlySet<string> = new Set<Comparison>(['==', '!=', '<', '<=', '>', '>=']);
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

class Parser {
  readonly #text: string;
  #token: Token = { kind: 'end', text: '', start: 0, end: 0 };
  /** The offset after `#token`. */
  #offset = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.length > longestTemplate) {
      throw this.#error('Limit Error', `a template has at most ${longestTemplate} characters`, { start: 0, end: 0 });
    }
  }

  whole(): Expression {
    this.#next();
    const root = this.#expression();
    if (this.#token.kind !== 'end') throw this.#unexpected();
    return root;
  }

  bareText(): Expression {
    return { kind: 'text', parts: this.#parts(undefined, true), span: { start: 0, end: this.#text.length } };
  }

  #next(): Token {
    const taken = this.#token;
    this.#token = tokenAt(this.#text, this.#offset);
    this.#offset = this.#token.end;
    return taken;
  }

  #is(text: string): boolean {
    return this.#token.kind !== 'end' && this.#token.text === text;
  }

  #expect(text: string): Token {
    if (!this.#is(text)) throw this.#unexpected();
    return this.#next();
  }

  /** Reads two closing braces with nothing between them. Returns the offset of their end. */
  #close(): number {
    const first = this.#expect('}');
    if (!this.#is('}') || this.#token.start !== first.end) throw this.#unexpected();
    return this.#next().end;
  }

  #expression(): Expression {
    this.#depth += 1;
    if (this.#depth > deepest) {
      throw this.#error('Limit Error', `a template is nested at most ${deepest} levels deep`, this.#token);
    }
    const found = this.#chain('||', 'or', () => this.#chain('&&', 'and', () => this.#comparison()));
    this.#depth -= 1;
    return found;
  }

  #chain(sign: string, kind: 'or' | 'and' | 'default', operand: () => Expression): Expression {
    const first = operand();
    if (!this.#is(sign)) return first;
    const operands = [first];
    while (this.#is(sign)) {
      this.#next();
      operands.push(operand());
    }
    return { kind, operands, span: { start: first.span.start, end: operands.at(-1)?.span.end ?? first.span.end } };
  }

  #comparison(): Expression {
    const left = this.#membership();
    if (this.#token.kind !== 'sign' || !comparisons.has(this.#token.text)) return left;
    const operator = this.#next().text as Comparison;
    const right = this.#membership();
    return { kind: 'compare', operator, left, right, span: { start: left.span.start, end: right.span.end } };
  }

  #membership(): Expression {
    const left = this.#defaulting();
    if (!this.#is('in')) return left;
    this.#next();
    const right = this.#defaulting();
    return { kind: 'in', left, right, span: { start: left.span.start, end: right.span.end } };
  }

  #defaulting(): Expression {
    return this.#chain('??', 'default', () => this.#operand());
  }

  #operand(): Expression {
    if (this.#is('not')) {
      const { start } = this.#next();
      const argument = this.#expression();
      return { kind: 'call', name: 'not', argument, span: { start, end: argument.span.end } };
    }
    return this.#is('{{') ? this.#block() : this.#lookup(this.#atom());
  }

  /** Parses a block from `{{` to its end. */
  #block(): Expression {
    const { start } = this.#expect('{{');
    if (this.#is('if')) return this.#conditional(start);
    if (this.#is('range')) return this.#range(start);
    const found = this.#expression();
    this.#close();
    return found;
  }

  #conditional(start: number): Expression {
    const branches: { when: Expression; value: Expression }[] = [];
    do {
      this.#next();
      const when = this.#expression();
      this.#close();
      branches.push({ when, value: this.#expression() });
      this.#expect('{{');
    } while (this.#is('elif'));
    this.#expect('else');
    this.#close();
    const otherwise = this.#expression();
    return { kind: 'if', branches, otherwise, span: { start, end: this.#end() } };
  }

  #range(start: number): Expression {
    this.#expect('range');
    const index = this.#is('_') ? undefined : this.#token;
    if (index !== undefined && index.kind !== 'word') throw this.#unexpected();
    this.#next();
    this.#expect(',');
    const item = this.#token;
    if (item.kind !== 'word') throw this.#unexpected();
    this.#next();
    this.#expect(':=');
    const over = this.#expression();
    this.#close();
    const body = this.#expression();
    return { kind: 'range', index: index?.text, item: item.text, over, body, span: { start, end: this.#end() } };
  }

  /** Reads `{{ end }}`. Returns the offset of its end. */
  #end(): number {
    this.#expect('{{');
    this.#expect('end');
    return this.#close();
  }

  #atom(): Expression {
    const token = this.#token;
    const { start, end } = token;
    const literal = (value: unknown): Expression => {
      this.#next();
      return { kind: 'literal', value, span: { start, end } };
    };
    switch (token.kind) {
      case 'number':
        return literal(parseJson(token.text.replace(/^(-?)0+(?=\d)/, '$1')));
      case 'word':
        if (token.text === 'true' || token.text === 'false') return literal(token.text === 'true');
        if (token.text === 'null') return literal(null);
        return this.#variableOrCall(token);
      case 'sign':
        if (token.text === '"') return this.#quoted(start);
        if (token.text === '[') return this.#list(start);
        if (token.text === '{') return this.#object(start);
        if (token.text === '(') return this.#parenthesized();
        throw this.#unexpected();
      default:
        throw this.#unexpected();
    }
  }

  #variableOrCall({ text, start, end }: Token): Expression {
    if (reserved.has(text)) throw this.#unexpected();
    this.#next();
    if (!this.#is('(')) return { kind: 'variable', name: text, span: { start, end } };
    this.#next();
    const argument = this.#expression();
    return { kind: 'call', name: text, argument, span: { start, end: this.#expect(')').end } };
  }

  #parenthesized(): Expression {
    this.#expect('(');
    const inner = this.#expression();
    this.#expect(')');
    return inner;
  }

  #list(start: number): Expression {
    this.#expect('[');
    const items: Expression[] = [];
    while (!this.#is(']')) {
      if (items.length > 0) this.#expect(',');
      items.push(this.#expression());
    }
    return { kind: 'list', items, span: { start, end: this.#next().end } };
  }

  #object(start: number): Expression {
    this.#expect('{');
    const members: { name: string; value: Expression }[] = [];
    while (!this.#is('}')) {
      if (members.length > 0) this.#expect(',');
      members.push(this.#member());
    }
    return { kind: 'object', members, span: { start, end: this.#next().end } };
  }

  #member(): { name: string; value: Expression } {
    const at = this.#token;
    if (!this.#is('"')) throw this.#unexpected();
    const [name = '', ...others] = this.#parts('"', false);
    if (typeof name !== 'string' || others.length > 0) {
      throw this.#error('Parse Error', 'the name of a member is plain text, without {{ }}', at);
    }
    this.#next();
    this.#expect(':');
    return { name, value: this.#expression() };
  }

  #quoted(start: number): Expression {
    const parts = this.#parts('"', false);
    const span = { start, end: this.#offset };
    this.#next();
    const [only = '', ...others] = parts;
    if (typeof only === 'string' && others.length === 0) return { kind: 'literal', value: only, span };
    return { kind: 'text', parts, span };
  }

  /** Reads text from `#offset` to after `quote`, or to the end of the template. Does not change the current token. */
  #parts(quote: string | undefined, raw: boolean): (string | Expression)[] {
    const parts: (string | Expression)[] = [];
    const begun = this.#token;
    let plain = '';
    for (;;) {
      const character = this.#text[this.#offset];
      if (character === undefined) {
        if (quote === undefined) break;
        throw this.#error('Parse Error', 'a text is not closed: its quote is missing', begun);
      }
      if (character === quote) {
        this.#offset += 1;
        break;
      }
      if (this.#text.startsWith('{{', this.#offset)) {
        if (plain !== '') parts.push(plain);
        plain = '';
        parts.push(this.#interpolation());
      } else if (character === '\\' && !raw) plain += this.#escape();
      else {
        plain += character;
        this.#offset += 1;
      }
    }
    if (plain !== '') parts.push(plain);
    return parts;
  }

  /** Parses an interpolation. `#offset` is then directly after the closing braces, as white space of the text counts. */
  #interpolation(): Expression {
    this.#next();
    this.#expect('{{');
    const found = this.#expression();
    const first = this.#expect('}');
    if (!this.#is('}') || this.#token.start !== first.end) throw this.#unexpected();
    this.#offset = this.#token.end;
    return found;
  }

  #escape(): string {
    const next = this.#text[this.#offset + 1] ?? '';
    const hex = next === 'u' ? /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#offset + 2, this.#offset + 6)) : null;
    if (hex !== null) {
      this.#offset += 6;
      return String.fromCharCode(Number.parseInt(hex[0], 16));
    }
    this.#offset += 2;
    return escapes[next] ?? next;
  }

  #lookup(of: Expression): Expression {
    const steps: Step[] = [];
    let optionalFrom: number | undefined;
    let end = of.span.end;
    for (;;) {
      if (this.#is('?')) {
        end = this.#next().end;
        optionalFrom ??= steps.length;
      } else if (this.#is('.')) {
        this.#next();
        if (this.#token.kind !== 'word') throw this.#unexpected();
        const name = this.#next();
        end = name.end;
        steps.push({ key: name.text, end });
      } else if (this.#is('[')) {
        this.#next();
        const key = this.#is("'") ? this.#singleQuoted() : this.#expression();
        end = this.#expect(']').end;
        steps.push({ key, end });
      } else break;
    }
    if (steps.length === 0 && optionalFrom === undefined) return of;
    return { kind: 'lookup', of, steps, optionalFrom, span: { start: of.span.start, end } };
  }

  #singleQuoted(): Expression {
    const { start } = this.#token;
    const parts = this.#parts("'", false);
    const span = { start, end: this.#offset };
    this.#next();
    return { kind: 'text', parts, span };
  }

  #unexpected(): KritiError {
    const token = this.#token;
    if (token.kind === 'end') return this.#error('Parse Error', 'Unexpected end of the template.', token);
    return this.#error('Parse Error', `Unexpected token '${token.text}'.`, token);
  }

  #error(code: 'Parse Error' | 'Limit Error', message: string, { start, end }: Span): KritiError {
    return new KritiError(code, message, this.#text, { start, end });
  }
}

const reserved: ReadonlySet<string> = new Set(['if', 'elif', 'else', 'end', 'range', 'in']);
