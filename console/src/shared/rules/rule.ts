/**
 * Row rules as an editable tree. Reading and writing returns the same JSON: parts without a representation are
 * preserved. Pure.
 */

import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { isOperator } from './operators.ts';

/** A conjunction (`and`) or disjunction (`or`), optionally negated. */
export interface Group {
  readonly kind: 'group';
  readonly mode: 'and' | 'or';
  readonly negated: boolean;
  /** Notation: members of one object, or a list under this name. */
  readonly written: 'members' | '_and' | '$and' | '_or' | '$or';
  readonly not: '_not' | '$not';
  readonly of: readonly RuleNode[];
}

export interface Comparison {
  readonly kind: 'compare';
  readonly column: string;
  readonly operator: string;
  readonly value: unknown;
  /** Written as `column: value`, short for `_eq`. */
  readonly bare: boolean;
}

/** A related row satisfies `where`. */
export interface Related {
  readonly kind: 'related';
  readonly relationship: string;
  readonly where: Group;
}

/** A row of the table satisfies `where`. */
export interface Exists {
  readonly kind: 'exists';
  readonly table: RuleTableName;
  readonly where: Group;
  readonly written: { readonly name: string; readonly table: unknown; readonly where: boolean };
}

/** JSON that is preserved: a member of an expression, or a list item without a name. */
export interface Raw {
  readonly kind: 'raw';
  readonly name: string | undefined;
  readonly json: unknown;
}

export type RuleNode = Group | Comparison | Related | Exists | Raw;

export interface RuleTableName {
  readonly schema: string;
  readonly name: string;
}

export const allOf = (of: readonly RuleNode[], written: Group['written'] = 'members'): Group => ({
  kind: 'group',
  mode: 'and',
  negated: false,
  written,
  not: '_not',
  of,
});

/** Parses a rule or the `where` of a relationship. */
export function readRule(json: JsonObject): Group {
  const node = readExpression(json);
  return node.kind === 'group' ? node : allOf([node]);
}

function readExpression(json: unknown): RuleNode {
  if (!isJsonObject(json)) return { kind: 'raw', name: undefined, json };
  const nodes = Object.entries(json).flatMap(([name, value]) => readMember(name, value));
  const [only] = nodes;
  return only !== undefined && nodes.length === 1 ? only : allOf(nodes);
}

function readMember(name: string, value: unknown): readonly RuleNode[] {
  const raw: Raw = { kind: 'raw', name, json: value };
  switch (name) {
    case '_and':
    case '$and':
      return [Array.isArray(value) ? { ...allOf(value.map(readExpression)), written: name } : raw];
    case '_or':
    case '$or':
      return [Array.isArray(value) ? { ...allOf(value.map(readExpression)), mode: 'or', written: name } : raw];
    case '_not':
    case '$not':
      return [isJsonObject(value) ? negation(name, readRule(value)) : raw];
    case '_exists':
    case '$exists':
      return [readExists(name, value) ?? raw];
    default:
  }
  if (value === null) return [raw];
  if (!isJsonObject(value)) return [{ kind: 'compare', column: name, operator: '_eq', value, bare: true }];
  const tests = Object.entries(value);
  if (tests.length > 0 && tests.every(([operator]) => isOperator(operator))) {
    return tests.map(([operator, right]) => ({ kind: 'compare', column: name, operator, value: right, bare: false }));
  }
  return [isAboutAggregates(name, tests) ? raw : { kind: 'related', relationship: name, where: readRule(value) }];
}

function negation(not: Group['not'], inner: Group): Group {
  return inner.negated ? { ...allOf([inner]), negated: true, not } : { ...inner, negated: true, not };
}

function readExists(name: string, json: unknown): Exists | undefined {
  if (!isJsonObject(json)) return undefined;
  const { _table: written, _where: where, ...others } = json;
  const table = typeof written === 'string' ? { name: written } : written;
  if (!isJsonObject(table) || Object.keys(others).length > 0) return undefined;
  const { schema = 'public', name: tableName, ...unknown } = table;
  if (typeof schema !== 'string' || typeof tableName !== 'string' || Object.keys(unknown).length > 0) return undefined;
  if ('_where' in json && !isJsonObject(where)) return undefined;
  return {
    kind: 'exists',
    table: { schema, name: tableName },
    where: isJsonObject(where) ? readRule(where) : allOf([]),
    written: { name, table: written, where: '_where' in json },
  };
}

/** Such as `orders_aggregate: { count: { predicate: ... } }`. */
function isAboutAggregates(name: string, members: readonly (readonly [string, unknown])[]): boolean {
  return name.endsWith('_aggregate') && members.every(([, value]) => isJsonObject(value) && 'predicate' in value);
}

/** Returns the JSON of a tree. An unchanged tree returns the JSON that it was read from. */
export function writeRule(group: Group): JsonObject {
  return group.negated ? { [group.not]: writeHeld(group) } : writeHeld(group);
}

function writeHeld({ written, mode, of }: Group): JsonObject {
  if (written !== 'members') return { [written]: of.map(writeNode) };
  if (mode === 'or') return { _or: of.map(writeNode) };
  return asJsonObject(of) ?? { _and: of.map(writeNode) };
}

/** Returns the JSON of a node as a list item. */
function writeNode(node: RuleNode): unknown {
  if (node.kind === 'raw' && node.name === undefined) return node.json;
  return node.kind === 'group' ? writeRule(node) : asJsonObject([node]);
}

/** Returns one object for all nodes. Undefined when two need the same member. */
function asJsonObject(nodes: readonly RuleNode[]): JsonObject | undefined {
  const members = new Map<string, unknown>();
  const tests = new Map<string, Map<string, unknown>>();
  for (const node of nodes) {
    if (node.kind === 'compare') {
      const known = tests.get(node.column);
      if (known?.has(node.operator) || (known === undefined && members.has(node.column))) return undefined;
      if (known === undefined) tests.set(node.column, new Map([[node.operator, node.value]]));
      else known.set(node.operator, node.value);
      const given = tests.get(node.column) ?? [];
      members.set(node.column, known === undefined && node.bare ? node.value : Object.fromEntries(given));
      continue;
    }
    const [name, value] = member(node);
    if (name === undefined || members.has(name)) return undefined;
    members.set(name, value);
  }
  return Object.fromEntries(members);
}

function member(node: Exclude<RuleNode, Comparison>): readonly [name: string | undefined, value: unknown] {
  switch (node.kind) {
    case 'raw':
      return [node.name, node.json];
    case 'related':
      return [node.relationship, writeRule(node.where)];
    case 'exists': {
      const { name, table, where } = node.written;
      const given = where || node.where.of.length > 0 || node.where.negated;
      return [name, { _table: table, ...(given && { _where: writeRule(node.where) }) }];
    }
    case 'group': {
      if (node.negated) return [node.not, writeHeld(node)];
      if (node.written !== 'members') return [node.written, node.of.map(writeNode)];
      return [node.mode === 'and' ? '_and' : '_or', node.of.map(writeNode)];
    }
    default:
      return node satisfies never;
  }
}

/** Returns an exists condition on a table. */
export function existsIn(table: RuleTableName): Exists {
  return { kind: 'exists', table, where: allOf([]), written: { name: '_exists', table: { ...table }, where: true } };
}
