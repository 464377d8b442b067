import { JoinDefinition } from '@joinery/metadata/schema/relationships';
import { describe, expect, test } from 'vitest';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { argumentProblems, definitionFormat, emptyDefinition, missingChoices } from './definition-draft.ts';

const definitions = [
  {
    to_remote_schema: {
      remote_schema: 'carrier',
      lhs_fields: ['id'],
      remote_field: { parcels: { arguments: { owner: '$id', first: 5 } } },
    },
  },
  { to_action: { action: 'profile', arguments: { id: '$user_id', options: { lang: 'is' } } } },
  { to_action: { action: 'profile', arguments: {}, batch: { max_size: 50 } } },
  {
    to_source: {
      source: 'default',
      table: { schema: 'public', name: 'customer' },
      relationship_type: 'object',
      field_mapping: { customerId: 'id', region: 'region' },
    },
  },
  {
    to_source: {
      source: 'shop',
      function: { schema: 'crm', name: 'orders_of' },
      relationship_type: 'array',
      field_mapping: { id: 'customer' },
    },
  },
];

test.each(definitions)('the form shows a definition and writes it back unchanged: %j', (definition) => {
  expect(JoinDefinition.safeParse(definition).success).toBe(true);
  const draft = definitionFormat.read(definition);
  expect(draft instanceof Unreadable ? draft.reason : definitionFormat.write(draft)).toEqual(definition);
});

test('the keys of a remote field are those that its arguments use', () => {
  const path = [
    { field: 'a', arguments: { one: '$x' } },
    { field: 'b', arguments: { two: ['$y', '$x'] } },
  ];
  const written = definitionFormat.write({ ...emptyDefinition, remoteSchema: 'carrier', path });
  expect(written).toMatchObject({ to_remote_schema: { lhs_fields: ['x', 'y'] } });
});

test.each([
  [[], 'It must be an object.'],
  [{}, 'It must have one member: "to_remote_schema", "to_action" or "to_source".'],
  [{ to_nowhere: {} }, 'There is no target "to_nowhere".'],
  [{ to_action: { action: 'a', other: 1 } }, 'The form has no input for "other".'],
  [{ to_source: { source: 'default', relationship_type: 'object' } }, 'Give either "table" or "function".'],
])('says why the form cannot show %j', (json, reason) => {
  expect(definitionFormat.read(json)).toEqual(new Unreadable(reason));
});

describe('names what is missing', () => {
  test.each([
    [{ kind: 'remote schema' }, { remoteSchema: 'Choose a remote schema.' }],
    [{ kind: 'remote schema', remoteSchema: 'carrier' }, { path: 'Choose a field.' }],
    [{ kind: 'action' }, { action: 'Choose an action.' }],
    [{ kind: 'table' }, { target: 'Choose a table.' }],
    [{ kind: 'function', target: 'f' }, { rows: 'Complete each pair, or remove it.' }],
  ] as const)('%j', (part, missing) => {
    expect(missingChoices({ ...emptyDefinition, ...part })).toEqual(missing);
  });
});

test('finds the arguments that an error of the service is about', () => {
  const message =
    'remote relationship "a": argument "owner" of the remote field "parcels": column "id" has type int4, which does not fit type Boolean; field "city" in argument "place" of the remote field "parcels": 5 is not a value of type String; the remote field "shop" needs the argument "id" of type ID!';
  expect([...argumentProblems(message)]).toEqual([
    ['owner', 'column "id" has type int4, which does not fit type Boolean'],
    ['place.city', '5 is not a value of type String'],
    ['id', 'This argument is required.'],
  ]);
  expect(argumentProblems(undefined).size).toBe(0);
});
