import { expect, test } from 'vitest';
import { aggregateOf, errorsOf } from '../../../test/support/model/planning.ts';
import { column, compare, counter, modelFixture, user } from '../../../test/support/model/sample-model.ts';
import { everyRow } from '../../model/predicate/combinators.ts';

const { model, article, rules } = modelFixture();
const request = { model, role: user };

test('plans functions, counts and nodes as parts of the same rows', () => {
  const aggregate = aggregateOf(
    request,
    `{
      article_aggregate(where: {id: {_eq: 1}}, limit: 3) {
        __typename
        aggregate { count n: count(columns: [title, id], distinct: true) sum { id __typename } most: max { title } }
        nodes { id }
      }
    }`,
  );
  expect(aggregate).toEqual({
    rows: {
      table: article,
      where: { kind: 'and', of: [rules.article, compare(column(article, 'id'), { kind: 'constant', value: 1 })] },
      orderBy: [],
      distinctOn: [],
      limit: { kind: 'constant', value: 3 },
      rowLimit: 5,
      offset: undefined,
      fields: [],
    },
    parts: [
      { kind: 'constant', alias: '__typename', value: 'article_aggregate' },
      {
        kind: 'aggregate',
        alias: 'aggregate',
        members: [
          { kind: 'count', alias: 'count', columns: [], distinct: false },
          { kind: 'count', alias: 'n', columns: [column(article, 'title'), column(article, 'id')], distinct: true },
          {
            kind: 'function',
            alias: 'sum',
            function: 'sum',
            members: [
              { kind: 'column', alias: 'id', column: column(article, 'id') },
              { kind: 'constant', alias: '__typename', value: 'article_sum_fields' },
            ],
          },
          {
            kind: 'function',
            alias: 'most',
            function: 'max',
            members: [{ kind: 'column', alias: 'title', column: column(article, 'title') }],
          },
        ],
      },
      {
        kind: 'nodes',
        alias: 'nodes',
        fields: [{ kind: 'column', alias: 'id', column: column(article, 'id'), path: undefined }],
      },
    ],
  });
});

test('reads the counted columns from variables', () => {
  const query =
    'query ($c: [article_select_column!], $d: Boolean) { article_aggregate { aggregate { count(columns: $c, distinct: $d) } } }';
  const counted = (variables: Readonly<Record<string, unknown>>) => {
    const [part] = aggregateOf(request, query, variables).parts;
    return part?.kind === 'aggregate' ? part.members[0] : part;
  };
  expect(counted({ c: ['id'], d: true })).toMatchObject({
    columns: [column(article, 'id')],
    distinct: { variable: 'd' },
  });
  expect(counted({ d: null })).toMatchObject({ columns: [], distinct: false });
});

test('lets a role without columns count all rows of its row rule', () => {
  const { rows } = aggregateOf({ model, role: counter }, '{ article_aggregate { aggregate { count } } }');
  expect(rows).toMatchObject({ where: everyRow, rowLimit: undefined });
  expect(errorsOf({ model, role: counter }, '{ article_aggregate { aggregate { count(columns: id) } } }')).toEqual([
    "$.selectionSet.article_aggregate.selectionSet.aggregate.selectionSet.count: 'count' has no argument named 'columns'",
  ]);
});

test('can have the names of its types', () => {
  const { parts } = aggregateOf(request, '{ article_aggregate { aggregate { t: __typename } } }');
  expect(parts).toMatchObject([{ members: [{ kind: 'constant', alias: 't', value: 'article_aggregate_fields' }] }]);
});
