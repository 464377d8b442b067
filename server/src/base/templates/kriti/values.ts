/** Types and comparison of JSON values in Kriti. */
import { ExactNumber, type JsonObject } from '../../json-value.ts';
import type { Budget } from './budget.ts';

export type KritiType = 'Object' | 'Array' | 'String' | 'Number' | 'Boolean' | 'Null';

export function typeOf(value: unknown): KritiType {
  if (value === null || value === undefined) return 'Null';
  if (typeof value === 'string') return 'String';
  if (typeof value === 'boolean') return 'Boolean';
  if (typeof value === 'number' || value instanceof ExactNumber) return 'Number';
  return Array.isArray(value) ? 'Array' : 'Object';
}

/** Compares deeply, with members in any order and numbers by value. */
export function equal(left: unknown, right: unknown, budget: Budget): boolean {
  budget.step();
  const type = typeOf(left);
  if (type !== typeOf(right)) return false;
  switch (type) {
    case 'Null':
      return true;
    case 'Number':
      return compareNumbers(left, right) === 0;
    case 'Array': {
      const [one, other] = [left as readonly unknown[], right as readonly unknown[]];
      return one.length === other.length && one.every((item, index) => equal(item, other[index], budget));
    }
    case 'Object': {
      const [one, other] = [left as JsonObject, right as JsonObject];
      const names = Object.keys(one);
      return (
        names.length === Object.keys(other).length &&
        names.every((name) => Object.hasOwn(other, name) && equal(one[name], other[name], budget))
      );
    }
    default:
      return left === right;
  }
}

/** The order of values of different types, so that all lists can be compared. */
const typeOrder: readonly KritiType[] = ['Object', 'Array', 'String', 'Number', 'Boolean', 'Null'];

/** Returns a negative number if `left` is smaller. Undefined for objects, which have no order. */
export function compare(left: unknown, right: unknown, budget: Budget): number | undefined {
  budget.step();
  const type = typeOf(left);
  if (type !== typeOf(right)) return typeOrder.indexOf(type) - typeOrder.indexOf(typeOf(right));
  switch (type) {
    case 'Null':
      return 0;
    case 'Number':
      return compareNumbers(left, right);
    case 'Boolean':
      return Number(left) - Number(right);
    case 'String':
      return left === right ? 0 : (left as string) < (right as string) ? -1 : 1;
    case 'Array':
      return compareLists(left as readonly unknown[], right as readonly unknown[], budget);
    default:
      return undefined;
  }
}

function compareLists(left: readonly unknown[], right: readonly unknown[], budget: Budget): number | undefined {
  for (const [index, item] of left.entries()) {
    if (index >= right.length) return 1;
    const order = compare(item, right[index], budget);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Compares integers of any length exactly. */
function compareNumbers(left: unknown, right: unknown): number {
  const difference = toDouble(left) - toDouble(right);
  if (difference !== 0 || (typeof left === 'number' && typeof right === 'number')) return difference;
  const [one, other] = [String(left), String(right)];
  if (!/^-?\d+$/.test(one) || !/^-?\d+$/.test(other)) return one === other ? 0 : difference;
  const exact = BigInt(one) - BigInt(other);
  return exact === 0n ? 0 : exact > 0n ? 1 : -1;
}

function toDouble(value: unknown): number {
  return value instanceof ExactNumber ? Number(value.text) : (value as number);
}
