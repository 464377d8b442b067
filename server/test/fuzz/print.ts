/** Prints requests as GraphQL documents with variables. It is random which values become variables. */

import { shapeOf } from './generate.ts';
import type { Random } from './random.ts';
import type { AggregateField, Arguments, Condition, Field, Part, Root, Term, Test } from './request.ts';
import type { Kind, Shape } from './tables.ts';

export interface Printed {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const scalarOf: Readonly<Record<Kind, string>> = {
  ...{ int: 'Int', bigint: 'bigint', numeric: 'numeric', float: 'float8', text: 'String', bool: 'Boolean' },
  ...{ date: 'date', timestamptz: 'timestamptz', uuid: 'uuid', jsonb: 'jsonb', words: '[String!]', mood: 'mood' },
};

/** An enum value: printed without quotes, passed in variables as a string. */
export class Name {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A nested value that may become a variable. */
class Leaf {
  readonly value: unknown;
  readonly type: string;
  constructor(value: unknown, type: string) {
    this.value = value;
    this.type = type;
  }
}

class Printer {
  readonly variables: Record<string, unknown> = {};
  readonly #declared: string[] = [];
  readonly #fragments: string[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  document(keyword: string, body: string): string {
    const declared = this.#declared.length === 0 ? '' : `(${this.#declared.join(', ')})`;
    return `${keyword} q${declared} { ${body} }${this.#fragments.join('')}`;
  }

  /** Returns the literal of `value`, or a variable of `type`. */
  value(value: unknown, type: string): string {
    if (!this.#random.oneIn(3)) return literal(value, (leaf) => this.value(leaf.value, leaf.type));
    const name = `v${this.#declared.length}`;
    const defaultValue = this.#random.oneIn(6) ? ` = ${literal(value)}` : '';
    this.#declared.push(`$${name}: ${type}${defaultValue}`);
    // A variable that is omitted has its default.
    if (defaultValue === '' || this.#random.oneIn(2)) this.variables[name] = plain(value);
    return `$${name}`;
  }

  fragment(type: string, body: string): string {
    const name = `part${this.#fragments.length}`;
    this.#fragments.push(` fragment ${name} on ${type} { ${body} }`);
    return `...${name}`;
  }
}

/** Prints an operation whose body is printed by `print`. */
export function printOperation(
  random: Random,
  keyword: 'query' | 'mutation',
  print: (value: (value: unknown, type: string) => string) => string,
): Printed {
  const printer = new Printer(random);
  const body = print((value, type) => printer.value(value, type));
  return { query: printer.document(keyword, body), variables: printer.variables };
}

export function printRoots(random: Random, roots: readonly Root[]): Printed {
  const printer = new Printer(random);
  const body = roots.map((root) => printRoot(root, printer)).join(' ');
  return { query: printer.document('query', body), variables: printer.variables };
}

function printRoot(root: Root, printer: Printer): string {
  const shape = shapeOf(root.table);
  const { alias, table } = root;
  switch (root.kind) {
    case 'by_pk': {
      const key = Object.entries(root.key).map(([column, value]) => `${column}: ${printer.value(value, 'Int!')}`);
      return `${alias}: ${table}_by_pk(${key.join(', ')}) ${selection(root.fields, shape, printer)}`;
    }
    case 'list':
      return `${alias}: ${table}${printArguments(root.arguments, shape, printer)} ${selection(root.fields, shape, printer)}`;
    case 'summary':
      return `${alias}: ${table}_aggregate${printArguments(root.arguments, shape, printer)} ${printParts(root.parts, shape, printer)}`;
    default:
      return root satisfies never;
  }
}

function selection(fields: readonly Field[], shape: Shape, printer: Printer): string {
  return `{ ${fields.map((field) => printWithDirective(field, shape, printer)).join(' ')} }`;
}

function printWithDirective(field: Field, shape: Shape, printer: Printer): string {
  const { when } = field;
  const directive = when === undefined ? '' : ` @${when.directive}(if: ${printer.value(when.flag, 'Boolean!')})`;
  const text = printField(field, printer);
  if (field.fragment === 'inline') return `... on ${shape.name}${directive} { ${text} }`;
  if (field.fragment === 'named') return `${printer.fragment(shape.name, text)}${directive}`;
  const braces = text.indexOf('{', closing(text));
  if (field.kind === 'column' || field.kind === 'typename' || braces < 0) return `${text}${directive}`;
  return `${text.slice(0, braces)}${directive} ${text.slice(braces)}`;
}

/** Returns the end of the arguments, whose braces are not those of the selection. */
function closing(text: string): number {
  const [open, brace] = [text.indexOf('('), text.indexOf('{')];
  return open >= 0 && open < brace ? text.indexOf(ARGUMENTS_END) : 0;
}

/** GraphQL ignores commas; two of them mark the end of the arguments. */
const ARGUMENTS_END = ',,)';

function printField(field: Field, printer: Printer): string {
  const { alias } = field;
  switch (field.kind) {
    case 'typename':
      return `${alias}: __typename`;
    case 'column': {
      const name = alias === field.column ? alias : `${alias}: ${field.column}`;
      return field.path === undefined ? name : `${name}(path: ${printer.value(field.path, 'String')})`;
    }
    case 'object':
      return `${alias}: ${field.name} ${selection(field.fields, shapeOf(field.reference.table), printer)}`;
    case 'array': {
      const target = shapeOf(field.reference.table);
      return `${alias}: ${field.name}${printArguments(field.arguments, target, printer)} ${selection(field.fields, target, printer)}`;
    }
    case 'aggregate': {
      const target = shapeOf(field.reference.table);
      return `${alias}: ${field.name}_aggregate${printArguments(field.arguments, target, printer)} ${printParts(field.parts, target, printer)}`;
    }
    default:
      return field satisfies never;
  }
}

function printParts(parts: readonly Part[], shape: Shape, printer: Printer): string {
  const printed = parts.map((part) => {
    switch (part.kind) {
      case 'typename':
        return '__typename';
      case 'nodes':
        return `nodes ${selection(part.fields, shape, printer)}`;
      case 'aggregate':
        return `aggregate { ${part.functions.map((one) => printAggregate(one, shape, printer)).join(' ')} }`;
      default:
        return part satisfies never;
    }
  });
  return `{ ${printed.join(' ')} }`;
}

function printAggregate({ alias, name, columns, distinct }: AggregateField, shape: Shape, printer: Printer): string {
  if (name !== 'count') return `${alias}: ${name} { ${columns.join(' ')} }`;
  if (columns.length === 0) return `${alias}: count`;
  const given = printer.value(
    columns.map((column) => new Name(column)),
    `[${shape.name}_select_column!]`,
  );
  return `${alias}: count(columns: ${given}${distinct ? `, distinct: ${printer.value(true, 'Boolean')}` : ''})`;
}

function printArguments(given: Arguments, shape: Shape, printer: Printer): string {
  const { where, orderBy, distinctOn, limit, offset } = given;
  const { name } = shape;
  const parts: string[] = [];
  if (where !== undefined) parts.push(`where: ${printer.value(conditionValue(where, shape), `${name}_bool_exp`)}`);
  if (orderBy.length > 0) parts.push(`order_by: ${printer.value(orderBy.map(termValue), `[${name}_order_by!]`)}`);
  if (distinctOn.length > 0) {
    const columns = distinctOn.map((column) => new Name(column));
    parts.push(`distinct_on: ${printer.value(columns, `[${name}_select_column!]`)}`);
  }
  if (limit !== undefined) parts.push(`limit: ${printer.value(limit, 'Int')}`);
  if (offset !== undefined) parts.push(`offset: ${printer.value(offset, 'Int')}`);
  return parts.length === 0 ? '' : `(${parts.join(', ')}${ARGUMENTS_END}`;
}

/** Returns the GraphQL type of the operand. */
function typeOf(operator: string, kind: Kind): string {
  if (operator === '_is_null') return 'Boolean';
  if (operator === '_in' || operator === '_nin') return `[${scalarOf[kind]}!]`;
  if (operator.startsWith('_has_keys')) return '[String!]';
  return operator === '_has_key' ? 'String' : scalarOf[kind];
}

function testsOf(tests: readonly Test[], kind: Kind): unknown {
  return Object.fromEntries(
    tests.map(({ operator, value }) => [operator, new Leaf(value, typeOf(operator, kind))] as const),
  );
}

function conditionValue(condition: Condition, shape: Shape): unknown {
  switch (condition.kind) {
    case 'all':
      return { _and: condition.of.map((part) => conditionValue(part, shape)) };
    case 'any':
      return { _or: condition.of.map((part) => conditionValue(part, shape)) };
    case 'not':
      return { _not: conditionValue(condition.of, shape) };
    case 'related':
      return { [condition.name]: conditionValue(condition.of, shapeOf(condition.reference.table)) };
    case 'compare':
      return { [condition.column]: testsOf(condition.tests, shape.columns[condition.column] ?? 'int') };
    case 'counted': {
      const target = shapeOf(condition.reference.table);
      const filter = condition.filter === undefined ? {} : { filter: conditionValue(condition.filter, target) };
      const predicate = testsOf([condition.test], 'int');
      return { [`${condition.name}_aggregate`]: { count: { predicate, ...filter } } };
    }
    default:
      return condition satisfies never;
  }
}

function termValue({ by, direction }: Term): unknown {
  switch (by.kind) {
    case 'column':
      return { [by.column]: new Name(direction) };
    case 'object':
      return { [by.name]: termValue(by.term) };
    case 'count':
      return { [`${by.name}_aggregate`]: { count: new Name(by.direction) } };
    case 'extreme':
      return { [`${by.name}_aggregate`]: { [by.what]: { [by.column]: new Name(by.direction) } } };
    default:
      return by satisfies never;
  }
}

/** Returns the GraphQL literal. Strings have the same escapes as in JSON. */
function literal(value: unknown, leaf: (of: Leaf) => string = (of) => literal(of.value)): string {
  if (value instanceof Name) return value.text;
  if (value instanceof Leaf) return leaf(value);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, leaf)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member, leaf)}`);
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value);
}

function plain(value: unknown): unknown {
  if (value instanceof Name) return value.text;
  if (value instanceof Leaf) return value.value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  }
  return value;
}
