/** The fields selected of the responses of actions, and the joins of rows and outputs. */
import { ActionName, FieldName, TypeName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { planOf, rootOf, rowsOf } from '../../../test/support/model/planning.ts';
import { argumentOf, functionOf, routineOf } from '../../../test/support/model/routines.ts';
import { column, modelFixture, user } from '../../../test/support/model/sample-model.ts';
import type { Action, OutputNamed, OutputObject, TypeRef } from '../../model/types/action.ts';
import type { Join, JoinDestination, JoinKey } from '../../model/types/table.ts';

const { model, author, article, invoice, rules } = modelFixture();

const text = {
  kind: 'named',
  type: { kind: 'scalar', name: 'String', origin: 'graphql', description: undefined },
} as const;

function named(type: OutputNamed): TypeRef<OutputNamed> {
  return { kind: 'named', type };
}

function objectOf(name: string, ...names: readonly string[]): OutputObject {
  const fields = names.map((one) => [one, { name: FieldName.parse(one), type: text, description: undefined }] as const);
  return { kind: 'object', name: TypeName.parse(name), description: undefined, fields: new Map(fields) };
}

function actionOf(name: string, output: TypeRef<OutputNamed>, more: Partial<Action> = {}): Action {
  return {
    name: ActionName.parse(name),
    type: 'query',
    arguments: ['id', 'note'].map((one) => ({ name: FieldName.parse(one), type: text, description: undefined })),
    output,
    handler: 'http://127.0.0.1:1/',
    headers: [],
    forwardClientHeaders: false,
    ignoredClientHeaders: undefined,
    timeoutMs: 1_000,
    roles: new Set([user]),
    comment: undefined,
    ...more,
  };
}

const card = objectOf('Card', 'code', 'author_id', 'ids');
const cash = objectOf('Cash', 'amount');
const payment = {
  kind: 'abstract',
  form: 'union',
  name: TypeName.parse('Payment'),
  description: undefined,
  fields: new Map(),
  members: [card, cash],
} as const;
const listed: TypeRef<OutputNamed> = { kind: 'list', of: named(card) };
const one = actionOf('one', named(card));
const actions = [
  one,
  actionOf('many', listed),
  actionOf('any', named(payment)),
  actionOf('word', text),
  actionOf('later', named(card), { type: 'mutation', asynchronous: { retries: 0, intervalMs: 1 } }),
];

function joinOf<Key extends JoinKey>(
  name: string,
  keys: readonly Key[],
  target: JoinDestination,
): readonly [string, Join<Key>] {
  return [name, { name: FieldName.parse(name), keys, target }];
}

const match = [column(article, 'author_id')];
const key: JoinKey = { name: 'author_id', type: columnType('Int') };
const keys: JoinKey = { name: 'ids', type: columnType('Int[]'), list: true };
const joins = new Map<string, Join>([
  joinOf('articles', [key], { kind: 'table', shape: 'array', table: article, match }),
  joinOf('author', [key], { kind: 'table', shape: 'object', table: author, match: [column(author, 'id')] }),
  joinOf('listed', [key, keys], {
    kind: 'table',
    shape: 'array',
    table: article,
    match: [...match, column(article, 'id')],
  }),
  joinOf('writers', [keys], { kind: 'table', shape: 'object', table: author, match: [column(author, 'id')] }),
]);
const search = functionOf(
  article,
  routineOf('search', argumentOf('a', 'Int'), argumentOf('b', 'String'), argumentOf('c', 'Int', { hasDefault: true })),
);
const byFunction = { kind: 'function', function: search, passed: ['b', 'a'] } as const;
const columns = [column(author, 'name'), column(author, 'id')];
for (const [name, join] of [
  joinOf('found', columns, { ...byFunction, shape: 'array' }),
  joinOf('first', columns, { ...byFunction, shape: 'object' }),
  joinOf('card', [column(author, 'id')], {
    kind: 'action',
    action: one,
    arguments: { id: { kind: 'key', index: 0 } },
    batch: 10,
  }),
]) {
  author.joins.set(name, join);
}

const request = {
  model: {
    ...model,
    actions: new Map(actions.map((action) => [action.name, action])),
    outputJoins: new Map([[card, joins]]),
  },
  role: user,
};

const uuid = '00000000-0000-4000-8000-000000000000';
const outputOf = (query: string) => rootOf(request, 'action', query).call.output;
const code = { kind: 'field', alias: 'code', name: 'code', output: { type: text, fields: undefined } };

describe('the response of an action', () => {
  test.each([
    ['a scalar', '{ word }', { type: text, fields: undefined }],
    ['an object', '{ one { c: code code } }', { type: named(card), fields: [{ ...code, alias: 'c' }, code] }],
    [
      'a list of objects',
      '{ many { __typename code } }',
      { type: listed, fields: [{ kind: 'constant', alias: '__typename', value: 'Card' }, code] },
    ],
    [
      'a union',
      '{ any { t: __typename ... on Card { code } } }',
      {
        type: named(payment),
        fields: undefined,
        members: [
          { object: card, fields: [{ kind: 'constant', alias: 't', value: 'Card' }, code] },
          { object: cash, fields: [{ kind: 'constant', alias: 't', value: 'Cash' }] },
        ],
      },
    ],
  ])('that is %s has the selected fields', (_what, query, expected) => {
    expect(outputOf(query)).toEqual(expected);
  });

  test('has input values by name', () => {
    const [root] = planOf(request, 'query ($n: String) { one(id: "a", note: $n) { code } }', { n: 'b' }).roots;
    expect(root).toMatchObject({
      kind: 'action',
      call: {
        action: { name: 'one' },
        input: [
          { name: 'id', value: { kind: 'constant', value: 'a' } },
          { name: 'note', value: { kind: 'variable', name: 'n' } },
        ],
      },
    });
  });

  test('of an asynchronous action is its id, by which its result is read', () => {
    expect(planOf(request, 'mutation { later(id: "a") }').roots).toMatchObject([
      { kind: 'submit', call: { output: { fields: undefined } } },
    ]);
    expect(
      rootOf(request, 'actionResult', `{ later(id: "${uuid}") { __typename n: id created_at errors output { code } } }`)
        .result,
    ).toMatchObject({
      action: { name: 'later' },
      id: { kind: 'constant', value: uuid },
      members: [
        { kind: 'constant', alias: '__typename', value: 'later' },
        { kind: 'id', alias: 'n' },
        { kind: 'createdAt', alias: 'created_at' },
        { kind: 'errors', alias: 'errors' },
        { kind: 'output', alias: 'output', output: { fields: [code] } },
      ],
    });
  });
});

describe('a join of a response', () => {
  const [id, place] = [column(article, 'id'), { direction: 'asc', nulls: 'last' }];
  const joined = (selection: string) => {
    const [field] = outputOf(`{ one { ${selection} } }`).fields ?? [];
    return field?.kind === 'join' ? field.join : undefined;
  };

  test('has the names of the fields as keys, and rows with a limit', () => {
    const join = joined('articles(limit: 2) { title }');
    expect(join).toMatchObject({
      keys: [{ name: 'author_id', type: key.type }],
      target: { kind: 'table', match, want: { shape: 'array', rows: { where: rules.article, rowLimit: 5 } } },
    });
    expect(join?.target).not.toHaveProperty('list');
  });

  test('to one row has no limit', () => {
    expect(joined('author { name }')).toMatchObject({
      target: { want: { shape: 'object', rows: { rowLimit: undefined } } },
    });
  });

  test('with a list of keys has the rows in the order of the keys', () => {
    const last = { by: { kind: 'place', column: id, index: 1 }, ...place };
    expect(joined('listed(order_by: {title: asc}) { title }')).toMatchObject({
      target: { list: 1, want: { rows: { orderBy: [{ by: { column: { name: 'title' } } }, last] } } },
    });
    expect(joined('listed_aggregate { nodes { id } }')).toMatchObject({
      target: { list: 1, want: { shape: 'aggregate', aggregate: { rows: { orderBy: [last] } } } },
    });
  });

  test('with a list of keys has one row for each key, without a limit or an order', () => {
    expect(joined('writers { name }')).toMatchObject({
      target: { list: 0, want: { shape: 'object', rows: { rowLimit: undefined, orderBy: [] } } },
    });
  });
});

describe('a join of rows', () => {
  const target = (selection: string) => {
    const [field] = rowsOf(request, `{ author { ${selection} } }`).fields;
    return field?.kind === 'join' ? field.join.target : undefined;
  };
  const from = {
    name: 'search',
    arguments: [
      { value: { kind: 'key', index: 1 } },
      { value: { kind: 'key', index: 0 } },
      { value: { kind: 'constant', value: 7 } },
    ],
  };

  test.each([
    [
      'a list',
      'found(args: {c: 7}, limit: 2) { title }',
      { shape: 'array', rows: { from, rowLimit: 5, limit: { value: 2 } } },
    ],
    ['one row', 'first(args: {c: 7}) { title }', { shape: 'object', rows: { from, rowLimit: undefined } }],
    [
      'an aggregate',
      'found_aggregate(args: {c: 7}) { aggregate { count } }',
      { shape: 'aggregate', aggregate: { rows: { from }, parts: [{ kind: 'aggregate' }] } },
    ],
  ])('to a function calls it for each key: %s', (_what, selection, want) => {
    expect(target(selection)).toMatchObject({
      kind: 'table',
      source: 'default',
      match: [],
      passed: [columnType('String'), columnType('Int')],
      want,
    });
  });

  test('to an action has its arguments and the selected fields', () => {
    expect(target('card(note: "x") { code }')).toEqual({
      kind: 'action',
      action: one,
      supplied: { id: { kind: 'key', index: 0 } },
      given: [{ name: 'note', value: { kind: 'constant', value: 'x' } }],
      batch: 10,
      output: { type: named(card), fields: [code] },
    });
  });

  test('to a table has no rows that the function returns', () => {
    expect(target('invoices { total }')).toMatchObject({ source: 'billing', match: [column(invoice, 'author_id')] });
    expect(target('invoices { total }')).not.toHaveProperty('passed');
  });
});
