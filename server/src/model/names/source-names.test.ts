/** Tests of the customization of names of a source. */
import { SourceCustomization } from '@joinery/metadata/schema/sources';
import { expect, test } from 'vitest';
import { cursorOrderingName, customRoots, namespaceTypes, sourceNames, typeName, whyNoNames } from './source-names.ts';

const namesOf = (written: unknown, convention?: 'graphql-default') =>
  sourceNames(SourceCustomization.nullish().parse(written), convention);

test.each([undefined, null, {}, { root_fields: null, type_names: null }, { root_fields: {}, type_names: {} }])(
  'are those of the database with the customization %j',
  (written) => {
    const { root, ...names } = namesOf(written);
    expect([names, root('author_by_pk')]).toEqual([
      { namespace: undefined, typePrefix: '', typeSuffix: '' },
      'author_by_pk',
    ]);
  },
);

test('have the namespace, prefixes and suffixes of the customization', () => {
  const names = namesOf({
    root_fields: { namespace: 'shop', prefix: 'a_', suffix: '_z' },
    type_names: { prefix: 'B_', suffix: '_Y' },
  });
  expect(names).toMatchObject({ namespace: 'shop', typePrefix: 'B_', typeSuffix: '_Y' });
  expect(names.root('author')).toBe('a_author_z');
  expect(customRoots({ select: 'author', insert: 'insert_author' }, names)).toEqual({
    select: 'a_author_z',
    insert: 'a_insert_author_z',
  });
});

test.each([
  ['a_', 'a_Author'],
  ['', 'author'],
])('of root fields begin with an upper-case letter after the prefix "%s" in graphql-default: %s', (prefix, name) => {
  expect(namesOf({ root_fields: { prefix }, naming_convention: 'graphql-default' }).root('author')).toBe(name);
});

test.each([
  [null, undefined, undefined],
  [null, 'graphql-default', 'graphql-default'],
  ['graphql-default', undefined, 'graphql-default'],
  ['hasura-default', 'graphql-default', undefined],
  ['other', 'graphql-default', undefined],
] as const)(
  'with the convention %s of the source and %s of the service, they have %s',
  (own, byDefault, convention) => {
    expect(namesOf({ naming_convention: own }, byDefault).convention).toBe(convention);
  },
);

test.each([
  [undefined, undefined],
  [null, undefined],
  ['hasura-default', undefined],
  ['graphql-default', undefined],
  ['other', 'naming_convention "other" is not known; give hasura-default or graphql-default'],
])('the convention %s has the error %s', (naming_convention, reason) => {
  expect(whyNoNames(naming_convention === undefined ? undefined : ({ naming_convention } as SourceCustomization))).toBe(
    reason,
  );
});

test.each([
  [{ graphqlName: 'author' }, '', 'author'],
  [{ graphqlName: 'author' }, '_bool_exp', 'author_bool_exp'],
  [{ graphqlName: 'author', typeSuffix: '_X' }, '_bool_exp', 'author_bool_exp_X'],
  [{ graphqlName: 'Author', convention: 'graphql-default' } as const, '_bool_exp', 'AuthorBoolExp'],
  [{ graphqlName: 'author', typeNames: { _bool_exp: 'Rule' } }, '_bool_exp', 'Rule'],
  [{ graphqlName: 'author', typeNames: { _bool_exp: 'Rule' } }, '_order_by', 'author_order_by'],
])('the type of %j with "%s" is %s', (table, rest, name) => {
  expect(typeName(table, rest)).toBe(name);
});

test('the type of a table itself has its name and suffix', () => {
  expect(typeName({ graphqlName: 'author', typeSuffix: '_X' })).toBe('author_X');
});

test.each([
  [{}, undefined, 'cursor_ordering'],
  [{ type_names: { prefix: 'A_', suffix: '_Z' } }, undefined, 'A_cursor_ordering_Z'],
  [{ type_names: { prefix: 'A_' } }, 'graphql-default', 'A_CursorOrdering'],
] as const)('the enum of directions with %j in %s is %s', (written, convention, name) => {
  expect(cursorOrderingName(namesOf(written, convention))).toBe(name);
});

test('the enum of directions is cursor_ordering without names of a source', () => {
  expect(cursorOrderingName()).toBe('cursor_ordering');
});

test('the types of a namespace have the prefix and suffix of types', () => {
  expect(namespaceTypes('shop', { typePrefix: 'A_', typeSuffix: '_Z' })).toEqual({
    query: 'A_shop_query_Z',
    mutation: 'A_shop_mutation_frontend_Z',
    backendMutation: 'A_shop_mutation_backend_Z',
    subscription: 'A_shop_subscription_Z',
  });
});
