/** Rules of documents: selections, fragments, operations and directives. */
import { afterAll, beforeAll, describe } from 'vitest';
import { PF, prove, type Rules, startRules, VF } from './rules-fixture.ts';

let rules: Rules;
beforeAll(async () => {
  rules = await startRules();
});
afterAll(() => rules?.stop());

describe('a selection', () => {
  prove(
    () => rules,
    [
      [
        'rejects a field that does not exist',
        '{ author { none } }',
        { ...VF, message: "field 'none' not found in type: 'author'", path: '$.selectionSet.author.selectionSet.none' },
      ],
      [
        'rejects a root field that does not exist',
        '{ none { id } }',
        { ...VF, message: "field 'none' not found in type: 'query_root'", path: '$.selectionSet.none' },
      ],
      [
        'rejects a root field of mutations that does not exist',
        'mutation { none { id } }',
        { ...VF, message: "field 'none' not found in type: 'mutation_root'" },
      ],
      [
        'rejects an object without members',
        '{ author { articles } }',
        {
          ...VF,
          message: "missing selection set for 'article'",
          path: '$.selectionSet.author.selectionSet.articles.selectionSet',
        },
      ],
      [
        'rejects members of a scalar',
        '{ author { id { x } } }',
        {
          ...VF,
          message: 'unexpected subselection set for non-object field',
          path: '$.selectionSet.author.selectionSet.id',
        },
      ],
      [
        'rejects a missing argument',
        '{ author_by_pk { id } }',
        { ...VF, message: "missing required field 'id'", path: '$.selectionSet.author_by_pk.args.id' },
      ],
      [
        'rejects a missing argument of a mutation',
        'mutation { delete_author { affected_rows } }',
        { ...VF, message: "missing required field 'where'", path: '$.selectionSet.delete_author.args.where' },
      ],
      [
        'rejects a missing member of an argument',
        'mutation { update_author_by_pk(pk_columns: {}, _set: {bio: "x"}) { id } }',
        {
          ...VF,
          message: "missing required field 'id'",
          path: '$.selectionSet.update_author_by_pk.args.pk_columns.id',
        },
      ],
      [
        'rejects an argument that does not exist',
        '{ author(none: 1) { id } }',
        { ...VF, message: "'author' has no argument named 'none'" },
      ],
      [
        'rejects an argument of a column',
        '{ author { id(x: 1) } }',
        { ...VF, message: "'id' has no argument named 'x'" },
      ],
      [
        'merges equal fields',
        '{ author_by_pk(id: 1) { id } author_by_pk(id: 1) { name } }',
        { data: { author_by_pk: { id: 1, name: 'Ann' } } },
      ],
      [
        'rejects one name for fields with other arguments',
        '{ author_by_pk(id: 1) { id } author_by_pk(id: 2) { id } }',
        VF,
      ],
      ['rejects one name for two fields', '{ author_by_pk(id: 1) { x: id x: name } }', VF],
      [
        'takes aliases',
        '{ a: author_by_pk(id: 1) { x: id y: id } b: author_by_pk(id: 2) { id } }',
        { data: { a: { x: 1, y: 1 }, b: { id: 2 } } },
      ],
      [
        'takes fragments',
        'query { author_by_pk(id: 1) { ...f ... on author { name } ... { bio } } } fragment f on author { id }',
        { data: { author_by_pk: { id: 1, name: 'Ann', bio: 'writes' } } },
      ],
      [
        'rejects a fragment that is not defined',
        '{ author { ...f } }',
        { ...VF, message: 'reference to undefined fragment "f"', path: '$.selectionSet.author.selectionSet' },
      ],
      [
        'rejects fragments that contain each other',
        '{ author { ...f } } fragment f on author { ... { ...g } } fragment g on author { articles { author { ...f } } }',
        {
          ...VF,
          message: 'the fragment definition(s) f and g form a cycle',
          path: '$.selectionSet.author.selectionSet.f.selectionSet.g.selectionSet.articles.selectionSet.author.selectionSet',
        },
      ],
      [
        'rejects a fragment that contains itself',
        '{ author { ...f } } fragment f on author { ...f }',
        { ...VF, message: 'the fragment definition(s) f form a cycle' },
      ],
      [
        'rejects a fragment that contains itself and is not used',
        '{ author { id } } fragment f on author { ...f }',
        { ...VF, message: 'the fragment definition(s) f form a cycle' },
      ],
      [
        'takes a fragment twice',
        '{ a: author_by_pk(id: 1) { ...f } b: author_by_pk(id: 2) { ...f } } fragment f on author { id }',
        { data: { a: { id: 1 }, b: { id: 2 } } },
      ],
      [
        'accepts a fragment that is not used',
        '{ author(limit: 0) { id } } fragment f on author { id }',
        { data: { author: [] } },
      ],
      [
        'rejects two fragments of one name',
        '{ author { ...f } } fragment f on author { id } fragment f on author { name }',
        { ...PF, message: 'multiple definitions for fragment "f"', path: '$' },
      ],
      ['rejects a fragment of another type', '{ author { ... on article { id } } }', VF],
      [
        'has __typename in queries',
        '{ __typename author(limit: 1) { __typename } }',
        { data: { __typename: 'query_root', author: [{ __typename: 'author' }] } },
      ],
      ['has __typename in mutations', 'mutation { __typename }', { data: { __typename: 'mutation_root' } }],
      ['has __schema in queries only', 'mutation { __schema { queryType { name } } }', VF],
      ['has no __schema below the root', '{ author { __schema { queryType { name } } } }', VF],
      [
        'rejects text that is no document',
        '{ author { id }',
        { ...VF, message: 'not a valid graphql query', path: '$.query' },
      ],
      ['rejects an empty selection', '{ author { } }', { ...VF, path: '$.query' }],
      [
        'keeps the order of the fields',
        '{ author_by_pk(id: 1) { name id __typename bio } }',
        { data: { author_by_pk: { name: 'Ann', id: 1, __typename: 'author', bio: 'writes' } } },
      ],
      [
        'rejects a name of an operation that does not exist',
        'query a { author { id } }',
        { ...VF, message: 'no such operation found in the document: "b"' },
        { operationName: 'b' },
      ],
      ['rejects a name of an operation without one', '{ author { id } }', VF, { operationName: 'b' }],
      [
        'needs the name of one of several operations',
        'query a { author { id } } query b { author { name } }',
        {
          ...VF,
          message: 'exactly one operation has to be present in the document when operationName is not specified',
        },
      ],
      [
        'takes the operation that is named',
        'query a { author { id } } query b { author_by_pk(id: 1) { name } }',
        { data: { author_by_pk: { name: 'Ann' } } },
        { operationName: 'b' },
      ],
      [
        'rejects two operations of one name',
        'query a { author { id } } query a { author { name } }',
        VF,
        { operationName: 'a' },
      ],
      [
        'rejects an unnamed operation beside another',
        '{ author { id } } query b { author { name } }',
        VF,
        { operationName: 'b' },
      ],
      ['rejects a document of fragments', 'fragment f on author { id }', VF],
      [
        'of a role without fields has an explanation',
        '{ no_queries_available }',
        {
          data: {
            no_queries_available:
              "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions.",
          },
        },
        { role: 'without_permissions' },
      ],
      [
        'of a role without mutations is rejected',
        'mutation { insert_author(objects: []) { affected_rows } }',
        VF,
        { role: 'reader' },
      ],
    ],
  );
});

describe('a directive', () => {
  const one = (body: string) => ({ data: { author_by_pk: body === '' ? {} : { id: 1 } } });
  prove(
    () => rules,
    [
      ['skip leaves out a field', '{ author_by_pk(id: 1) { id name @skip(if: true) } }', one('id')],
      ['include leaves out a field', '{ author_by_pk(id: 1) { id name @include(if: false) } }', one('id')],
      [
        'takes a variable',
        'query ($x: Boolean!) { author_by_pk(id: 1) { id name @include(if: $x) } }',
        one('id'),
        { variables: { x: false } },
      ],
      [
        'takes the default of a variable',
        'query ($x: Boolean! = false) { author_by_pk(id: 1) { id name @include(if: $x) } }',
        one('id'),
      ],
      [
        'on a fragment',
        '{ author_by_pk(id: 1) { id ...f @skip(if: true) ... on author @include(if: false) { bio } } } fragment f on author { name }',
        one('id'),
      ],
      [
        'skip and include must both select the field',
        '{ author_by_pk(id: 1) { id name @include(if: true) @skip(if: true) } }',
        one('id'),
      ],
      ['that leaves out all members gives an empty object', '{ author_by_pk(id: 1) { id @skip(if: true) } }', one('')],
      [
        'that leaves out all root fields gives an empty object',
        '{ author_by_pk(id: 1) @skip(if: true) { id } }',
        { data: {} },
      ],
      ['needs its argument', '{ author_by_pk(id: 1) { id @skip } }', { ...VF, message: "missing required field 'if'" }],
      [
        'has no other argument',
        '{ author_by_pk(id: 1) { id @skip(if: false, x: 1) } }',
        { ...VF, message: "'skip' has no argument named 'x'" },
      ],
      [
        'that does not exist is rejected',
        '{ author_by_pk(id: 1) { id @none } }',
        { ...VF, message: "directive 'none' is not defined in the schema" },
      ],
      [
        'that does not exist is rejected on a variable',
        'query ($id: Int! @none) { author_by_pk(id: $id) { id } }',
        { ...VF, message: "directive 'none' is not defined in the schema" },
        { variables: { id: 1 } },
      ],
      [
        'on a query is rejected',
        'query @skip(if: true) { author { id } }',
        { ...VF, message: "directive 'skip' is not allowed on a query" },
      ],
      [
        'on the definition of a fragment is rejected',
        '{ author { ...f } } fragment f on author @include(if: true) { id }',
        { ...VF, message: "directive 'include' is not allowed on a fragment definition" },
      ],
      [
        'that is repeated is rejected',
        '{ author_by_pk(id: 1) { id @skip(if: false) @skip(if: false) } }',
        { ...VF, message: "the following directives are used more than once: ['skip']" },
      ],
      ['cached has no effect on a query', 'query @cached { author_by_pk(id: 1) { id } }', one('id')],
      ['cached takes arguments', 'query @cached(ttl: 30, refresh: true) { author_by_pk(id: 1) { id } }', one('id')],
      ['cached checks its arguments', 'query @cached(ttl: "x") { author_by_pk(id: 1) { id } }', VF],
      [
        'cached is rejected on a field',
        '{ author_by_pk(id: 1) @cached { id } }',
        { ...VF, message: "directive 'cached' is not allowed on a field" },
      ],
      [
        'cached is rejected on a mutation',
        'mutation @cached { delete_author(where: {id: {_lt: 0}}) { affected_rows } }',
        { ...VF, message: "directive 'cached' is not allowed on a mutation" },
      ],
    ],
  );
});
