/** Tables for tests of the predicate parser, and a readable form of predicates. */
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../../src/base/errors.ts';
import { selectAccess } from '../../../src/model/permissions/access.ts';
import type { PredicateContext } from '../../../src/model/predicate/context.ts';
import { parsePredicate } from '../../../src/model/predicate/predicate.ts';
import { sessionOperand } from '../../../src/model/predicate/values.ts';
import type { Operand, Predicate, Relationship, Table } from '../../../src/model/types/table.ts';
import { catalogOf, resolveTables, tableIn, typeOf } from './catalog.ts';

const catalog = catalogOf(
  {
    author: { columns: { id: 'int4!', name: 'text', born: 'date', tags: 'text[]', info: 'jsonb', score: 'float8' } },
    article: {
      columns: { id: 'int4!', title: 'text', author_id: 'int4', public: 'bool', rating: 'numeric', path: 'ltree' },
      foreign: ['author_id -> author.id'],
    },
    place: { columns: { id: 'int4!', spot: 'geometry' } },
  },
  [
    typeOf(50, 'ltree', { extension: 'ltree', schema: 'public' }),
    typeOf(51, 'geometry', { extension: 'postgis', schema: 'public' }),
  ],
);
export const user = RoleName.parse('user');
export const model = resolveTables(
  [
    {
      table: 'author',
      configuration: { column_config: { born: { custom_name: 'birthday' } } },
      array_relationships: [
        { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
      ],
    },
    {
      table: 'article',
      object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
      select_permissions: [
        { role: 'user', permission: { columns: '*', filter: { public: true }, allow_aggregations: true } },
      ],
    },
    { table: 'place' },
  ],
  catalog,
);
export const author = tableIn(model, 'author');
export const article = tableIn(model, 'article');

/** Represents a GraphQL variable, as in the planner. */
export class Variable {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export function whereContext(table: Table, role: RoleName = ADMIN_ROLE): PredicateContext {
  return {
    table,
    naming: 'fields',
    path: '$.where',
    operand: (value) => (value instanceof Variable ? { kind: 'variable', name: value.name } : undefined),
    access: (target) => selectAccess(target, role),
  };
}

export function ruleContext(table: Table): PredicateContext {
  return {
    table,
    naming: 'columns',
    path: '$.filter',
    operand: sessionOperand('x-service-'),
    tableNamed: (schema, name) => (schema === 'public' ? tableIn(model, name) : undefined),
  };
}

/** Contexts by name, for tables of cases. */
export const contexts = {
  where: whereContext(author),
  whereArticle: whereContext(article),
  wherePlace: whereContext(tableIn(model, 'place')),
  whereUser: whereContext(author, user),
  rule: ruleContext(author),
  ruleArticle: ruleContext(article),
  rulePlace: ruleContext(tableIn(model, 'place')),
} as const satisfies Readonly<Record<string, PredicateContext>>;
export type ContextName = keyof typeof contexts;

function printOperand(operand: Operand): unknown {
  switch (operand.kind) {
    case 'constant':
      return operand.value;
    case 'session':
    case 'variable':
      return `${operand.kind} ${operand.name}`;
    case 'column':
      return `${[operand.of, ...operand.path.map(({ name }) => name), operand.column.name].join('.')}`;
    case 'list':
      return { list: operand.items.map(printOperand), of: operand.element.sqlName };
    case 'members':
      return { members: operand.of.map((one) => [printOperand(one.operand), one.type.name]) };
    default:
      return operand satisfies never;
  }
}

/** Returns a predicate with names in place of the objects of the model. */
function print(predicate: Predicate): unknown {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { [predicate.kind]: predicate.of.map(print) };
    case 'not':
    case 'rule':
      return { [predicate.kind]: print(predicate.of) };
    case 'compare': {
      const { left, operator, right } = predicate;
      return [left.column.name + (left.cast ? `::${left.cast.name}` : ''), operator.name, printOperand(right)];
    }
    case 'related':
      return { some: nameOf(predicate.relationship), where: print(predicate.where) };
    case 'computed':
      return { rows: predicate.routine.name, where: print(predicate.where) };
    case 'exists':
      return { exists: predicate.table.name, where: print(predicate.where) };
    case 'aggregated': {
      const { relationship, aggregate, arguments: columns, distinct, filter, tests, resultType } = predicate;
      return {
        [aggregate]: columns.map(({ name }) => name),
        of: nameOf(relationship),
        distinct,
        filter: print(filter),
        tests: tests.map((one) => [one.operator.name, printOperand(one.right)]),
        as: resultType.name,
      };
    }
    default:
      return predicate satisfies never;
  }
}

function nameOf({ name }: Relationship): string {
  return name;
}

export function read(json: unknown, context: PredicateContext): unknown {
  return print(parsePredicate(json, context));
}

export function failure(json: unknown, context: PredicateContext): ServiceError {
  try {
    parsePredicate(json, context);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('the predicate was not rejected');
}

/** Returns the code, path and message of the error of an expression. */
export function errorOf(json: unknown, context: ContextName): readonly [code: string, path: string, message: string] {
  const { code, path, message } = failure(json, contexts[context]);
  return [code, path, message];
}
