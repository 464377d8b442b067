/** Tests of the fields of a relationship in the remote schema, and in the view of a role. */
import { buildSchema, type GraphQLSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { permission, upstream, userBy, version } from '../../../test/support/model/permitted-schema.ts';
import type { RemoteStep, RemoteTemplate } from '../types/table.ts';
import { fieldsOn, viewFieldsOn } from './remote-schemas.ts';
import { buildView, ownNames } from './schema-view.ts';

const key: RemoteTemplate = { kind: 'key', index: 0 };
const constant: RemoteTemplate = { kind: 'constant', value: 'a' };
const object = (fields: Readonly<Record<string, RemoteTemplate>>): RemoteTemplate => ({ kind: 'object', fields });
const list = (...items: RemoteTemplate[]): RemoteTemplate => ({ kind: 'list', items });
const step = (field: string, args: Readonly<Record<string, RemoteTemplate>> = {}): RemoteStep => ({
  field,
  arguments: args,
});

function viewOf(sdl: string, names = ownNames): GraphQLSchema {
  const { permitted, problems } = permission(sdl);
  expect(problems).toEqual([]);
  return buildView(upstream, names, permitted);
}

const namesOf = (view: GraphQLSchema, path: readonly RemoteStep[]) => viewFieldsOn(view, path)?.map(({ name }) => name);

describe('the fields of a relationship in a view', () => {
  const path = [step('user', { id: key }), step('posts', { where: object({ text: constant }) }), step('at')];
  const whole = `type Query { user(id: ID!): User } type User { posts(where: Filter): [Post!]! }
    type Post { id: ID! at: Moment } scalar Moment input Filter { text: String! }`;

  test('are those of its path', () => {
    expect(namesOf(upstream, path)).toEqual(['user', 'posts', 'at']);
    expect(namesOf(viewOf(whole), path)).toEqual(['user', 'posts', 'at']);
    expect(namesOf(upstream, [])).toEqual([]);
  });

  test('have the names of the view', () => {
    const view = viewOf(whole, { ...ownNames, field: (_parent, name) => `my_${name}` });
    expect(namesOf(view, path)).toEqual(['my_user', 'my_posts', 'my_at']);
  });

  test.each([
    ['a field of the query root', version, path],
    ['a later field', userBy('id: ID!'), path],
    ['an argument', whole.replace('(where: Filter)', '').replace(/input .*/, ''), path],
    [
      'a member of an argument',
      whole,
      [step('user', { id: key }), step('posts', { where: object({ size: constant }) })],
    ],
    ['a preset argument', whole.replace('id: ID!)', 'id: ID! @preset(value: 1))'), path],
    ['a field below a scalar', whole, [...path, step('id')]],
  ])('do not exist without a permission on %s', (_what, sdl, steps) => {
    expect(viewFieldsOn(viewOf(sdl), steps)).toBeUndefined();
  });

  test('exist below interfaces', () => {
    const schema = buildSchema(
      'interface Node { id: ID } type Box implements Node { id: ID } type Query { node: Node }',
    );
    expect(namesOf(schema, [step('node'), step('id')])).toEqual(['node', 'id']);
  });
});

describe('arguments of a relationship', () => {
  const view = buildView(
    buildSchema(`
      scalar Moment
      input Part { text: String fixed: String }
      input Open { text: String }
      type Query { a(part: Part, parts: [Part!], open: Open, opens: [[Open]], at: Moment, text: String): Int }
    `),
    ownNames,
    new Map(
      Object.entries({
        Query: { a: ['part', 'parts', 'open', 'opens', 'at', 'text'] },
        Part: { text: [], fixed: [] },
        Open: { text: [] },
      }).map(([type, fields]) => [
        type,
        {
          fields: new Map(Object.entries(fields).map(([name, args]) => [name, new Set<string>(args)])),
          presets: new Map(type === 'Part' ? [['fixed', { kind: 'session', name: 'x-service-a' } as const]] : []),
          names: new Set<string>(),
        },
      ]),
    ),
  );

  test.each<[string, RemoteTemplate]>([
    ['text', key],
    ['text', constant],
    ['at', object({ any: key })],
    ['open', key],
    ['open', object({ text: key })],
    ['opens', key],
    ['opens', object({ text: key })],
    ['opens', list(list(key), object({ text: constant }))],
    ['part', object({ text: key })],
    ['parts', list(object({ text: key }))],
    ['parts', object({ text: constant })],
  ])('may set %s by %j', (name, template) => {
    expect(namesOf(view, [step('a', { [name]: template })])).toEqual(['a']);
  });

  test.each<[string, RemoteTemplate]>([
    ['part', key],
    ['parts', key],
    ['parts', list(key)],
    ['part', object({ fixed: constant })],
    ['part', object({ text: key, fixed: key })],
    ['part', object({ fixed: key, text: key })],
    ['parts', list(object({ text: key }), object({ fixed: key }))],
    ['parts', list(object({ fixed: key }), object({ text: key }))],
    ['parts', object({ fixed: key })],
    ['opens', list(list(object({ other: key })))],
    ['none', key],
  ])('may not set %s by %j, which would replace a preset or is not permitted', (name, template) => {
    expect(viewFieldsOn(view, [step('a', { text: key, [name]: template })])).toBeUndefined();
  });
});

describe('the fields of a relationship in the remote schema', () => {
  test('are those of its path', () => {
    expect(fieldsOn(upstream, [step('user'), step('posts'), step('at')]).map(({ name }) => name)).toEqual([
      'user',
      'posts',
      'at',
    ]);
  });

  test('exist below interfaces', () => {
    const schema = buildSchema('interface Node { id: ID } type Query { node: Node }');
    expect(fieldsOn(schema, [step('node'), step('id')]).map(({ name }) => name)).toEqual(['node', 'id']);
  });

  test.each([
    ['no field "none" in type Query', [step('none')]],
    ['no field "none" in type Moment', [step('user'), step('posts'), step('at'), step('none')]],
  ])('must exist: %s', (message, path) => {
    expect(() => fieldsOn(upstream, path)).toThrow(new TypeError(message));
  });

  test('must have a query root', () => {
    expect(() => fieldsOn(buildSchema('type Mutation { a: Int }'), [step('a')])).toThrow(
      new TypeError('no field "a" in type undefined'),
    );
  });
});
