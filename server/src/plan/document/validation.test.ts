import { describe, expect, test } from 'vitest';
import { errorsOf } from '../../../test/support/model/planning.ts';
import { modelFixture, stranger, user } from '../../../test/support/model/sample-model.ts';
import type { ServiceError } from '../../base/errors.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { prepare } from '../operation.ts';

const { model } = modelFixture();
const request = { model, role: user };

describe('a document that does not match the schema is rejected with path and reason', () => {
  test.each([
    [
      'an unknown field',
      '{ author { foo } }',
      "$.selectionSet.author.selectionSet.foo: field 'foo' not found in type: 'author'",
    ],
    [
      'a field that the role may not name',
      '{ article { author { name secret } } }',
      "$.selectionSet.article.selectionSet.author.selectionSet.secret: field 'secret' not found in type: 'author'",
    ],
    [
      'an unknown root',
      '{ books_by_pk { id } }',
      "$.selectionSet.books_by_pk: field 'books_by_pk' not found in type: 'query_root'",
    ],
    [
      'an argument that the field does not have',
      '{ article { author(limit: 4) { name } } }',
      "$.selectionSet.article.selectionSet.author: 'author' has no argument named 'limit'",
    ],
    [
      'a missing required argument',
      '{ author_by_pk { name } }',
      "$.selectionSet.author_by_pk.args.id: missing required field 'id'",
    ],
    [
      'an unknown operator',
      '{ author(where: {name: {_ne: "a"}}) { id } }',
      "$.selectionSet.author.args.where.name._ne: field '_ne' not found in type: 'String_comparison_exp'",
    ],
    [
      'a wrong item of a list in an object',
      '{ author(where: {_or: [{id: {_in: [1, "x"]}}]}) { id } }',
      '$.selectionSet.author.args.where._or[0].id._in[1]: invalid input syntax for type integer: "x"',
    ],
    [
      'a literal of another kind',
      '{ author(where: 5) { id } }',
      "$.selectionSet.author.args.where: expected an object for type 'author_bool_exp', but found the number 5",
    ],
    [
      'an unknown value of an enum',
      '{ author(order_by: {id: up}) { id } }',
      "$.selectionSet.author.args.order_by.id: expected one of the values ['asc', 'asc_nulls_first', 'asc_nulls_last', 'desc', 'desc_nulls_first', 'desc_nulls_last'] for type 'order_by', but found 'up'",
    ],
    [
      'an invalid value of a Postgres scalar',
      '{ invoice_by_pk(number: "12") { total } }',
      '$.selectionSet.invoice_by_pk.args.number: invalid input syntax for type uuid: "12"',
    ],
    [
      'null at a non-null position',
      '{ author_by_pk(id: null) { id } }',
      "$.selectionSet.author_by_pk.args.id: unexpected null value for type 'Int'",
    ],
    [
      'a missing required member',
      '{ author(where: {articles_aggregate: {count: {distinct: true}}}) { id } }',
      "$.selectionSet.author.args.where.articles_aggregate.count.predicate: missing required field 'predicate'",
    ],
    [
      'a variable of another type',
      'query ($id: String!) { author_by_pk(id: $id) { id } }',
      "$.selectionSet.author_by_pk.args.id: variable 'id' is declared as 'String!', but used where 'Int!' is expected",
    ],
    [
      'a nullable variable at a non-null position',
      'query ($id: Int) { author_by_pk(id: $id) { id } }',
      "$.selectionSet.author_by_pk.args.id: variable 'id' is declared as 'Int', but used where 'Int!' is expected",
    ],
    [
      'a variable that is not declared',
      '{ author_by_pk(id: $id) { id } }',
      '$.selectionSet.author_by_pk.args.id: unbound variable "id"',
    ],
    ['an unknown type', 'query ($id: Intt) { author { id } }', "$: no such type exists in the schema: 'Intt'"],
    [
      'an invalid default',
      'query ($id: Int! = "x") { author_by_pk(id: $id) { id } }',
      '$: invalid input syntax for type integer: "x"',
    ],
    [
      'a selection of a leaf',
      '{ author { id { x } } }',
      '$.selectionSet.author.selectionSet.id: unexpected subselection set for non-object field',
    ],
    ['a missing selection', '{ author }', "$.selectionSet.author.selectionSet: missing selection set for 'author'"],
    [
      'an unknown fragment',
      '{ author { ...A } }',
      '$.selectionSet.author.selectionSet: reference to undefined fragment "A"',
    ],
    [
      'an unknown directive',
      '{ author @loud { id } }',
      "$.selectionSet.author: directive 'loud' is not defined in the schema",
    ],
    [
      'a directive without its argument',
      '{ author @skip { id } }',
      "$.selectionSet.author.args.if: missing required field 'if'",
    ],
    [
      'an error in a fragment, where it is spread',
      '{ article { author { ...A } } } fragment A on author { foo }',
      "$.selectionSet.article.selectionSet.author.selectionSet.foo: field 'foo' not found in type: 'author'",
    ],
  ])('%s', (_what, query, error) => {
    expect(errorsOf(request, query)).toEqual([error]);
  });

  test('a cycle of fragments', () => {
    const errors = errorsOf(
      request,
      '{ author { ...A } } fragment A on author { articles { ...B } } fragment B on article { author { ...A } }',
    );
    expect(errors).toEqual([
      '$.selectionSet.author.selectionSet.A.selectionSet.articles.selectionSet.B.selectionSet.author.selectionSet: the fragment definition(s) A and B form a cycle',
    ]);
  });

  test('all errors are reported, and the first is the error itself', () => {
    const query = '{ author { foo bar } book { id } }';
    expect(errorsOf(request, query).map((one) => one.split(': ')[0])).toEqual([
      '$.selectionSet.author.selectionSet.foo',
      '$.selectionSet.author.selectionSet.bar',
      '$.selectionSet.book',
    ]);
    expect(() => prepare(roleSchema(model, user), query, undefined)).toThrow("field 'foo' not found");
  });
});

describe('accepted, as in Hasura v2', () => {
  test.each([
    ['unused variables', 'query ($unused: Int) { author { id } }'],
    ['unused fragments', '{ author { id } } fragment A on author { id }'],
    ['@cached', 'query @cached(ttl: 5) { author { id } }'],
    ['an offset in a string', '{ author(offset: "10") { id } }'],
    ['one value in place of a list', '{ author(order_by: {id: asc}, distinct_on: id) { id } }'],
    ['an enum in a Postgres value', '{ author(where: {profile: {_eq: {a: b}}}) { id } }'],
    ['a nullable variable with a default', 'query ($id: Int = 5) { author_by_pk(id: $id) { id } }'],
  ])('%s', (_what, query) => {
    expect(errorsOf(request, query)).toEqual([]);
  });
});

describe('an invalid document is rejected', () => {
  test.each([
    ['{ author { id ', '$.query: not a valid graphql query: Expected Name, found <EOF> (line 1, column 15)'],
    ['{ "a.b" }', '$.query: not a valid graphql query: Expected Name, found String "a.b" (line 1, column 3)'],
    ['', '$.query: not a valid graphql query: Unexpected <EOF> (line 1, column 1)'],
    ['{ author(where: "\\") }', '$.query: not a valid graphql query: Unterminated string (line 1, column 23)'],
    ['fragment A on author { id }', '$.query: the document holds no operation; write a query or a mutation'],
  ])('%s', (query, error) => {
    expect(errorsOf(request, query)).toEqual([error]);
  });

  test('too many tokens', () => {
    expect(errorsOf(request, `{ ${'a '.repeat(60_000)} }`)[0]).toMatch(/^\$\.query: .*more that 50000 tokens/);
  });

  test.each([
    ['selections', `${'{a'.repeat(20_000)}${'}'.repeat(20_000)}`],
    ['values', `{ author(where: ${'{_not:'.repeat(15_000)}{}${'}'.repeat(15_000)}) { id } }`],
  ])('%s nested deeper than the stack', (_what, query) => {
    expect(errorsOf(request, query)).toHaveLength(1);
  });
});

describe('the operation is selected', () => {
  const two = 'query a { author { id } } query b { article { id } }';

  test('by its name', () => {
    expect(prepare(roleSchema(model, user), two, 'b')).toMatchObject({ kind: 'query', name: 'b' });
  });

  test('by an empty name as without a name', () => {
    expect(prepare(roleSchema(model, user), '{ author { id } }', '').name).toBeUndefined();
  });

  test('is an error if it is ambiguous or unknown', () => {
    expect(errorsOf(request, two)).toEqual([
      '$.operationName: exactly one operation has to be present in the document when operationName is not specified',
    ]);
    expect(errorsOf(request, two, {}, 'c')).toEqual(['$.operationName: no such operation found in the document: "c"']);
  });

  test('is rejected if the role has no root type of its kind', () => {
    expect(errorsOf(request, 'mutation { insert_author { id } }')).toEqual(['$: no mutations exist']);
    expect(errorsOf({ model, role: stranger }, 'subscription { author { id } }')).toEqual([
      '$: no subscriptions exist',
    ]);
    expect(errorsOf({ model, role: stranger }, '{ author { id } }')).toEqual([
      "$.selectionSet.author: field 'author' not found in type: 'query_root'",
    ]);
  });
});

test('preserves the code of an error of a Postgres value', () => {
  const query = '{ invoice_by_pk(number: "12") { total } }';
  expect(() => prepare(roleSchema(model, user), query, undefined)).toThrow(
    expect.objectContaining({ code: 'data-exception' } satisfies Partial<ServiceError>),
  );
});
