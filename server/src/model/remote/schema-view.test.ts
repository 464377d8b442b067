/** Tests of views: renamed types and fields, permitted parts, and presets. */
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import {
  buildSchema,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { permission, postsBy, upstream, userBy, version } from '../../../test/support/model/permitted-schema.ts';
import { remoteModel } from '../../../test/support/model/remote-model.ts';
import {
  buildView,
  composites,
  holdsPresets,
  isChanged,
  ownNames,
  presetsOf,
  type RemoteNames,
  remoteView,
  upstreamName,
  viewTypeNames,
} from './schema-view.ts';

const sorted = (schema: GraphQLSchema) => printSchema(lexicographicSortSchema(schema));
const sortedSdl = (sdl: string) => sorted(buildSchema(sdl, { assumeValid: true }));

function viewOf(sdl: string, names = ownNames): GraphQLSchema {
  const { permitted, problems } = permission(sdl);
  expect(problems).toEqual([]);
  return buildView(upstream, names, permitted);
}

/** Prefixes types with `My`, and fields of objects and interfaces with `my_`. */
const prefixed: RemoteNames = {
  type: (name) => (/^(?:ID|Int|String|Boolean|Float)$/.test(name) ? name : `My${name}`),
  field: (parent, name) => (parent === 'Query' ? name : `my_${name}`),
};

const described = `
  "A moment." scalar Moment @specifiedBy(url: "https://example.org/moment")
  "A size." enum Size { "Small." S M @deprecated(reason: "use S") }
  "A node." interface Node { "Its id." id: ID! }
  interface Named implements Node { id: ID! name: String }
  "A user." type User implements Node & Named { id: ID! name: String old: Int @deprecated(reason: "gone") }
  "An entry." union Entry = User
  "A filter." input Filter { "Text." text: String = "a" tags: [[String!]!]! = [["b"]] gone: Int @deprecated(reason: "no") inner: Filter size: Size }
  input Key @oneOf { id: ID at: Moment }
  type Query { "Finds." find("By." filter: Filter = { text: "c" }, key: Key, top: Int = 5, last: Int @deprecated(reason: "top")): [[Entry!]]! me: User! at: Moment size: Size }
  type Mutation { touch: Boolean }
  type Alone { id: ID }
`;

describe('a view of everything', () => {
  test('has the parts of the remote schema with descriptions, defaults and deprecations', () => {
    expect(sorted(buildView(buildSchema(described), ownNames))).toBe(sortedSdl(described));
  });

  test('renames types and fields of objects and interfaces, and nothing else', () => {
    const sdl = `
      schema { query: MyQuery }
      scalar MyMoment
      enum MySize { S }
      interface MyNode { my_id: ID! }
      type MyUser implements MyNode { my_id: ID! my_at(to: MyFilter = { size: S }): MyMoment }
      union MyEntry = MyUser
      input MyFilter { size: MySize }
      type MyQuery { find: [MyEntry!]! }
    `;
    const view = buildView(buildSchema(sdl.replaceAll(/My|my_/g, '')), prefixed);
    expect(sorted(view)).toBe(sortedSdl(sdl));
    const typeNames = { Query: 'MyQuery', Size: 'MySize', Entry: 'MyEntry', User: 'MyUser', Node: 'MyNode' };
    expect(Object.fromEntries(viewTypeNames(view))).toEqual({ ...typeNames, Moment: 'MyMoment', Filter: 'MyFilter' });
  });

  test('keeps the functions and the URL of a renamed scalar, and an unchanged scalar itself', () => {
    const schema = buildSchema(described);
    const moment = schema.getType('Moment');
    expect(buildView(schema, ownNames).getType('Moment')).toBe(moment);
    expect(buildView(schema, prefixed).getType('MyMoment')).toMatchObject({
      specifiedByURL: 'https://example.org/moment',
      description: 'A moment.',
    });
  });

  test('knows the upstream names of its types and fields', () => {
    const view = buildView(upstream, prefixed);
    const { MyUser: type } = view.getTypeMap();
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    expect(fields.map((field) => [field.name, upstreamName(field)])).toEqual([
      ['my_id', 'id'],
      ['my_name', 'name'],
      ['my_posts', 'posts'],
    ]);
    expect(type && upstreamName(type)).toBe('User');
  });

  test('has the upstream names if nothing is renamed', () => {
    const named = upstream.getType('User');
    expect(named && upstreamName(named)).toBe('User');
    expect(viewTypeNames(upstream).size).toBe(0);
    expect(viewTypeNames(upstream)).toBe(viewTypeNames(upstream));
  });
});

describe('the view of a permission', () => {
  test('has the permitted types, fields, arguments, values, members and interfaces', () => {
    const sdl = `
      enum Size { S L }
      interface Named { name: String }
      type User implements Named { name: String posts(by: ID = null): [Post!]! }
      type Post { id: ID! size: Size }
      union Entry = User
      input Filter { text: String! tags: [String!] = ["a"] }
      type Query { version: String user(id: ID!): User entries: [Entry!] }
      type Mutation { rename(id: ID!): User }
    `;
    expect(sorted(viewOf(sdl))).toBe(sortedSdl(`${sdl} scalar Moment`));
  });

  test('has no mutation root without a permission on it', () => {
    expect(viewOf(version).getMutationType()).toBeUndefined();
    expect(
      viewOf(`${version} type Mutation { rename(id: ID!): User } type User { name: String }`).getMutationType(),
    ).toBeDefined();
  });

  test('has no query root if the remote schema has none that is permitted', () => {
    expect(buildView(upstream, ownNames, new Map()).getQueryType()).toBeUndefined();
  });
});

describe('presets', () => {
  const filter = 'type User { posts(where: Filter): [Post!]! } type Post { id: ID! }';
  /** The arguments of a field of the view, and the names of its presets. */
  const argumentsOf = (view: GraphQLSchema, type: string, name: string) => {
    const parent = view.getType(type);
    const field = isObjectType(parent) ? parent.getFields()[name] : undefined;
    if (field === undefined) throw new Error(`no field ${name}`);
    return { args: field.args.map((one) => one.name), presets: Object.fromEntries(presetsOf(field)) };
  };

  test('of arguments replace these', () => {
    const view = viewOf(userBy('id: ID! @preset(value: "x-service-id"), top: Int!'));
    expect(argumentsOf(view, 'Query', 'user')).toEqual({
      args: ['top'],
      presets: { id: { kind: 'session', name: 'x-service-id' } },
    });
  });

  test('of input fields replace these', () => {
    const view = viewOf(
      `${version} ${filter} input Filter { text: String! @preset(value: "x-service-id") tags: [String!] }`,
    );
    const type = view.getType('Filter');
    expect(isInputObjectType(type) && Object.keys(type.getFields())).toEqual(['tags']);
    expect(type && [...presetsOf(type).keys()]).toEqual(['text']);
    expect(argumentsOf(view, 'User', 'posts')).toEqual({ args: ['where'], presets: {} });
  });

  test('of all permitted fields of an input object replace the arguments of its type', () => {
    const view = viewOf(`${version} ${filter} input Filter { text: String! @preset(value: "x-service-id") }`);
    expect(argumentsOf(view, 'User', 'posts')).toEqual({
      args: [],
      presets: { where: { kind: 'object', members: new Map([['text', { kind: 'session', name: 'x-service-id' }]]) } },
    });
  });

  test('none for arguments that are not permitted', () => {
    expect(argumentsOf(viewOf(userBy('id: ID!')), 'Query', 'user')).toEqual({ args: ['id'], presets: {} });
  });

  const inputOf = (view: GraphQLSchema, name: string) => view.getType(name) as GraphQLNamedType & GraphQLInputType;

  test.each([
    ['with a preset', 'text: String! @preset(value: "a") size: Size', true],
    ['without a preset', 'text: String! inner: Filter', false],
  ])('are in values of an input object %s', (_what, fields, holds) => {
    const view = viewOf(`${version} ${filter} enum Size { S } input Filter { ${fields} }`);
    expect(holdsPresets(inputOf(view, 'Filter'))).toBe(holds);
    expect(holdsPresets(inputOf(view, 'String'))).toBe(false);
  });

  test('are in values of an input object whose members have presets, also behind cycles', () => {
    const schema = buildSchema(`
      input Outer { self: Outer next: Inner } input Inner { back: Outer text: String flag: Int } type Query { a(o: Outer): Int }
    `);
    const whole = { fields: new Map(), names: new Set<string>(), presets: new Map() };
    const permitted = new Map([
      ['Query', { ...whole, fields: new Map([['a', new Set(['o'])]]) }],
      [
        'Outer',
        {
          ...whole,
          fields: new Map([
            ['self', new Set<string>()],
            ['next', new Set<string>()],
          ]),
        },
      ],
      [
        'Inner',
        {
          ...whole,
          fields: new Map([
            ['back', new Set<string>()],
            ['text', new Set<string>()],
          ]),
          presets: new Map([['text', { kind: 'session', name: 'x-service-a' } as const]]),
        },
      ],
    ]);
    expect(holdsPresets(inputOf(buildView(schema, ownNames, permitted), 'Outer'))).toBe(true);
    expect(holdsPresets(inputOf(schema, 'Outer'))).toBe(false);
  });
});

test.each([
  ['a permission without presets', () => viewOf(userBy('id: ID!')), false],
  ['a preset of an argument', () => viewOf(userBy('id: ID! @preset(value: 1)')), true],
  [
    'a preset of an input object',
    () =>
      viewOf(
        `${postsBy('where: Filter').replace('text: String!', '$& @preset(value: "a") size: Size')} enum Size { S }`,
      ),
    true,
  ],
  ['other names of types', () => buildView(upstream, { ...ownNames, type: prefixed.type }), true],
  ['other names of fields', () => buildView(upstream, { ...ownNames, field: prefixed.field }), true],
  [
    'other names of fields of interfaces',
    () => buildView(upstream, { ...ownNames, field: (parent, name) => (parent === 'Node' ? `my_${name}` : name) }),
    true,
  ],
  ['nothing', () => upstream, false],
])('a view with %s is changed: %#', (_what, view, changed) => {
  expect(isChanged(view())).toBe(changed);
});

describe('a role sees', () => {
  const user = RoleName.parse('user');
  const { model } = remoteModel({ remotes: { blog: { schema: upstream } } });
  const [blog] = model.remoteSchemas.values();
  if (blog === undefined) throw new Error('the model has no remote schema');
  const [own, offered] = [viewOf(version), buildView(upstream, prefixed)];

  test('everything under customized names if permissions are disabled', () => {
    expect(remoteView({ ...blog, permissions: undefined }, user)).toBe(upstream);
    expect(remoteView({ ...blog, permissions: undefined, offered }, user)).toBe(offered);
  });

  test('its own view if permissions are enabled, and nothing without one', () => {
    expect(remoteView({ ...blog, offered, permissions: new Map([[user, own]]) }, user)).toBe(own);
    expect(remoteView({ ...blog, offered, permissions: new Map() }, user)).toBeUndefined();
  });

  test('everything as admin', () => {
    const permissions = new Map([[ADMIN_ROLE, own]]);
    expect(remoteView({ ...blog, offered, permissions }, ADMIN_ROLE)).toBe(offered);
    expect(remoteView({ ...blog, offered: undefined, permissions }, ADMIN_ROLE)).toBe(upstream);
  });
});

test('lists the objects and interfaces of a schema without those of introspection', () => {
  expect(
    composites(upstream)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['Mutation', 'Named', 'Node', 'Post', 'Query', 'Subscription', 'User']);
});
