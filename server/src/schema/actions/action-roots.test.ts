import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { type GraphQLObjectType, GraphQLSchema, printType, validateSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { type DraftParts, draftOf } from '../../../test/support/model/draft.ts';
import { unlimited } from '../../../test/support/model/model-defaults.ts';
import { runAtOnce } from '../../base/steps.ts';
import { resolveActions } from '../../model/actions/actions.ts';
import { resolveCustomTypes } from '../../model/actions/custom-types.ts';
import { resolveOutputJoins } from '../../model/joins/action-joins.ts';
import type { Model } from '../../model/model.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import { bindingOf } from '../binding.ts';
import { roleSchema } from '../role-schema.ts';

const user = RoleName.parse('user');
const stranger = RoleName.parse('stranger');

const tables = {
  customer: { id: 'Int', name: 'String' },
  line: { order_id: 'Int', qty: 'Int' },
  secret: { id: 'Int' },
};

const custom_types = {
  scalars: [{ name: 'cents', description: 'Whole cents' }],
  enums: [
    {
      name: 'size',
      description: 'The size',
      values: [
        { value: 'S', description: 'small' },
        { value: 'XL', is_deprecated: true },
      ],
    },
  ],
  input_objects: [
    {
      name: 'LineInput',
      description: 'One line',
      fields: [
        { name: 'sku', type: 'uuid!', description: 'Which' },
        { name: 'size', type: 'size' },
        { name: 'with', type: '[LineInput!]' },
      ],
    },
  ],
  objects: [
    {
      name: 'Placed',
      description: 'The result',
      fields: [
        { name: 'id', type: 'Int!', description: 'Number' },
        { name: 'total', type: 'cents' },
        { name: 'size', type: 'size!' },
        { name: 'previous', type: '[Placed!]' },
      ],
      relationships: [
        { name: 'customer', type: 'object', remote_table: 'customer', field_mapping: { id: 'id' } },
        { name: 'lines', type: 'array', remote_table: 'line', field_mapping: { id: 'order_id' } },
        { name: 'secrets', type: 'array', remote_table: 'secret', field_mapping: { id: 'id' } },
      ],
    },
  ],
};

const place = {
  name: 'place',
  comment: 'Places an order',
  permissions: [{ role: 'user' }],
  definition: {
    arguments: [
      { name: 'lines', type: '[LineInput!]!', description: 'At least one' },
      { name: 'note', type: 'String' },
    ],
    output_type: 'Placed',
    handler: 'http://h',
  },
};
const find = { name: 'find', definition: { type: 'query', output_type: '[Placed!]!', handler: 'http://h' } };
const count = {
  name: 'count',
  permissions: [{ role: 'user' }],
  definition: { ...find.definition, output_type: 'Int!' },
};

function modelOf(parts: DraftParts): Model {
  const { draft, reports } = draftOf(parts);
  const types = runAtOnce(resolveCustomTypes(draft));
  const actions = runAtOnce(resolveActions(draft, types));
  const outputJoins = runAtOnce(resolveOutputJoins(draft, types.objects));
  for (const source of draft.sources.values()) {
    for (const table of source.tables.values()) {
      if (table.name === 'secret') continue;
      table.selectAccess.set(user, {
        columns: new Set(table.columns.values()),
        filter: everyRow,
        limit: undefined,
        aggregations: table.name === 'line',
        queryRoots: new Set(),
        subscriptionRoots: new Set(),
      });
    }
  }
  const { sources, remoteSchemas } = draft;
  const roles = new Set([user]);
  return { version: 1, sources, actions, outputJoins, remoteSchemas, roles, ...unlimited, inconsistencies: reports };
}

const model = modelOf({ tables, custom_types, actions: [place, find, count] });
const schemaOf = (role: RoleName): GraphQLSchema => roleSchema(model, role).schema;

function printed(role: RoleName, name: string): string | undefined {
  const type = schemaOf(role).getType(name);
  return type && printType(type);
}

describe('an action in the schema of a role', () => {
  test('exists only for admin and for roles with its permission', () => {
    const fieldsOf = (role: RoleName) => {
      const schema = schemaOf(role);
      const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
      return ['place', 'find', 'count'].filter((name) => name in fields);
    };
    expect(fieldsOf(ADMIN_ROLE)).toEqual(['place', 'find', 'count']);
    expect(fieldsOf(user)).toEqual(['place', 'count']);
    expect(fieldsOf(stranger)).toEqual([]);
  });

  test('is a field of the mutation or query root, with arguments, type, descriptions and binding', () => {
    expect(printed(user, 'mutation_root')).toBe(
      [
        '"""mutation root"""',
        'type mutation_root {',
        '  """Places an order"""',
        '  place(',
        '    """At least one"""',
        '    lines: [LineInput!]!',
        '    note: String',
        '  ): Placed',
        '}',
      ].join('\n'),
    );
    expect(printed(ADMIN_ROLE, 'query_root')).toContain('  find: [Placed!]!\n  count: Int!');
    const field = schemaOf(user).getMutationType()?.getFields().place;
    expect(field && bindingOf(field)).toMatchObject({ kind: 'action', action: { name: 'place' } });
  });

  test('adds its input objects, enums and scalars', () => {
    expect(printed(user, 'LineInput')).toBe(
      [
        '"""One line"""',
        'input LineInput {',
        '  """Which"""',
        '  sku: uuid!',
        '  size: size',
        '  with: [LineInput!]',
        '}',
      ].join('\n'),
    );
    expect(printed(user, 'size')).toBe(
      ['"""The size"""', 'enum size {', '  """small"""', '  S', '  XL @deprecated', '}'].join('\n'),
    );
    expect(printed(user, 'cents')).toBe('"""Whole cents"""\nscalar cents');
  });

  test('has relationships to the tables that the role may select from, with all arguments on lists', () => {
    expect(printed(user, 'Placed')).toMatch(/previous: \[Placed!\]\n {2}customer: customer\n {2}lines\(/);
    const fields = Object.entries((schemaOf(user).getType('Placed') as GraphQLObjectType).getFields()).map(
      ([name, field]) => `${name}(${field.args.map((argument) => argument.name).join(', ')}): ${field.type}`,
    );
    const listArguments = 'distinct_on, limit, offset, order_by, where';
    expect(
      fields.map((line) => line.replace(/\((.*)\)/, (_all, names) => `(${names.split(', ').sort().join(', ')})`)),
    ).toEqual([
      'id(): Int!',
      'total(): cents',
      'size(): size!',
      'previous(): [Placed!]',
      'customer(): customer',
      `lines(${listArguments}): [line!]!`,
      `lines_aggregate(${listArguments}): line_aggregate!`,
    ]);
  });

  test('has no aggregate if the role may not aggregate, and all relationships for admin', () => {
    expect(printed(ADMIN_ROLE, 'Placed')).toContain('secrets_aggregate');
    expect(printed(user, 'Placed')).not.toContain('secrets');
  });

  test('is part of a valid schema', () => {
    for (const role of [ADMIN_ROLE, user, stranger]) {
      const checked = new GraphQLSchema({ ...schemaOf(role).toConfig(), assumeValid: false });
      expect(validateSchema(checked)).toEqual([]);
    }
  });
});
