import { RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { planOf, printForward, rootOf } from '../../../test/support/model/planning.ts';
import { remoteModel } from '../../../test/support/model/remote-model.ts';

const role = RoleName.parse('reader');

const upstream = `
  enum Order { OLDEST NEWEST }
  input Range { from: Int to: Int tenant: String }
  input Filter { author: ID! title: String range: Range ranges: [Range!] order: Order tags: [String] }
  input Sealed { tenant: String! page: Int }
  interface Named { posts(tag: String, first: Int!): [Post!]! }
  type User implements Named { id: ID posts(tag: String, first: Int!): [Post!]! }
  type Post { title: String }
  type Query {
    user(id: ID!): User
    named: Named
    find(filter: Filter, filters: [Filter!], other: Range, limit: Int): String
    sealed(by: Sealed, all: [Sealed!]): String
    me(id: Int! admin: Boolean tenants: [Int!]! roles: [[String]] order: Order): String
    again(id: Int!): String
    shared(all: [Sealed!], one: Sealed): String
  }
`;

const permitted = `
  enum Order { OLDEST NEWEST }
  input Range { from: Int to: Int tenant: String @preset(value: "x-service-tenant") }
  input Filter {
    author: ID! @preset(value: "X-Service-User-Id")
    title: String
    range: Range
    ranges: [Range!]
    order: Order
    tags: [String]
  }
  input Sealed { tenant: String! @preset(value: "x-service-tenant") page: Int @preset(value: 3) }
  interface Named { posts(tag: String, first: Int! @preset(value: 2)): [Post!]! }
  type User implements Named { id: ID posts(tag: String, first: Int! @preset(value: 3)): [Post!]! }
  type Post { title: String }
  type Query {
    user(id: ID!): User
    named: Named
    find(filter: Filter, filters: [Filter!], other: Range, limit: Int): String
    sealed: String
    me(
      id: Int! @preset(value: "x-service-user-id")
      admin: Boolean @preset(value: false)
      tenants: [Int!]! @preset(value: "x-service-tenants")
      roles: [[String]] @preset(value: "x-service-roles")
      order: Order
    ): String
    again(id: Int! @preset(value: "x-service-user-id")): String
    shared(
      all: [Sealed!] @preset(value: [{ tenant: "x-service-tenant" }, { tenant: "a", page: 1 }])
      one: Sealed @preset(value: { tenant: "x-service-tenant", page: 2 })
    ): String
  }
`;

const { model, reports } = remoteModel({
  remotes: { blog: { schema: upstream, permissions: { reader: permitted } } },
});

const user = 'joinery_x_service_user_id';
const declaration = '$r: Range, $f: Filter, $fs: [Filter!], $t: String, $o: Order';

/** Returns what is sent for a root field. The declaration of variables contains those that `text` uses. */
function sent(text: string, variables: Readonly<Record<string, unknown>> = {}) {
  const declared = declaration.split(', ').filter((one) => text.includes(`${one.split(':')[0]}`));
  const operation = declared.length > 0 ? `query (${declared.join(', ')}) ${text}` : text;
  return printForward(rootOf({ model, role }, 'remote', operation, variables).forward);
}

test('the permissions are consistent', () => {
  expect(reports).toEqual([]);
});

describe('presets of arguments', () => {
  test('are literals, and variables for session variables, which are named by their types', () => {
    expect(sent('{ me }')).toEqual({
      arguments: [
        `id: $${user}_IntN`,
        'admin: false',
        'tenants: $joinery_x_service_tenants_LIntNN',
        'roles: $joinery_x_service_roles_LLString',
      ],
      selection: undefined,
      variables: [
        `$${user}_IntN: Int!`,
        '$joinery_x_service_tenants_LIntNN: [Int!]!',
        '$joinery_x_service_roles_LLString: [[String]]',
      ],
      session: [
        `${user}_IntN: Int! = x-service-user-id`,
        'joinery_x_service_tenants_LIntNN: [Int!]! = x-service-tenants',
        'joinery_x_service_roles_LLString: [[String]] = x-service-roles',
      ],
    });
  });

  test('follow the arguments of the client', () => {
    expect(sent('{ me(order: NEWEST) }').arguments.slice(0, 2)).toEqual(['order: NEWEST', `id: $${user}_IntN`]);
  });

  test('have the same variables in each field', () => {
    const { roots } = planOf({ model, role }, '{ me again }');
    const variables = roots.flatMap((root) => (root.kind === 'remote' ? printForward(root.forward).variables : []));
    expect(variables.filter((one) => one === `$${user}_IntN: Int!`)).toHaveLength(2);
  });

  test.each([
    ['an object', '{ user(id: 1) { posts(tag: "a") { title } } }', '{ posts(tag: "a", first: 3) { title } }'],
    ['an interface', '{ named { posts { title } } }', '{ posts(first: 2) { title } }'],
    [
      'an object in a fragment on it',
      '{ named { ... on User { posts { title } } } }',
      '{ ... on User { posts(first: 3) { title } } }',
    ],
  ])('apply to fields of %s', (_what, text, selection) => {
    expect(sent(text).selection).toBe(selection);
  });

  test('can be lists and objects that contain session variables', () => {
    const tenant = 'tenant: $joinery_x_service_tenant_StringN';
    expect(sent('{ shared }').arguments).toEqual([
      `all: [{${tenant}}, {tenant: "a", page: 1}]`,
      `one: {${tenant}, page: 2}`,
    ]);
  });

  test('replace an input object of which all members have presets', () => {
    expect(sent('{ sealed }')).toMatchObject({
      arguments: [
        'by: {tenant: $joinery_x_service_tenant_StringN, page: 3}',
        'all: {tenant: $joinery_x_service_tenant_StringN, page: 3}',
      ],
      variables: ['$joinery_x_service_tenant_StringN: String!'],
    });
  });
});

describe('presets of input objects', () => {
  const author = `author: $${user}_IDN`;
  const tenant = 'tenant: $joinery_x_service_tenant_String';

  test.each([
    ['(filter: {title: "a"})', [`filter: {title: "a", ${author}}`]],
    ['(filter: {})', [`filter: {${author}}`]],
    ['(filter: null, limit: 1)', ['filter: null', 'limit: 1']],
    ['(filter: {range: {from: 1}})', [`filter: {range: {from: 1, ${tenant}}, ${author}}`]],
    ['(filter: {ranges: [{}, {to: 2}]})', [`filter: {ranges: [{${tenant}}, {to: 2, ${tenant}}], ${author}}`]],
    ['(filter: {ranges: {}})', [`filter: {ranges: {${tenant}}, ${author}}`]],
    ['(filters: [{}, {title: "a"}])', [`filters: [{${author}}, {title: "a", ${author}}]`]],
    ['(filters: {order: OLDEST})', [`filters: {order: OLDEST, ${author}}`]],
    ['(other: {})', [`other: {${tenant}}`]],
  ])('are added to literals: %s', (args, expected) => {
    expect(sent(`{ find${args} }`).arguments).toEqual(expected);
  });

  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['(filter: $f)', { f: { title: 'a "b"' } }, [`filter: {title: "a \\"b\\"", ${author}}`]],
    [
      '(filter: $f)',
      { f: { order: 'NEWEST', tags: ['x', null] } },
      [`filter: {order: NEWEST, tags: ["x", null], ${author}}`],
    ],
    [
      '(filter: $f)',
      { f: { range: null, ranges: [{ from: 1 }] } },
      [`filter: {range: null, ranges: [{from: 1, ${tenant}}], ${author}}`],
    ],
    ['(filter: $f)', { f: null }, ['filter: null']],
    ['(filters: $fs)', { fs: { title: 'a' } }, [`filters: [{title: "a", ${author}}]`]],
    ['(filters: $fs)', { fs: [{}, { title: 'a' }] }, [`filters: [{${author}}, {title: "a", ${author}}]`]],
    ['(filter: {range: $r})', { r: { to: 2 } }, [`filter: {range: {to: 2, ${tenant}}, ${author}}`]],
  ])('are added to the values of variables, which are sent as literals: %s %j', (args, variables, expected) => {
    const { arguments: written, variables: declared } = sent(`{ find${args} }`, variables);
    expect(written).toEqual(expected);
    expect(declared.filter((one) => !one.startsWith('$joinery_'))).toEqual([]);
  });

  test('leave variables of values without presets as they are', () => {
    expect(sent('{ find(filter: {title: $t, order: $o}) }', { t: 'a', o: 'NEWEST' })).toMatchObject({
      arguments: [`filter: {title: $t, order: $o, ${author}}`],
      variables: ['$t: String', '$o: Order', `$${user}_IDN: ID!`],
    });
  });

  test('are not added to a variable that is not given', () => {
    expect(sent('{ find(filter: $f) }')).toMatchObject({
      arguments: ['filter: $f'],
      variables: ['$f: Filter'],
      session: [],
    });
  });

  test('make a plan valid for one value of the variable', () => {
    const planned = (title: string) =>
      planOf({ model, role }, 'query ($f: Filter) { find(filter: $f) again }', { f: { title } });
    expect(planned('a')).not.toBe(planned('b'));
    expect(planned('a')).toBe(planned('a'));
  });
});
