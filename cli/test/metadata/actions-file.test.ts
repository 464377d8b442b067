/** Tests that the actions of the metadata are read from `actions.graphql` and `actions.yaml` together. */
import { exportMetadata } from '@joinery/metadata/document/export';
import { Metadata } from '@joinery/metadata/metadata';
import { expect, test } from 'vitest';
import { joinActions } from '../../src/project/actions-file.ts';

const sdl = `
type Query {
  "finds things"
  find(by: By! = { text: "x" }, size: Size = M, most: Int = 5 @deprecated(reason: "use by")): [Thing!]
}
interface Named { name: String! }
union Thing = Book | Film
type Book implements Named { name: String! ids: [Int!] isbn: String @deprecated }
type Film implements Named { name: String! }
input By { text: String! deep: Boolean = false }
enum Size { S @deprecated M L @deprecated(reason: "too large") }
`;

const found = {
  name: 'found',
  definition: { to_action: { action: 'find', arguments: { by: { text: '$name' } }, batch: { max_size: 5 } } },
};
const authors = {
  name: 'authors',
  definition: {
    to_source: {
      source: 'default',
      table: { schema: 'public', name: 'author' },
      relationship_type: 'array',
      field_mapping: { ids: 'id' },
    },
  },
};
const written = {
  actions: [{ name: 'find', definition: { handler: 'http://127.0.0.1/find' } }],
  custom_types: { objects: [{ name: 'Book', relationships: [found, authors] }] },
};

test('reads defaults, deprecations, interfaces and unions from the SDL, and relationships of every form from the YAML', () => {
  const joined = joinActions(written, sdl, 'metadata').metadata;
  const { actions, custom_types } = exportMetadata(
    Metadata.parse({ version: 3, sources: [], ...joined }),
  ) as unknown as { actions: { definition: object }[]; custom_types: object };
  expect(actions[0]?.definition).toMatchObject({
    type: 'query',
    arguments: [
      { name: 'by', type: 'By!', default_value: { text: 'x' } },
      { name: 'size', type: 'Size', default_value: 'M' },
      { name: 'most', type: 'Int', default_value: 5, deprecation_reason: 'use by' },
    ],
  });
  expect(custom_types).toEqual({
    input_objects: [
      {
        name: 'By',
        fields: [
          { name: 'text', type: 'String!' },
          { name: 'deep', type: 'Boolean', default_value: false },
        ],
      },
    ],
    objects: [
      {
        name: 'Book',
        implements: ['Named'],
        fields: [
          { name: 'name', type: 'String!' },
          { name: 'ids', type: '[Int!]' },
          { name: 'isbn', type: 'String', deprecation_reason: 'No longer supported' },
        ],
        relationships: [found, authors],
      },
      { name: 'Film', implements: ['Named'], fields: [{ name: 'name', type: 'String!' }] },
    ],
    interfaces: [{ name: 'Named', fields: [{ name: 'name', type: 'String!' }] }],
    unions: [{ name: 'Thing', types: ['Book', 'Film'] }],
    enums: [
      {
        name: 'Size',
        values: [{ value: 'S', is_deprecated: true }, { value: 'M' }, { value: 'L', deprecation_reason: 'too large' }],
      },
    ],
  });
});
