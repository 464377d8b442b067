/** Evaluates parsed Kriti templates to JSON values. */
import { isJsonObject, printJson } from '../../json-value.ts';
import { Budget, type KritiLimits, LimitError, usualLimits } from './budget.ts';
import { KritiError, type KritiErrorCode } from './error.ts';
import { basicFunctions, FunctionError, type KritiFunction } from './functions.ts';
import type { Expression, Span, Template } from './syntax.ts';
import { compare, equal, typeOf } from './values.ts';

export interface KritiInput {
  /** JSON values by name, including its `$`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Functions in addition to those of every template. */
  readonly functions?: Readonly<Record<string, KritiFunction>>;
}

/**
 * Returns the JSON value of `template`, which may share parts with the input. Throws KritiError, also when the evaluation
 * exceeds the limits.
 */
export function evaluateTemplate(template: Template, input: KritiInput, limits: KritiLimits = usualLimits): unknown {
  const evaluation = new Evaluation(template.text, input, limits);
  return evaluation.result(template.root);
}

/** Names that ranges bind, innermost first. */
interface Scope {
  readonly name: string;
  readonly value: unknown;
  readonly outer: Scope | undefined;
}

type Kind<Name extends Expression['kind']> = Extract<Expression, { kind: Name }>;

class Evaluation {
  readonly #text: string;
  readonly #input: KritiInput;
  readonly #budget: Budget;

  constructor(text: string, input: KritiInput, limits: KritiLimits) {
    this.#text = text;
    this.#input = input;
    this.#budget = new Budget(limits);
  }

  result(root: Expression): unknown {
    return this.#placed(root.span, () => {
      const value = this.#value(root, undefined);
      this.#budget.print(value);
      return value;
    });
  }

  /** An exhausted budget is reported with the position of the whole template. */
  #placed<Result>(span: Span, run: () => Result): Result {
    try {
      return run();
    } catch (error) {
      if (error instanceof LimitError) throw this.#error('Limit Error', error.message, span);
      if (error instanceof RangeError) throw this.#error('Limit Error', 'the values are nested too deeply', span);
      throw error;
    }
  }

  #value(expression: Expression, scope: Scope | undefined): unknown {
    this.#budget.step();
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'text':
        return this.#textOf(expression, scope);
      case 'list':
        return expression.items.map((item) => this.#value(item, scope));
      case 'object':
        return Object.fromEntries(expression.members.map(({ name, value }) => [name, this.#value(value, scope)]));
      case 'variable':
        return this.#variable(expression, scope);
      case 'lookup':
        return this.#lookup(expression, scope);
      case 'call':
        return this.#call(expression, scope);
      case 'compare':
        return this.#compare(expression, scope);
      case 'in':
        return this.#in(expression, scope);
      case 'and':
        return expression.operands.every((operand) => this.#boolean(operand, scope));
      case 'or':
        return expression.operands.some((operand) => this.#boolean(operand, scope));
      case 'default':
        return this.#default(expression, scope);
      case 'if': {
        const taken = expression.branches.find(({ when }) => this.#boolean(when, scope));
        return this.#value(taken?.value ?? expression.otherwise, scope);
      }
      case 'range':
        return this.#range(expression, scope);
      default:
        return expression satisfies never;
    }
  }

  #textOf({ parts }: Kind<'text'>, scope: Scope | undefined): string {
    let text = '';
    for (const part of parts) {
      const value = typeof part === 'string' ? part : this.#value(part, scope);
      if (typeof value === 'string') this.#budget.text(value.length);
      else this.#budget.print(value);
      text += typeof value === 'string' ? value : printJson(value);
    }
    return text;
  }

  #variable({ name, span }: Kind<'variable'>, scope: Scope | undefined): unknown {
    for (let at = scope; at !== undefined; at = at.outer) {
      if (at.name === name) return at.value;
    }
    const { variables } = this.#input;
    if (Object.hasOwn(variables, name)) return variables[name] ?? null;
    throw this.#error('Name Error', `Variable '${name}' not in scope`, span);
  }

  #lookup(expression: Kind<'lookup'>, scope: Scope | undefined): unknown {
    const { of, steps, optionalFrom, span } = expression;
    const required = steps.slice(0, optionalFrom ?? steps.length);
    const from = () => {
      let value = this.#value(of, scope);
      let at = of.span;
      for (const { key, end } of required) {
        const next = { start: span.start, end };
        value = this.#step(value, this.#key(key, scope), at, next);
        at = next;
      }
      return value;
    };
    if (optionalFrom === undefined) return from();
    let value: unknown;
    try {
      value = from();
    } catch (error) {
      // A failed lookup is null; an exceeded limit is an error.
      if (!(error instanceof KritiError)) throw error;
      return null;
    }
    for (const { key } of steps.slice(optionalFrom)) {
      if (value === null) return null;
      value = member(value, this.#key(key, scope)) ?? null;
    }
    return value;
  }

  #key(key: string | Expression, scope: Scope | undefined): unknown {
    return typeof key === 'string' ? key : this.#value(key, scope);
  }

  #step(value: unknown, key: unknown, at: Span, next: Span): unknown {
    const list = Array.isArray(value);
    if (!list && !isJsonObject(value)) {
      throw this.#mismatch(typeof key === 'string' ? 'Object' : 'Array', value, at);
    }
    if (list && (typeof key !== 'number' || !Number.isInteger(key))) throw this.#mismatch('Integer', key, next);
    if (!list && typeof key !== 'string') throw this.#mismatch('String', key, next);
    const found = member(value, key);
    if (found !== undefined) return found;
    if (list) throw this.#error('Index Error', `Index ${String(key)} is out of range`, next);
    throw this.#error('Attribute Error', `'Object' has no attribute '${String(key)}'.`, next);
  }

  #call({ name, argument, span }: Kind<'call'>, scope: Scope | undefined): unknown {
    const value = this.#value(argument, scope);
    const known = [this.#input.functions ?? {}, basicFunctions].find((functions) => Object.hasOwn(functions, name));
    const run = known?.[name];
    if (run === undefined) throw this.#error('Name Error', `Variable '${name}' not in scope`, span);
    try {
      return run(value, this.#budget);
    } catch (error) {
      throw error instanceof FunctionError ? this.#error('Function Error', error.message, argument.span) : error;
    }
  }

  #compare({ operator, left, right, span }: Kind<'compare'>, scope: Scope | undefined): boolean {
    const one = this.#value(left, scope);
    const other = this.#value(right, scope);
    if (operator === '==') return equal(one, other, this.#budget);
    if (operator === '!=') return !equal(one, other, this.#budget);
    const order = compare(one, other, this.#budget);
    if (order === undefined) throw this.#error('Type Error', 'objects are neither smaller nor larger', span);
    if (operator === '<') return order < 0;
    if (operator === '<=') return order <= 0;
    return operator === '>' ? order > 0 : order >= 0;
  }

  #in({ left, right, span }: Kind<'in'>, scope: Scope | undefined): boolean {
    const wanted = this.#value(left, scope);
    const within = this.#value(right, scope);
    if (Array.isArray(within)) return within.some((item) => equal(wanted, item, this.#budget));
    if (!isJsonObject(within)) throw this.#mismatch('Array', within, span);
    if (typeof wanted !== 'string') throw this.#mismatch('String', wanted, span);
    return Object.hasOwn(within, wanted);
  }

  #default({ operands }: Kind<'default'>, scope: Scope | undefined): unknown {
    for (const operand of operands) {
      const value = this.#value(operand, scope);
      if (value !== null) return value;
    }
    return null;
  }

  #boolean(expression: Expression, scope: Scope | undefined): boolean {
    const value = this.#value(expression, scope);
    if (typeof value === 'boolean') return value;
    throw this.#mismatch('Boolean', value, expression.span);
  }

  #range({ index, item, over, body }: Kind<'range'>, scope: Scope | undefined): unknown {
    const list = this.#value(over, scope);
    if (!Array.isArray(list)) throw this.#mismatch('Array', list, over.span);
    return list.map((value: unknown, position) => {
      const outer = index === undefined ? scope : { name: index, value: position, outer: scope };
      return this.#value(body, { name: item, value, outer });
    });
  }

  #mismatch(expected: string, value: unknown, span: Span): KritiError {
    const message = `Couldn't match expected type '${expected}' with actual type '${typeOf(value)}'`;
    return this.#error('Type Error', message, span);
  }

  #error(code: KritiErrorCode, message: string, span: Span): KritiError {
    return new KritiError(code, message, this.#text, span);
  }
}

/** Returns the item or member of that key; undefined if it does not exist. */
function member(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? (value as readonly unknown[])[key] : undefined;
  if (!isJsonObject(value) || typeof key !== 'string') return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
