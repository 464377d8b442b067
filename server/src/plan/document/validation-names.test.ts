/** Validation of directives, fragments and operations. */
import { describe, expect, test } from 'vitest';
import { inputErrors, inputSchema } from '../../../test/support/model/input-schema.ts';
import { readDocument } from './documents.ts';

describe('a directive', () => {
  test.each([
    ['on a query', 'query @skip(if: true) { id }', '$', 'a query'],
    [
      'on a variable definition',
      'query ($v: Int @skip(if: true)) { list(limit: $v) { id } }',
      '$',
      'a variable definition',
    ],
    ['on a fragment definition', '{ ...A } fragment A on List @skip(if: true) { id }', '$', 'a fragment definition'],
    ['on a field', '{ id @deprecated }', '$.selectionSet.id', 'a field'],
    ['on a fragment spread', '{ ...A @deprecated } fragment A on List { id }', '$', 'a fragment spread'],
    ['on an inline fragment', '{ list { ... @deprecated { id } } }', '$.selectionSet.list', 'an inline fragment'],
  ])('%s that it does not permit is rejected', (_rule, query, path, place) => {
    const name = query.includes('@skip') ? 'skip' : 'deprecated';
    expect(inputErrors(query)).toEqual([`${path}: directive '${name}' is not allowed on ${place}`]);
  });

  test.each([
    ['on a field', '{ id @skip(if: true) @include(if: true) }'],
    ['on a fragment spread', '{ ...A @skip(if: true) } fragment A on List { id }'],
    ['on an inline fragment', '{ ... @include(if: true) { id } }'],
  ])('%s that it permits is accepted', (_rule, query) => {
    expect(inputErrors(query)).toEqual([]);
  });

  test('that is repeated is rejected once', () => {
    const three = '@skip(if: true) @include(if: true) @skip(if: false) @include(if: true) @skip(if: true)';
    expect(inputErrors(`{ id ${three} }`)).toEqual([
      "$.selectionSet.id: the following directives are used more than once: ['skip', 'include']",
    ]);
  });

  test('has valid arguments', () => {
    expect(inputErrors('{ id @skip(if: "x", when: true) }')).toEqual([
      "$.selectionSet.id: 'skip' has no argument named 'when'",
      "$.selectionSet.id.args.if: expected true or false for type 'Boolean', but found a string",
    ]);
  });
});

describe('a fragment', () => {
  test.each([
    [
      'with the name of another is rejected',
      '{ ...A } fragment A on List { id } fragment A on List { id }',
      ['$: multiple definitions for fragment "A"'],
    ],
    [
      'that spreads itself is rejected',
      '{ ...A } fragment A on List { list { ...A } }',
      ['$.selectionSet.A.selectionSet.list.selectionSet: the fragment definition(s) A form a cycle'],
    ],
    [
      'in an unused cycle is rejected',
      '{ id } fragment A on List { ...B } fragment B on List { ...A }',
      ['$.selectionSet.A.selectionSet.B.selectionSet: the fragment definition(s) A and B form a cycle'],
    ],
    [
      'in a cycle of three is rejected with all names',
      '{ list { ...A } } fragment A on List { ...B } fragment B on List { ... { ...C } } fragment C on List { ...A }',
      [
        '$.selectionSet.list.selectionSet.A.selectionSet.B.selectionSet.C.selectionSet: the fragment definition(s) A, B and C form a cycle',
      ],
    ],
    [
      'before a cycle is not part of it',
      '{ ...A } fragment A on List { ...B } fragment B on List { list { ...B } }',
      ['$.selectionSet.A.selectionSet.B.selectionSet.list.selectionSet: the fragment definition(s) B form a cycle'],
    ],
    ['that is spread twice is accepted', '{ ...A list { ...A } } fragment A on List { id }', []],
    [
      'that does not exist is rejected at its spread',
      '{ list { ... { ...A } } }',
      ['$.selectionSet.list.selectionSet: reference to undefined fragment "A"'],
    ],
    [
      'with an error is rejected at its first spread',
      '{ list { ...A } ...A } fragment A on List { foo }',
      ["$.selectionSet.list.selectionSet.foo: field 'foo' not found in type: 'List'"],
    ],
    [
      'with an error that is not spread is rejected',
      '{ id } fragment A on List { foo }',
      ["$.selectionSet.foo: field 'foo' not found in type: 'List'"],
    ],
    ['on a scalar is rejected', '{ ... on Int { id } }', ['$: Fragment cannot condition on non composite type "Int".']],
  ])('%s', (_rule, query, errors) => {
    expect(inputErrors(query)).toEqual(errors);
  });

  test('in a cycle with an error has the error and the cycle', () => {
    const errors = inputErrors('{ id } fragment A on List { list { ...B } } fragment B on List { list { ...A } foo }');
    expect(errors).toContainEqual(expect.stringContaining('A and B form a cycle'));
    expect(errors).toContainEqual(expect.stringContaining("field 'foo' not found in type: 'List'"));
  });
});

describe('an operation', () => {
  test.each([
    ['has no name of another', 'query A { id } query A { id }', 'There can be only one operation named "A".'],
    [
      'without a name is the only one',
      '{ id } query A { id }',
      'This anonymous operation must be the only defined operation.',
    ],
    ['is not beside a type', '{ id } type A { id: Int }', 'The "A" definition is not executable.'],
  ])('%s', (_rule, query, message) => {
    expect(inputErrors(query)).toEqual([`$: ${message}`]);
  });

  test('has no argument twice', () => {
    expect(inputErrors('{ list(limit: 1, limit: 2) { id } }')).toEqual([
      `$.selectionSet.list.args.limit: There can be only one argument named "limit".`,
    ]);
  });

  test('selects no lists of introspection within each other', () => {
    const nested = '{ fields { type { fields { type { fields { name } } } } } }';
    expect(inputErrors(`{ __type(name: "List") ${nested} }`)[0]).toContain('Maximum introspection depth exceeded');
  });

  test.each([
    ['fragment', '{ ...A } fragment A on List { id } fragment A on List { id }'],
    ['variable', 'query ($v: Int, $v: Int) { list(limit: $v) { id } }'],
  ])('that defines a %s twice is an error of its syntax', (_what, query) => {
    expect(() => readDocument(inputSchema, query)).toThrow(expect.objectContaining({ code: 'parse-failed' }));
  });
});

describe('the errors of a document', () => {
  const withFields = (count: number) => `{ ${Array.from({ length: count }, (_, index) => `f${index}`).join(' ')} }`;

  test('are all errors, if there are twenty', () => {
    expect(inputErrors(withFields(20))).toHaveLength(20);
  });

  test('are the first twenty, and one that reports the limit', () => {
    const errors = inputErrors(withFields(30));
    expect([errors.length, errors.at(-1)]).toEqual([
      21,
      '$: Too many validation errors, error limit reached. Validation aborted.',
    ]);
  });

  test('are one error with the properties of the first', () => {
    expect(() => readDocument(inputSchema, '{ list { foo id @loud } }')).toThrow(
      expect.objectContaining({
        name: 'InvalidDocument',
        code: 'validation-failed',
        path: '$.selectionSet.list.selectionSet.foo',
        message: "field 'foo' not found in type: 'List'",
        missingField: { type: 'List', field: 'foo' },
      }),
    );
  });

  test('name the member that an input object does not have', () => {
    expect(() => readDocument(inputSchema, '{ list(where: {foo: 1}) { id } }')).toThrow(
      expect.objectContaining({ missingField: { type: 'Condition', field: 'foo' } }),
    );
  });
});
