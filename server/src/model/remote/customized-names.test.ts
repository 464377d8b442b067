/** Tests of the customization of names of a remote schema, and of its errors. */
import { RemoteSchemaCustomization } from '@joinery/metadata/schema/remote-schemas';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { customizationError, remoteNames, remoteNamespace } from './customized-names.ts';
import { ownNames } from './schema-view.ts';

const upstream = buildSchema(`
  enum Size { S M }
  interface Thing { id: ID! name: String }
  type Box implements Thing { id: ID! name: String size: Size }
  type Letter implements Thing { id: ID! name: String pages: Int }
  input Filter { size: Size }
  type Query { thing(filter: Filter): Thing box: Box }
  type Mutation { rename: Thing }
  type Subscription { changed: Thing }
`);

const customization = (written: unknown) => RemoteSchemaCustomization.nullish().parse(written);
const namesOf = (written: unknown) => remoteNames(customization(written), upstream);

describe('the names', () => {
  test.each([
    undefined,
    null,
    {},
    { root_fields_namespace: 'store' },
    { type_names: null, field_names: null },
    { field_names: [] },
  ])('are the own ones with the customization %j', (written) => {
    expect(namesOf(written)).toBeUndefined();
  });

  const types = ['Box', 'Letter', 'Query', 'Mutation', 'Subscription', 'ID', 'Int', '__Type'];
  test.each([
    ['a prefix', { prefix: 'A_' }, ['A_Box', 'A_Letter']],
    ['a suffix', { suffix: '_Z' }, ['Box_Z', 'Letter_Z']],
    ['a prefix and a suffix', { prefix: 'A_', suffix: '_Z' }, ['A_Box_Z', 'A_Letter_Z']],
    ['a mapping', { mapping: { Box: 'Crate' } }, ['Crate', 'Letter']],
    ['a mapping in place of affixes', { prefix: 'A_', mapping: { Box: 'Crate' } }, ['Crate', 'A_Letter']],
    ['nothing', { prefix: null, suffix: null, mapping: null }, ['Box', 'Letter']],
  ])('of types have %s, except those of root types and built-in types', (_what, type_names, renamed) => {
    const names = namesOf({ type_names });
    expect(types.map((name) => names?.type(name))).toEqual([...renamed, ...types.slice(2)]);
  });

  test('of root types and built-in scalars change by a mapping', () => {
    const names = namesOf({ type_names: { prefix: 'A_', mapping: { Query: 'Root', ID: 'Key', Mutation: 'Writes' } } });
    expect(['Query', 'Mutation', 'ID', 'Int'].map((name) => names?.type(name))).toEqual([
      'Root',
      'Writes',
      'Key',
      'Int',
    ]);
  });

  test('of root types have the affixes in a namespace, whose client sees other root types', () => {
    const names = namesOf({ root_fields_namespace: 'store', type_names: { prefix: 'A_' } });
    expect(['Query', 'Mutation', 'Subscription', 'Int'].map((name) => names?.type(name))).toEqual([
      'A_Query',
      'A_Mutation',
      'A_Subscription',
      'Int',
    ]);
  });

  test('of fields change by type', () => {
    const names = namesOf({
      field_names: [
        { parent_type: 'Box', prefix: 'my_', suffix: '_too', mapping: { id: 'key' } },
        { parent_type: 'Query', mapping: { thing: 'item' } },
      ],
    });
    const fields = [
      ['Box', 'id'],
      ['Box', 'name'],
      ['Letter', 'id'],
      ['Query', 'thing'],
      ['Query', 'box'],
    ] as const;
    expect(fields.map(([parent, name]) => names?.field(parent, name))).toEqual([
      'key',
      'my_name_too',
      'id',
      'item',
      'box',
    ]);
    expect(names?.type('Box')).toBe('Box');
  });

  test('of fields are the own ones if only types change', () => {
    expect(namesOf({ type_names: { prefix: 'A_' } })?.field('Box', 'id')).toBe('id');
  });

  test('that are members of every object in JavaScript are not mapped', () => {
    const names = namesOf({ type_names: { mapping: {} } });
    expect(names?.type('constructor')).toBe('constructor');
  });
});

describe('the namespace', () => {
  const queriesOnly = buildSchema('schema { query: Root } type Root { a: Int }');
  test.each([
    ['its name and those of the root types', { root_fields_namespace: 'store' }, ['storeQuery', 'storeMutation']],
    [
      'a prefix without effect',
      { root_fields_namespace: 'store', type_names: { prefix: 'A_' } },
      ['storeQuery', 'storeMutation'],
    ],
    [
      'the mapping of the root types',
      { root_fields_namespace: 'store', type_names: { mapping: { Query: 'Shop' } } },
      ['Shop', 'storeMutation'],
    ],
  ])('names its types by %s', (_what, written, [query, mutation]) => {
    expect(remoteNamespace(customization(written), upstream)).toEqual({ name: 'store', types: { query, mutation } });
  });

  test('names its types by the root types that the remote schema has', () => {
    expect(remoteNamespace(customization({ root_fields_namespace: 'store' }), queriesOnly)).toEqual({
      name: 'store',
      types: { query: 'storeRoot', mutation: 'storeMutation' },
    });
    const mutationsOnly = buildSchema('schema { mutation: M } type M { a: Int }');
    expect(remoteNamespace(customization({ root_fields_namespace: 'store' }), mutationsOnly)?.types).toEqual({
      query: 'storeQuery',
      mutation: 'storeM',
    });
  });

  test.each([undefined, null, {}, { root_fields_namespace: null }, { type_names: { prefix: 'A_' } }])(
    'does not exist with the customization %j',
    (written) => {
      expect(remoteNamespace(customization(written), upstream)).toBeUndefined();
    },
  );
});

describe('the error of a customization', () => {
  const errorOf = (written: unknown) => {
    const read = customization(written);
    return customizationError(upstream, remoteNames(read, upstream) ?? ownNames, read);
  };
  test.each([
    [
      'of types with the same name',
      { type_names: { mapping: { Box: 'Foo', Letter: 'Foo', Size: 'Filter' } } },
      'Type name mappings are not distinct; the following types appear more than once: "Foo", "Filter"',
    ],
    [
      'of fields with the same name',
      { field_names: [{ parent_type: 'Box', mapping: { size: 'name' } }] },
      'Field name mappings for object type "Box" are not distinct; the following fields appear more than once: "name"',
    ],
    [
      'of fields that differ from those of the interface',
      { field_names: [{ parent_type: 'Box', mapping: { name: 'label' } }] },
      'Remote schema customization inconsistency: field name mapping for field "name" of interface "Thing" is inconsistent with mapping for type "Box". Interface field name maps to "name". Type field name maps to "label".',
    ],
  ])('%s is remote-schema-error', (_what, written, reason) => {
    expect(errorOf(written)).toEqual({ code: 'remote-schema-error', reason });
  });

  test.each([
    ['begins with a digit', { prefix: '1' }, /^"1\w+" is not a valid name of a GraphQL type; choose another prefix$/],
    ['is reserved', { prefix: '__' }, /^"__\w+" is not a valid name/],
    ['has another character', { suffix: '-' }, /^"\w+-" is not a valid name/],
    ['begins with another character', { prefix: '-' }, /^"-\w+" is not a valid name/],
  ])('of a type whose name %s is remote-schema-error', (_what, type_names, reason) => {
    const names = remoteNames({ type_names }, upstream) ?? ownNames;
    expect(customizationError(upstream, names, { type_names })).toEqual({
      code: 'remote-schema-error',
      reason: expect.stringMatching(reason),
    });
  });

  test('of __typename is invalid-params', () => {
    const renamed = { parent_type: 'Letter', mapping: { __typename: 'kind' } };
    const other = { parent_type: 'Box', prefix: null };
    expect(errorOf({ field_names: [other, renamed] })).toEqual({
      code: 'invalid-params',
      reason: 'attempt to customize reserved field name "__typename"',
    });
  });

  const same = { prefix: 'my_' };
  test.each([
    undefined,
    { type_names: { prefix: 'A', suffix: '_9' } },
    { type_names: { prefix: '_' } },
    { field_names: ['Thing', 'Box', 'Letter'].map((parent_type) => ({ parent_type, ...same })) },
    { field_names: [{ parent_type: 'Box', mapping: { size: 'width' } }] },
  ])('does not exist with the customization %j', (written) => {
    expect(errorOf(written)).toBeUndefined();
  });
});
