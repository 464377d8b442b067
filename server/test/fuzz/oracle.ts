/** What a request must be answered with, worked out in memory from the rows that the caller may see. */

import { aggregateOf } from './aggregates.ts';
import { holds } from './conditions.ts';
import { shapeOf } from './generate.ts';
import type { Arguments, Field, Part, Root } from './request.ts';
import { relatedRows, sortRows } from './rows.ts';
import type { Row, Seen, Shape } from './world.ts';

/** Rows in any order. */
export class Unordered {
  readonly items: readonly unknown[];
  constructor(items: readonly unknown[]) {
    this.items = items;
  }
}

export function answerRoots(roots: readonly Root[], seen: Seen): Readonly<Record<string, unknown>> {
  return Object.fromEntries(roots.map((root) => [root.alias, answerRoot(root, seen)]));
}

function answerRoot(root: Root, seen: Seen): unknown {
  const shape = shapeOf(root.table);
  const rows = seen[root.table] ?? [];
  switch (root.kind) {
    case 'by_pk': {
      const found = rows.find((row) => Object.entries(root.key).every(([column, value]) => row[column] === value));
      return found === undefined ? null : answerRow(root.fields, found, shape, seen);
    }
    case 'list':
      return list(root.fields, rows, root.arguments, shape, seen);
    case 'summary':
      return summary(root.parts, rows, root.arguments, shape, seen);
    default:
      return root satisfies never;
  }
}

function answerRow(fields: readonly Field[], row: Row, shape: Shape, seen: Seen): unknown {
  const answer: Record<string, unknown> = {};
  for (const field of fields) {
    const { when } = field;
    if (when !== undefined && when.flag !== (when.directive === 'include')) continue;
    answer[field.alias] = answerField(field, row, shape, seen);
  }
  return answer;
}

function answerField(field: Field, row: Row, shape: Shape, seen: Seen): unknown {
  switch (field.kind) {
    case 'typename':
      return shape.name;
    case 'column':
      return atPath(row[field.column], field.path);
    case 'object': {
      const [found] = relatedRows(field.reference, row, seen);
      return found === undefined ? null : answerRow(field.fields, found, shapeOf(field.reference.table), seen);
    }
    case 'array': {
      const target = shapeOf(field.reference.table);
      return list(field.fields, relatedRows(field.reference, row, seen), field.arguments, target, seen);
    }
    case 'aggregate': {
      const target = shapeOf(field.reference.table);
      return summary(field.parts, relatedRows(field.reference, row, seen), field.arguments, target, seen);
    }
    default:
      return field satisfies never;
  }
}

/** `$.a`, `b.c[0]`, `$[2]["a"]`; null where nothing stands. */
function atPath(value: unknown, path: string | undefined): unknown {
  if (path === undefined) return value;
  const steps = path.match(/[A-Za-z0-9]+/g) ?? [];
  let at: unknown = value;
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return null;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at;
}

function list(fields: readonly Field[], rows: readonly Row[], given: Arguments, shape: Shape, seen: Seen): unknown {
  const page = pageOf(rows, given, shape, seen).slice(0, shape.rowLimit);
  const answers = page.map((row) => answerRow(fields, row, shape, seen));
  return given.total ? answers : new Unordered(answers);
}

/** Without the limit of the role. */
function pageOf(rows: readonly Row[], given: Arguments, shape: Shape, seen: Seen): readonly Row[] {
  const { where, orderBy, distinctOn, limit, offset = 0 } = given;
  const fitting = rows.filter((row) => where === undefined || holds(where, row, shape, seen));
  const sorted = sortRows(fitting, orderBy, seen);
  const taken = new Set<string>();
  const distinct = sorted.filter((row) => {
    if (distinctOn.length === 0) return true;
    const key = JSON.stringify(distinctOn.map((column) => row[column]));
    const first = !taken.has(key);
    taken.add(key);
    return first;
  });
  return distinct.slice(offset, limit === undefined ? undefined : offset + limit);
}

function summary(parts: readonly Part[], rows: readonly Row[], given: Arguments, shape: Shape, seen: Seen): unknown {
  const page = pageOf(rows, given, shape, seen);
  const answer: Record<string, unknown> = {};
  for (const part of parts) {
    switch (part.kind) {
      case 'typename':
        answer.__typename = `${shape.name}_aggregate`;
        break;
      case 'nodes': {
        const nodes = page.slice(0, shape.rowLimit).map((row) => answerRow(part.fields, row, shape, seen));
        answer.nodes = given.total ? nodes : new Unordered(nodes);
        break;
      }
      case 'aggregate':
        answer.aggregate = Object.fromEntries(part.functions.map((one) => [one.alias, aggregateOf(one, page)]));
        break;
      default:
        part satisfies never;
    }
  }
  return answer;
}
