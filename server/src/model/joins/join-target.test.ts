import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, FieldName } from '@joinery/metadata/names';
import { JoinDefinition } from '@joinery/metadata/schema/relationships';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { addRemoteSchema, columnType, draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import { resolveActions } from '../actions/actions.ts';
import { resolveCustomTypes } from '../actions/custom-types.ts';
import type { Draft } from '../types/draft.ts';
import type { Join, JoinKey, TableFunction } from '../types/table.ts';
import { hasAggregate, type JoinOwner, resolveJoin } from './join-target.ts';

/** An owner whose keys are compared by the name of their type. */
const keys: readonly JoinKey[] = [
  { name: 'id', type: columnType('Int') },
  { name: 'code', type: columnType('String') },
  { name: 'ids', type: columnType('Int[]'), list: true },
  { name: 'others', type: columnType('Int[]'), list: true },
  { name: 'array', type: columnType('Int[]') },
];
const owner: JoinOwner<JoinKey> = {
  noun: 'field',
  keys: new Map(keys.map((key) => [key.name, key])),
  missing: (name) => `no key "${name}"`,
  mismatch: (key, { what, name, type }) => {
    const own = key.list === true ? key.type.element : key.type;
    return own?.name === type.name ? undefined : `${key.name} does not fit ${what} ${name} of type ${type.name}`;
  },
};

interface Shape {
  readonly arguments?: Readonly<Record<string, string>>;
  readonly returnsSet?: boolean;
  readonly exposedAs?: 'query' | 'mutation';
}

/** `arguments`: types by name, with `=` after that of an argument with a default, `session` before that of the session argument. */
function addFunction(draft: Draft, { arguments: list = {}, returnsSet = true, exposedAs = 'query' }: Shape): void {
  const table = draft.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey('public', 'order'));
  if (table === undefined) throw new Error('the draft has no table order');
  const found: TableFunction = {
    source: DEFAULT_SOURCE,
    routine: {
      schema: 'shop',
      name: 'find',
      argumentsType: 'find_args',
      arguments: Object.entries(list).map(([name, text]) => ({
        name,
        field: name,
        type: columnType(text.replace(/^session |=$/g, '')),
        hasDefault: text.endsWith('='),
        from: text.startsWith('session ') ? 'session' : 'caller',
      })),
    },
    table,
    roots: { function: 'find', function_aggregate: 'find_aggregate' },
    connectionRoot: 'find_connection',
    returnsSet,
    exposedAs,
    comment: undefined,
    roles: new Set(),
    inferred: true,
  };
  draft.sources.get(DEFAULT_SOURCE)?.functions.set(relationKey('shop', 'find'), found);
}

function resolve(definition: object, shape: Shape = {}) {
  const argument = (name: string, type: string) => ({ name, type });
  const handled = { output_type: 'Int', handler: 'http://127.0.0.1/' };
  const { draft } = draftOf({
    tables: { order: { id: 'Int', code: 'String' }, 'shop.line': { id: 'Int' } },
    actions: [
      {
        name: 'price',
        definition: { ...handled, type: 'query', arguments: [argument('id', 'Int!'), argument('unit', 'Int!')] },
      },
      { name: 'pay', definition: { ...handled, type: 'mutation' } },
      { name: 'broken', definition: { ...handled, output_type: 'None' } },
    ],
  });
  for (const [name, action] of runAtOnce(resolveActions(draft, runAtOnce(resolveCustomTypes(draft))))) {
    draft.actions.set(name, action);
  }
  const upstream = buildSchema('type Query { parcels(id: Int): [Parcel!]! } type Parcel { weight: Int }');
  addRemoteSchema(draft, 'carrier', upstream);
  addFunction(draft, shape);
  const lost = Metadata.parse({ version: 3, sources: [{ name: 'lost', tables: [] }] });
  const wired: Draft = {
    ...draft,
    input: { ...draft.input, metadata: { ...draft.input.metadata, sources: lost.sources } },
  };
  const problems: string[] = [];
  const join = resolveJoin(wired, FieldName.parse('one'), JoinDefinition.parse(definition), owner, problems);
  return { join, problems };
}

const toTable = (field_mapping: object, more: object = {}) => ({
  to_source: { source: 'default', table: 'order', relationship_type: 'array', field_mapping, ...more },
});
const toFunction = (field_mapping: object, more: object = {}) => {
  const name = { schema: 'shop', name: 'find' };
  return { to_source: { source: 'default', function: name, relationship_type: 'array', field_mapping, ...more } };
};

/** Returns the first words of the target, and its keys. */
function summary(join: Join | undefined): readonly unknown[] {
  return [join?.name, join?.target.kind, join?.keys.map(({ name }) => name)];
}

describe('a relationship to a function', () => {
  test('passes its keys as arguments in the order of its mapping', () => {
    const { join, problems } = resolve(toFunction({ code: 'b', id: 'a' }), { arguments: { a: 'Int', b: 'String' } });
    expect(problems).toEqual([]);
    expect(summary(join)).toEqual(['one', 'function', ['code', 'id']]);
    expect(join?.target).toMatchObject({
      shape: 'array',
      function: { roots: { function: 'find' } },
      passed: ['b', 'a'],
    });
  });

  test('needs no mapping of arguments with a default, nor of those that the service passes', () => {
    const shape = { arguments: { a: 'Int', b: 'Int=', c: 'session json' } };
    expect(resolve(toFunction({ id: 'a' }), shape).problems).toEqual([]);
    expect(resolve(toFunction({}), { arguments: {} }).problems).toEqual([]);
  });

  test.each([
    ['a list, for an array', { ids: 'a' }],
    ['an array', { array: 'a' }],
  ])('passes %s', (_what, mapping) => {
    expect(resolve(toFunction(mapping), { arguments: { a: 'Int[]' } }).problems).toEqual([]);
  });

  test('that returns one row is an object', () => {
    expect(resolve(toFunction({}, { relationship_type: 'object' }), { returnsSet: false }).problems).toEqual([]);
  });

  test.each<[string, object, Shape, readonly string[]]>([
    ['from an unknown key', { none: 'a' }, { arguments: { a: 'Int=' } }, ['field_mapping: no key "none"']],
    [
      'to an unknown argument',
      { id: 'none' },
      { arguments: { a: 'Int=', s: 'session json' } },
      ['field_mapping: function shop.find has no argument "none"; use one of "a"'],
    ],
    [
      'to the session argument',
      { id: 's' },
      { arguments: { s: 'session json' } },
      ['field_mapping: function shop.find has no argument "s"'],
    ],
    [
      'between types that do not fit',
      { code: 'a' },
      { arguments: { a: 'Int' } },
      ['field_mapping: code does not fit argument a of type int4'],
    ],
    [
      'from an array to a single value',
      { array: 'a' },
      { arguments: { a: 'Int' } },
      ['field_mapping: array does not fit argument a of type int4'],
    ],
    [
      'from a list to a single value',
      { ids: 'a' },
      { arguments: { a: 'Int' } },
      ['field_mapping: "ids" is a list, and argument "a" takes a single value'],
    ],
    [
      'without a required argument',
      { id: 'b' },
      { arguments: { a: 'Int', b: 'Int' } },
      ['field_mapping: the function needs its argument "a"; map a field to it'],
    ],
    [
      'that is a mutation',
      {},
      { exposedAs: 'mutation' },
      ['the function is a mutation; the target of a relationship is a query'],
    ],
    [
      'that returns one row, as an array',
      {},
      { returnsSet: false },
      ['the function returns one row; write the type "object"'],
    ],
  ])('%s is rejected', (_what, mapping, shape, problems) => {
    expect(resolve(toFunction(mapping), shape).problems).toEqual(problems);
  });

  test('that is not tracked is rejected', () => {
    expect(resolve(toFunction({}, { function: 'find' }))).toEqual({
      join: undefined,
      problems: ['function "find" is not tracked in source "default", or was dropped; track or fix it first'],
    });
  });
});

describe('a relationship to a table', () => {
  test('may have a list as one part of its key', () => {
    const { join, problems } = resolve(toTable({ ids: 'id', code: 'code' }));
    expect(problems).toEqual([]);
    expect(summary(join)).toEqual(['one', 'table', ['ids', 'code']]);
  });

  test.each([
    [
      'with two lists',
      toTable({ ids: 'id', others: 'id' }),
      ['field_mapping: only one field may be a list, and "ids" and "others" are lists'],
    ],
    ['without a mapping', toTable({}), ['field_mapping must map at least one column']],
    [
      'to a table of another schema',
      toTable({ id: 'id' }, { table: { schema: 'shop', name: 'order' } }),
      ['table "shop.order" is not tracked in source "default", or was dropped; track or fix it first'],
    ],
    [
      'to a source that was dropped',
      toTable({ id: 'id' }, { source: 'lost' }),
      ['table "order" is not tracked in source "lost", or was dropped; track or fix it first'],
    ],
    [
      'to an unknown source',
      toTable({ id: 'id' }, { source: 'none' }),
      ['source "none" does not exist; name a source of the metadata'],
    ],
    [
      'from an unknown key to an unknown column',
      toTable({ none: 'nothing' }),
      ['field_mapping: no key "none"', 'field_mapping: table order has no column "nothing"; use one of "id", "code"'],
    ],
  ])('%s is rejected', (_what, definition, problems) => {
    expect(resolve(definition).problems).toEqual(problems);
  });
});

describe('a relationship to an action', () => {
  test('passes keys and constants, and leaves other arguments to the client', () => {
    const { join, problems } = resolve({ to_action: { action: 'price', arguments: { id: '$id' } } });
    expect(problems).toEqual([]);
    expect(summary(join)).toEqual(['one', 'action', ['id']]);
    expect(join?.target).toMatchObject({
      action: { name: 'price' },
      arguments: { id: { kind: 'key', index: 0 } },
      batch: undefined,
    });
  });

  test('may send several keys in one call', () => {
    const batched = { action: 'price', arguments: { unit: 1 }, batch: { max_size: 7 } };
    expect(resolve({ to_action: batched }).join?.target).toMatchObject({ batch: 7 });
  });

  test.each([
    ['an unknown action', { action: 'none' }, ['action "none" does not exist; add it first']],
    ['a dropped action', { action: 'broken' }, ['action "broken" was dropped or could not be read; fix it first']],
    ['a mutation', { action: 'pay' }, ['action "pay" is a mutation; the target of a relationship is a query']],
    [
      'an unknown argument',
      { action: 'price', arguments: { none: 1 } },
      ['the action "price" has no argument "none"; use one of "id", "unit"'],
    ],
    [
      'an argument of a type that does not fit',
      { action: 'price', arguments: { id: '$code' } },
      ['argument "id" of the action "price": field "code" has type text, which does not fit type Int!'],
    ],
  ])('is rejected for %s', (_what, to_action, problems) => {
    expect(resolve({ to_action }).problems).toEqual(problems);
  });
});

test.each([
  ['rows of a table as an array', toTable({ id: 'id' }), true],
  ['a row of a table', toTable({ id: 'id' }, { relationship_type: 'object' }), false],
  ['rows of a function as an array', toFunction({}), true],
  ['a row of a function', toFunction({}, { relationship_type: 'object' }), false],
  ['the result of an action', { to_action: { action: 'price' } }, false],
  [
    'a list of a remote schema',
    { to_remote_schema: { remote_schema: 'carrier', lhs_fields: [], remote_field: { parcels: { arguments: {} } } } },
    false,
  ],
])('the aggregate of %s: %#', (_what, definition, aggregate) => {
  const { join } = resolve(definition);
  expect(join && hasAggregate(join)).toBe(aggregate);
});
