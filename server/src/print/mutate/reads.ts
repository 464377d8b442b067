/** Finds the parts of a plan that read a table. In the statement that changes it they would see the previous state. */
import type { Operand, Predicate, Relationship, Table } from '../../model/types/table.ts';
import type { AggregatePlan, ConnectionPlan, FieldPlan, OrderKey, RowsPlan } from '../../plan/plan/query.ts';

/** Whether a member of the changed rows reads `table`. A function may read any table. */
export function fieldsRead(fields: readonly FieldPlan[], table: Table): boolean {
  return fields.some((field) => {
    switch (field.kind) {
      case 'computed':
      case 'computedRows':
        return true;
      case 'column':
      case 'phantom':
        return field.column.computed !== undefined || (field.seen !== undefined && conditionReads(field.seen, table));
      case 'object':
      case 'array':
        return leadsTo(field.relationship, table) || rowsRead(field.rows, table);
      case 'aggregate':
        return leadsTo(field.relationship, table) || aggregateReads(field.aggregate, table);
      case 'connection':
        return leadsTo(field.relationship, table) || connectionReads(field.connection, table);
      case 'constant':
      case 'nodeId':
      case 'join':
        return false;
      default:
        return field satisfies never;
    }
  });
}

function leadsTo({ target }: Relationship, table: Table): boolean {
  return mayRead(target, table);
}

/** Views and native queries may read any table, and a change of a view is one of other tables. */
function mayRead(read: Table, table: Table): boolean {
  return read === table || read.isView === true || read.native !== undefined || table.isView === true;
}

function rowsRead({ where, orderBy, cells, distinctOn, fields }: RowsPlan, table: Table): boolean {
  return (
    conditionReads(where, table) ||
    orderBy.some(({ by }) => keyReads(by, table)) ||
    distinctOn.some((column) => seenReads(cells?.get(column), table)) ||
    fieldsRead(fields, table)
  );
}

function aggregateReads({ rows, parts }: AggregatePlan, table: Table): boolean {
  return (
    rowsRead(rows, table) ||
    parts.some((part) => {
      if (part.kind === 'nodes') return fieldsRead(part.fields, table);
      if (part.kind === 'constant') return false;
      return part.members.some((member) => {
        if (member.kind === 'count')
          return member.columns.some((column) => seenReads(member.cells?.get(column), table));
        if (member.kind === 'constant') return false;
        return member.members.some(
          (one) => one.kind === 'computed' || (one.kind === 'column' && seenReads(one.seen, table)),
        );
      });
    })
  );
}

function connectionReads({ rows, parts }: ConnectionPlan, table: Table): boolean {
  const members = parts.flatMap((part) => (part.kind === 'edges' ? part.members : []));
  return rowsRead(rows, table) || members.some((member) => member.kind === 'node' && fieldsRead(member.fields, table));
}

function keyReads(key: OrderKey, table: Table): boolean {
  switch (key.kind) {
    case 'column':
      return key.column.computed !== undefined || seenReads(key.seen, table);
    case 'place':
      return false;
    case 'related':
      return leadsTo(key.relationship, table) || conditionReads(key.filter, table) || keyReads(key.key, table);
    case 'aggregate':
      return leadsTo(key.relationship, table) || conditionReads(key.filter, table) || seenReads(key.seen, table);
    case 'computedAggregate':
      return true;
    default:
      return key satisfies never;
  }
}

function seenReads(seen: Predicate | undefined, table: Table): boolean {
  return seen !== undefined && conditionReads(seen, table);
}

function conditionReads(condition: Predicate, table: Table): boolean {
  const inside = (one: Predicate): boolean => conditionReads(one, table);
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.some(inside);
    case 'not':
    case 'rule':
      return inside(condition.of);
    case 'compare': {
      const { left, right } = condition;
      return left.column.computed !== undefined || seenReads(left.seen, table) || operandReads(right, table);
    }
    case 'related':
      return leadsTo(condition.relationship, table) || inside(condition.where);
    case 'computed':
      return true;
    case 'aggregated': {
      const { relationship, filter, arguments: columns, cells, tests } = condition;
      return (
        leadsTo(relationship, table) ||
        inside(filter) ||
        columns.some((column) => seenReads(cells?.get(column), table)) ||
        tests.some(({ right }) => operandReads(right, table))
      );
    }
    case 'exists':
      return mayRead(condition.table, table) || inside(condition.where);
    default:
      return condition satisfies never;
  }
}

function operandReads(operand: Operand, table: Table): boolean {
  return operand.kind === 'column' && operand.path.some((relationship) => leadsTo(relationship, table));
}
