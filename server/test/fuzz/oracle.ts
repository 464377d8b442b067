/** Computes the expected response of a request in memory, from the rows that the caller may see. */

import { aggregateOf } from './aggregates.ts';
import { holds } from './conditions.ts';
import { shapeOf } from './generate.ts';
import type { Arguments, Field, Part, Root } from './request.ts';
import { relatedRows, sortRows } from './rows.ts';
import type { Row, Shape, VisibleRows } from './tables.ts';

/** A list of rows in any order. */
export class Unordered {
  readonly items: readonly unknown[];
  constructor(items: readonly unknown[]) {
    this.items = items;
  }
}

export function expectedRoots(roots: readonly Root[], visible: VisibleRows): Readonly<Record<string, unknown>> {
  return Object.fromEntries(roots.map((root) => [root.alias, expectedRoot(root, visible)]));
}

function expectedRoot(root: Root, visible: VisibleRows): unknown {
  const shape = shapeOf(root.table);
  const rows = visible[root.table] ?? [];
  switch (root.kind) {
    case 'by_pk': {
      const found = rows.find((row) => Object.entries(root.key).every(([column, value]) => row[column] === value));
      return found === undefined ? null : expectedRow(root.fields, found, shape, visible);
    }
    case 'list':
      return list(root.fields, rows, root.arguments, shape, visible);
    case 'summary':
      return summary(root.parts, rows, root.arguments, shape, visible);
    default:
      return root satisfies never;
  }
}

function expectedRow(fields: readonly Field[], row: Row, shape: Shape, visible: VisibleRows): unknown {
  const result: Record<string, unknown> = {};
  for (const field of fields) {
    const { when } = field;
    if (when !== undefined && when.flag !== (when.directive === 'include')) continue;
    result[field.alias] = expectedField(field, row, shape, visible);
  }
  return result;
}

function expectedField(field: Field, row: Row, shape: Shape, visible: VisibleRows): unknown {
  switch (field.kind) {
    case 'typename':
      return shape.name;
    case 'column':
      return atPath(row[field.column], field.path);
    case 'object': {
      const [found] = relatedRows(field.reference, row, visible);
      return found === undefined ? null : expectedRow(field.fields, found, shapeOf(field.reference.table), visible);
    }
    case 'array': {
      const target = shapeOf(field.reference.table);
      return list(field.fields, relatedRows(field.reference, row, visible), field.arguments, target, visible);
    }
    case 'aggregate': {
      const target = shapeOf(field.reference.table);
      return summary(field.parts, relatedRows(field.reference, row, visible), field.arguments, target, visible);
    }
    default:
      return field satisfies never;
  }
}

/** Returns the value at a path such as `$.a`, `b.c[0]` or `$[2]["a"]`, null if there is none. */
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

function list(
  fields: readonly Field[],
  rows: readonly Row[],
  given: Arguments,
  shape: Shape,
  visible: VisibleRows,
): unknown {
  const page = pageOf(rows, given, shape, visible).slice(0, shape.rowLimit);
  const items = page.map((row) => expectedRow(fields, row, shape, visible));
  return given.total ? items : new Unordered(items);
}

/** Applies the list arguments, but not the row limit of the role. */
function pageOf(rows: readonly Row[], given: Arguments, shape: Shape, visible: VisibleRows): readonly Row[] {
  const { where, orderBy, distinctOn, limit, offset = 0 } = given;
  const matching = rows.filter((row) => where === undefined || holds(where, row, shape, visible));
  const sorted = sortRows(matching, orderBy, visible);
  const keys = new Set<string>();
  const distinct = sorted.filter((row) => {
    if (distinctOn.length === 0) return true;
    const key = JSON.stringify(distinctOn.map((column) => row[column]));
    const first = !keys.has(key);
    keys.add(key);
    return first;
  });
  return distinct.slice(offset, limit === undefined ? undefined : offset + limit);
}

function summary(
  parts: readonly Part[],
  rows: readonly Row[],
  given: Arguments,
  shape: Shape,
  visible: VisibleRows,
): unknown {
  const page = pageOf(rows, given, shape, visible);
  const result: Record<string, unknown> = {};
  for (const part of parts) {
    switch (part.kind) {
      case 'typename':
        result.__typename = `${shape.name}_aggregate`;
        break;
      case 'nodes': {
        const nodes = page.slice(0, shape.rowLimit).map((row) => expectedRow(part.fields, row, shape, visible));
        result.nodes = given.total ? nodes : new Unordered(nodes);
        break;
      }
      case 'aggregate':
        result.aggregate = Object.fromEntries(part.functions.map((one) => [one.alias, aggregateOf(one, page)]));
        break;
      default:
        part satisfies never;
    }
  }
  return result;
}
