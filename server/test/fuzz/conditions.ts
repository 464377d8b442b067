/** Evaluates conditions on rows in memory with the three-valued logic of SQL. */
import { shapeOf } from './generate.ts';
import type { Condition, Test } from './request.ts';
import { compareValues, relatedRows } from './rows.ts';
import type { Kind, Row, Shape, VisibleRows } from './tables.ts';

type Truth = boolean | null;

export function holds(condition: Condition, row: Row, shape: Shape, visible: VisibleRows): boolean {
  return truthOf(condition, row, shape, visible) === true;
}

function truthOf(condition: Condition, row: Row, shape: Shape, visible: VisibleRows): Truth {
  switch (condition.kind) {
    case 'all':
      return all(condition.of.map((part) => truthOf(part, row, shape, visible)));
    case 'any':
      return not(all(condition.of.map((part) => not(truthOf(part, row, shape, visible)))));
    case 'not':
      return not(truthOf(condition.of, row, shape, visible));
    case 'related':
      return relatedRows(condition.reference, row, visible).some((other) =>
        holds(condition.of, other, shapeOf(condition.reference.table), visible),
      );
    case 'counted': {
      const { filter, reference, test } = condition;
      const target = shapeOf(reference.table);
      const rows = relatedRows(reference, row, visible).filter(
        (other) => !filter || holds(filter, other, target, visible),
      );
      return truthOfTest(test, rows.length, 'int');
    }
    case 'compare': {
      const kind = shape.columns[condition.column] ?? 'int';
      return all(condition.tests.map((test) => truthOfTest(test, row[condition.column], kind)));
    }
    default:
      return condition satisfies never;
  }
}

function not(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function all(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

function truthOfTest({ operator, value }: Test, actual: unknown, kind: Kind): Truth {
  if (operator === '_is_null') return (actual === null) === value;
  const list = Array.isArray(value) ? value : [];
  if (operator === '_in' || operator === '_nin') {
    if (list.length === 0) return operator === '_nin';
    if (actual === null) return null;
    return list.some((one) => equal(actual, one, kind)) === (operator === '_in');
  }
  if (actual === null || actual === undefined) return null;
  switch (operator) {
    case '_eq':
      return equal(actual, value, kind);
    case '_neq':
      return !equal(actual, value, kind);
    case '_gt':
      return compareValues(actual, value) > 0;
    case '_gte':
      return compareValues(actual, value) >= 0;
    case '_lt':
      return compareValues(actual, value) < 0;
    case '_lte':
      return compareValues(actual, value) <= 0;
    case '_contains':
      return kind === 'jsonb' ? contains(actual, value) : list.every((one) => (actual as unknown[]).includes(one));
    case '_contained_in':
      return kind === 'jsonb' ? contains(value, actual) : (actual as unknown[]).every((one) => list.includes(one));
    case '_has_key':
      return hasKey(actual, value);
    case '_has_keys_any':
      return list.some((one) => hasKey(actual, one));
    case '_has_keys_all':
      return list.every((one) => hasKey(actual, one));
    default:
      return matches(operator, String(actual), String(value));
  }
}

function equal(one: unknown, other: unknown, kind: Kind): boolean {
  if (kind === 'jsonb' || kind === 'words') return sameJson(one, other);
  return compareValues(one, other) === 0;
}

function sameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [entries, others] = [Object.entries(one), Object.entries(other)];
  if (entries.length !== others.length) return false;
  const known = new Map(others);
  return entries.every(([name, value]) => known.has(name) && sameJson(value, known.get(name)));
}

/** Implements `@>` of jsonb. Only at the top level, an array also contains a scalar. */
function contains(whole: unknown, part: unknown, top = true): boolean {
  if (Array.isArray(whole)) {
    if (Array.isArray(part)) return part.every((one) => whole.some((other) => contains(other, one, false)));
    return top && (typeof part !== 'object' || part === null) && whole.includes(part);
  }
  if (Array.isArray(part)) return false;
  if (typeof whole !== 'object' || whole === null || typeof part !== 'object' || part === null) return whole === part;
  const known = new Map(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => known.has(name) && contains(known.get(name), value, false));
}

/** Implements `?` of jsonb: a member of an object, a string in an array, or the string itself. */
function hasKey(json: unknown, key: unknown): boolean {
  if (Array.isArray(json)) return json.includes(key);
  if (typeof json === 'object' && json !== null) return Object.hasOwn(json, String(key));
  return json === key;
}

function matches(operator: string, text: string, pattern: string): boolean {
  const bare = operator.slice(1);
  const negated = bare.startsWith('n');
  const name = negated ? bare.slice(1) : bare;
  const flags = name.startsWith('i') ? 'isu' : 'su';
  const expression = name.endsWith('regex')
    ? pattern
    : name === 'similar'
      ? `^(?:${pattern.replaceAll('%', '.*').replaceAll('_', '.')})$`
      : `^${likeExpression(pattern)}$`;
  return new RegExp(expression, flags).test(text) !== negated;
}

function likeExpression(pattern: string): string {
  return pattern.replaceAll(/\\(.)|(%)|(_)|([^%_\\])/gsu, (_, escaped, many, one, other) => {
    if (many !== undefined) return '.*';
    if (one !== undefined) return '.';
    return String(escaped ?? other).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
}
