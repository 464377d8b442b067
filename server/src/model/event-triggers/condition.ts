/** Parses the condition of an event trigger with the parser of row rules. */
import { FieldName } from '@joinery/metadata/names';
import type { BoolExp } from '@joinery/metadata/schema/permissions';
import { ServiceError } from '../../base/errors.ts';
import { hasMoreMembers } from '../permissions/permission-rules.ts';
import type { PredicateContext } from '../predicate/context.ts';
import { parsePredicate } from '../predicate/predicate.ts';
import { sessionOperand } from '../predicate/values.ts';
import type { ChangedRow, EventCondition } from '../types/event-trigger.ts';
import type { Column, Operand, Predicate, Relationship, Table } from '../types/table.ts';

/** The most members of a condition, which is a part of the trigger's function. */
const MOST_MEMBERS = 10_000;

/**
 * Parses a condition on columns of the rows `old` and `new`. Throws a ServiceError with the path of the invalid member,
 * which starts at the condition, which is `$`. Other tables, functions and session variables are rejected: a change of
 * those must not affect the writes of the table. `compared` is called with each comparison and its path.
 */
export function parseCondition(
  when: BoolExp,
  table: Table,
  rows: ReadonlySet<ChangedRow>,
  sessionPrefix: string,
  compared?: PredicateContext['compared'],
): EventCondition {
  if (hasMoreMembers(when, MOST_MEMBERS)) throw notSupported(`the condition has more than ${MOST_MEMBERS} members`);
  const both = bothRows(table, rows);
  const sessions = ['x-hasura-', sessionPrefix].map(sessionOperand);
  const predicate = parsePredicate(when, {
    table: both.table,
    naming: 'columns',
    path: '$',
    operand: (value) => {
      if (sessions.every((session) => session(value) === undefined)) return undefined;
      throw notSupported('the condition of an event trigger cannot use session variables');
    },
    tableNamed: () => {
      throw notSupported('the condition of an event trigger cannot use "_exists": it depends on the changed row only');
    },
    ...(compared && { compared }),
    whyMissing: (at, name) => (at === both.table ? whyNoRow(name) : whyNoColumn(table, name)),
  });
  return conditionOf(predicate.kind === 'rule' ? predicate.of : predicate, both.rows);
}

/** Returns the columns that the condition names. */
export function columnsOfCondition(condition: EventCondition): ReadonlySet<Column> {
  const found = new Set<Column>();
  const collect = (part: EventCondition | Predicate): void => {
    switch (part.kind) {
      case 'and':
      case 'or':
        for (const one of part.of) collect(one);
        break;
      case 'not':
        collect(part.of);
        break;
      case 'row':
        collect(part.where);
        break;
      case 'compare':
        found.add(part.left.column);
        addOperand(part.right);
    }
  };
  const addOperand = (operand: Operand): void => {
    if (operand.kind === 'column') found.add(operand.column);
    else if (operand.kind === 'list') for (const item of operand.items) addOperand(item);
    else if (operand.kind === 'members') for (const member of operand.of) addOperand(member.operand);
  };
  collect(condition);
  return found;
}

function whyNoRow(name: string): string {
  if (name !== 'old' && name !== 'new') {
    return `unknown member "${name}"; a condition has the rows "old" and "new", and "_and", "_or", "_not"`;
  }
  const operation = name === 'old' ? 'an insert' : 'a delete';
  return `${operation} has no row "${name}"; define another trigger for the operation`;
}

function whyNoColumn(table: Table, name: string): string {
  const isOther = table.relationships.has(name) || table.joins.has(name) || table.computedFields?.has(name) === true;
  return isOther
    ? `"${name}" is no column; the condition of an event trigger depends on columns of the changed row only`
    : `column "${name}" does not exist in table "${table.name}"`;
}

function notSupported(message: string): ServiceError {
  return new ServiceError('not-supported', message, { path: '$' });
}

/** The two rows of a change as relationships of one row without columns. */
interface BothRows {
  readonly table: Table;
  readonly rows: ReadonlyMap<Relationship, ChangedRow>;
}

function bothRows(table: Table, names: ReadonlySet<ChangedRow>): BothRows {
  const row: Table = { ...table, relationships: new Map(), computedFields: new Map(), joins: new Map() };
  const relationships = new Map(
    [...names].map((name): [ChangedRow, Relationship] => [
      name,
      { ...toRow, name: FieldName.parse(name), target: row },
    ]),
  );
  return {
    table: { ...row, columns: new Map(), columnsByName: new Map(), relationships },
    rows: new Map([...relationships].map(([name, relationship]) => [relationship, name])),
  };
}

const toRow = { kind: 'object', mapping: [], nullable: true, comment: undefined } as const;

function conditionOf(predicate: Predicate, rows: BothRows['rows']): EventCondition {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { kind: predicate.kind, of: predicate.of.map((one) => conditionOf(one, rows)) };
    case 'not':
      return { kind: 'not', of: conditionOf(predicate.of, rows) };
    case 'related': {
      const row = rows.get(predicate.relationship);
      if (row !== undefined) return { kind: 'row', row, where: whereOf(predicate.where, row, rows) };
    }
  }
  throw new TypeError(`a condition has no predicate of kind ${predicate.kind}`);
}

/** The predicate on one row, with columns of the rows in place of paths to them. */
function whereOf(predicate: Predicate, row: ChangedRow, rows: BothRows['rows']): Predicate {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { kind: predicate.kind, of: predicate.of.map((one) => whereOf(one, row, rows)) };
    case 'not':
      return { kind: 'not', of: whereOf(predicate.of, row, rows) };
    case 'compare':
      return { ...predicate, right: operandOf(predicate.right, row, rows) };
    default:
      throw new TypeError(`a condition on a row has no predicate of kind ${predicate.kind}`);
  }
}

function operandOf(operand: Operand, row: ChangedRow, rows: BothRows['rows']): Operand {
  switch (operand.kind) {
    case 'column': {
      const [start] = operand.path;
      const isOwn = start === undefined || rows.get(start) === row;
      return { kind: 'column', of: isOwn ? 'row' : 'root', path: [], column: operand.column };
    }
    case 'list':
      return { ...operand, items: operand.items.map((item) => operandOf(item, row, rows)) };
    case 'members':
      return {
        kind: 'members',
        of: operand.of.map((member) => ({ ...member, operand: operandOf(member.operand, row, rows) })),
      };
    default:
      return operand;
  }
}
