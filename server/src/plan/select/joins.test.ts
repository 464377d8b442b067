import { print } from 'graphql';
import { expect, test } from 'vitest';
import { rowsOf } from '../../../test/support/model/planning.ts';
import { column, modelFixture, user } from '../../../test/support/model/sample-model.ts';
import type { JoinTarget } from '../plan/query.ts';

const { model, author, invoice, people } = modelFixture();
const request = { model, role: user };

const id = column(author, 'id');
const phantom = { kind: 'phantom', alias: '@id', column: id };
const keys = [{ name: '@id', type: id.type }];

function targetOf(query: string, variables?: Readonly<Record<string, unknown>>): JoinTarget {
  const [field] = rowsOf(request, query, variables).fields;
  if (field?.kind !== 'join') throw new Error(`expected a join, got ${field?.kind}`);
  return field.join.target;
}

test('fetches a key column once for all joins, whether or not it is selected', () => {
  const { fields } = rowsOf(request, '{ author { id homepage { url } invoices { total } name } }');
  expect(fields).toMatchObject([
    { kind: 'column', alias: 'id' },
    { kind: 'join', alias: 'homepage', join: { keys } },
    { kind: 'join', alias: 'invoices', join: { keys } },
    { kind: 'column', alias: 'name' },
    phantom,
  ]);
  expect(fields).toHaveLength(5);
});

test('plans rows of another source with their own row rule and arguments', () => {
  const target = targetOf('{ author { invoices(limit: 2, order_by: {total: desc}) { total } } }');
  expect(target).toMatchObject({
    kind: 'table',
    source: 'billing',
    match: [column(invoice, 'author_id')],
    want: {
      shape: 'array',
      rows: { table: invoice, limit: { value: 2 }, orderBy: [{ direction: 'desc' }], fields: [{ alias: 'total' }] },
    },
  });
});

test('plans aggregates of another source', () => {
  const target = targetOf('{ author { invoices_aggregate { aggregate { count } } } }');
  expect(target).toMatchObject({
    kind: 'table',
    want: { shape: 'aggregate', aggregate: { parts: [{ kind: 'aggregate', members: [{ kind: 'count' }] }] } },
  });
});

test('plans joins of the nodes of an aggregate', () => {
  const [field] = rowsOf(request, '{ author { articles_aggregate { nodes { author { homepage { url } } } } } }').fields;
  expect(field).toMatchObject({
    aggregate: {
      parts: [{ kind: 'nodes', fields: [{ kind: 'object', rows: { fields: [{ kind: 'join' }, phantom] } }] }],
    },
  });
});

test('forwards the selection without named fragments and directives, with the used variables', () => {
  const target = targetOf(
    `query ($lang: String, $since: String, $yes: Boolean!, $unused: Int) {
      author { homepage(language: $lang) { ...H url @skip(if: $yes) __typename } }
    }
    fragment H on Homepage { visits(since: $since) @include(if: $yes) }`,
    { yes: true },
  );
  if (target.kind !== 'remote') throw new Error('expected a remote schema');
  expect(target.remote).toBe(people);
  expect(target.arguments.map(print)).toEqual(['language: $lang']);
  expect(target.selection && print(target.selection).replaceAll(/\s+/g, ' ')).toBe(
    '{ ... on Homepage { visits(since: $since) } __typename }',
  );
  expect(target.variables.map(print)).toEqual(['$lang: String', '$since: String']);
});

test('selects __typename of a remote schema if all fields are skipped', () => {
  const target = targetOf('{ author { homepage { url @skip(if: true) } } }');
  expect(target.kind === 'remote' && target.selection && print(target.selection)).toBe('{\n  __typename\n}');
});
