/** Prints JSON values as GraphQL literals of declared types, exactly and without injection. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { ExactNumber, isJsonObject, kindOf } from '../../base/json-value.ts';

/** The error for a value that is not a value of the type. The message does not contain the value. */
export class NoLiteral extends Error {
  constructor(found: string, type: GraphQLInputType) {
    super(`${found} is not a value of type ${type}`);
    this.name = 'NoLiteral';
  }
}

/**
 * Prints `value` as a literal of `type`. Accepts strings for numbers, and numbers for strings. Throws NoLiteral.
 */
export function printLiteral(value: unknown, type: GraphQLInputType): string {
  if (isNonNullType(type)) {
    if (value === null || value === undefined) throw new NoLiteral('null', type);
    return printLiteral(value, type.ofType);
  }
  if (value === null || value === undefined) return 'null';
  if (isListType(type)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return `[${items.map((item) => printLiteral(item, type.ofType)).join(',')}]`;
  }
  if (isEnumType(type)) {
    // Only declared values are printed, so that the literal is always a name.
    const member = typeof value === 'string' ? type.getValue(value) : undefined;
    if (member === undefined || member === null) throw new NoLiteral(theKind(value), type);
    return member.name;
  }
  if (isInputObjectType(type)) return printInputObject(value, type);
  const text = builtIns.has(type.name) ? builtIns.get(type.name)?.(value) : printCustom(value);
  if (text === undefined) throw new NoLiteral(theKind(value), type);
  return text;
}

/** Returns `printLiteral` for `type`, which is found once for all values of a built-in scalar. */
export function literalPrinter(type: GraphQLInputType): (value: unknown) => string {
  const nullable = getNullableType(type);
  const print = isScalarType(nullable) ? builtIns.get(nullable.name) : undefined;
  return (value) => print?.(value) ?? printLiteral(value, type);
}

function printInputObject(value: unknown, type: GraphQLInputObjectType): string {
  if (!isJsonObject(value)) throw new NoLiteral(theKind(value), type);
  const fields = type.getFields();
  const members = Object.entries(value).map(([name, member]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) throw new NoLiteral(`an object with the field ${JSON.stringify(name)}`, type);
    return `${name}:${printLiteral(member, field.type)}`;
  });
  return `{${members.join(',')}}`;
}

const wholeNumber = /^-?(?:0|[1-9]\d*)$/;
const anyNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Literals of built-in scalars; undefined if the value is not one of the scalar. */
const builtIns: ReadonlyMap<string, (value: unknown) => string | undefined> = new Map([
  [
    'Int',
    (value) => {
      const digits = numberText(value) ?? stringText(value);
      if (digits === undefined || !wholeNumber.test(digits)) return undefined;
      const number = Number(digits);
      return (number | 0) === number ? String(number) : undefined;
    },
  ],
  [
    'Float',
    (value) => {
      const digits = numberText(value) ?? stringText(value);
      return digits !== undefined && anyNumber.test(digits) ? digits : undefined;
    },
  ],
  [
    'String',
    (value) => {
      const text = stringText(value) ?? numberText(value);
      return text === undefined ? undefined : printString(text);
    },
  ],
  ['Boolean', (value) => (typeof value === 'boolean' ? String(value) : undefined)],
  [
    'ID',
    (value) => {
      const digits = numberText(value);
      if (digits !== undefined) return wholeNumber.test(digits) ? printString(digits) : undefined;
      return typeof value === 'string' ? printString(value) : undefined;
    },
  ],
]);

function stringText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The digits of a finite number in JSON. */
function numberText(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** A JSON string, which is a valid GraphQL string. */
function printString(text: string): string {
  return JSON.stringify(text);
}

/** Prints a value of a custom scalar; undefined if it has no literal. */
function printCustom(value: unknown): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'string') return printString(value);
  if (typeof value === 'boolean') return String(value);
  const digits = numberText(value);
  if (digits !== undefined) return digits;
  if (Array.isArray(value)) return printAll(value.map(printCustom), '[', ']');
  if (!isJsonObject(value)) return undefined;
  const members = Object.entries(value).map(([name, member]) => {
    const text = /^[_A-Za-z][_0-9A-Za-z]*$/.test(name) ? printCustom(member) : undefined;
    return text === undefined ? undefined : `${name}:${text}`;
  });
  return printAll(members, '{', '}');
}

function printAll(parts: readonly (string | undefined)[], open: string, close: string): string | undefined {
  return parts.includes(undefined) ? undefined : open + parts.join(',') + close;
}

/** Returns `the string`, `the object`, ...; the value may be confidential. */
function theKind(value: unknown): string {
  return kindOf(value ?? null).replace(/^an? /, 'the ');
}
