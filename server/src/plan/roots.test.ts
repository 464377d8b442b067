import { ActionName, ADMIN_ROLE, FieldName, TypeName } from '@joinery/metadata/names';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { errorsOf, planOf } from '../../test/support/model/planning.ts';
import { remoteModel } from '../../test/support/model/remote-model.ts';
import { modelFixture, stranger, user } from '../../test/support/model/sample-model.ts';
import { RawJson } from '../base/json-value.ts';
import type { Action, InputObject } from '../model/types/action.ts';
import { roleSchema } from '../schema/role-schema.ts';
import { planOperation, prepare } from './operation.ts';

const { model } = modelFixture();
const request = { model, role: user };

describe('root fields', () => {
  test('are planned in the order of the document, and merged by response key', () => {
    const { roots } = planOf(
      request,
      '{ b: author { id } ...F a: article { id } } fragment F on query_root { b: author { name } motto }',
    );
    expect(roots.map(({ kind, alias }) => [kind, alias])).toEqual([
      ['rows', 'b'],
      ['remote', 'motto'],
      ['rows', 'a'],
    ]);
    expect(roots[0]).toMatchObject({ rows: { fields: [{ alias: 'id' }, { alias: 'name' }] } });
  });

  test('with one response key must be equal', () => {
    expect(errorsOf(request, '{ a: author { id } a: article { id } }')).toEqual([
      "$.selectionSet.author: selection of both 'author' and 'article' specify the same response name, 'a'; give one of them an alias",
    ]);
    expect(errorsOf(request, '{ author(limit: 1, offset: 2) { id } author(offset: 2, limit: 1) { name } }')).toEqual(
      [],
    );
    expect(errorsOf(request, '{ author(limit: 1) { id } author { name } }')).toEqual([
      "$.selectionSet.author: inconsistent arguments between multiple selections of field 'author'; give one of them an alias",
    ]);
  });

  test('that are skipped are not planned', () => {
    expect(planOf(request, '{ author @skip(if: true) { id } }').roots).toEqual([]);
  });

  test('can be __typename, or the placeholder of an empty root', () => {
    expect(planOf(request, '{ t: __typename }').roots).toEqual([{ kind: 'constant', alias: 't', value: 'query_root' }]);
    const empty = { model: { ...model, remoteSchemas: new Map() }, role: stranger };
    expect(planOf(empty, '{ no_queries_available }').roots).toMatchObject([
      { kind: 'constant', value: expect.stringContaining('no queries available to the current role') },
    ]);
  });

  test('of remote schemas are forwarded', () => {
    expect(planOf(request, '{ motto }').roots).toMatchObject([
      { kind: 'remote', forward: { remote: { name: 'people' }, field: 'motto', selection: undefined } },
    ]);
  });
});

describe('the fields of a namespace', () => {
  const { model: spaced } = remoteModel({
    remotes: {
      blog: {
        schema: 'type Query { words: String count: Int }',
        definition: { url: 'http://127.0.0.1/', customization: { root_fields_namespace: 'blog' } },
      },
    },
  });
  const roots = (query: string) => planOf({ model: spaced, role: ADMIN_ROLE }, query).roots;

  test('are roots of the operation with its response key', () => {
    expect(roots('{ b: blog { words n: count } blog { __typename } }')).toMatchObject([
      { kind: 'remote', alias: 'words', namespace: 'b', forward: { field: 'words' } },
      { kind: 'remote', alias: 'n', namespace: 'b' },
      { kind: 'constant', alias: '__typename', namespace: 'blog', value: 'blogQuery' },
    ]);
  });

  test('are an empty object if all of them are skipped', () => {
    expect(roots('{ b: blog { words @skip(if: true) } }')).toEqual([{ kind: 'constant', alias: 'b', value: {} }]);
  });
});

describe('introspection', () => {
  const introspection = (query: string, variables?: Readonly<Record<string, unknown>>): unknown => {
    const [root] = planOf(request, query, variables).roots;
    if (root?.kind !== 'constant' || !(root.value instanceof RawJson)) throw new Error('expected JSON text');
    return JSON.parse(root.value.text);
  };

  test('contains the types and fields of the role, sorted by name', () => {
    expect(introspection('{ __type(name: "author_order_by") { kind inputFields { n: name } } }')).toEqual({
      kind: 'INPUT_OBJECT',
      inputFields: [{ n: 'articles_aggregate' }, { n: 'id' }, { n: 'name' }, { n: 'profile' }],
    });
    const kinds = ['ENUM', 'INPUT_OBJECT', 'INTERFACE', 'LIST', 'NON_NULL', 'OBJECT', 'SCALAR', 'UNION'];
    expect(introspection('{ __type(name: "__TypeKind") { enumValues { name } } }')).toEqual({
      enumValues: kinds.map((name) => ({ name })),
    });
    expect(introspection('{ __type(name: "author_aggregate") { name } }')).toBeNull();
  });

  test('accepts variables, and is planned for each value', () => {
    const query =
      'query ($n: String!, $d: Boolean) { __type(name: $n) { name fields(includeDeprecated: $d) { __typename } } }';
    expect(introspection(query, { n: 'article_aggregate' })).toEqual({
      name: 'article_aggregate',
      fields: [{ __typename: '__Field' }, { __typename: '__Field' }],
    });
    expect(introspection(query, { n: 'author', d: true })).toMatchObject({ name: 'author' });
  });

  test('has the default of a variable that is not given, and an error for one that is null', () => {
    const query = 'query ($n: String = "author") { __type(name: $n) { name } }';
    expect(introspection(query)).toEqual({ name: 'author' });
    expect(introspection(query, { n: 'article' })).toEqual({ name: 'article' });
    expect(errorsOf(request, query, { n: null })).toEqual([
      '$.selectionSet.__type: Argument "name" of non-null type "String!" must not be null.',
    ]);
  });

  test('is limited in size across aliases', () => {
    const everything = getIntrospectionQuery().replaceAll(/\s+/g, ' ');
    const [, selection = '', fragments = ''] = /__schema (\{.*?\}) \} (fragment.*)$/.exec(everything) ?? [];
    const query = `{ ${Array.from({ length: 100 }, (_, index) => `a${index}: __schema ${selection}`).join(' ')} } ${fragments}`;
    const [error = 'none'] = errorsOf(request, query);
    expect(error).toBe(
      '$.selectionSet.__schema: the operation selects too much introspection data; split it into several operations',
    );
  });

  test('supports the introspection query of clients', () => {
    const schema = introspection(getIntrospectionQuery().replaceAll(/\s+/g, ' ')) as IntrospectionQuery['__schema'];
    expect(schema.queryType.name).toBe('query_root');
    expect(schema.mutationType).toBeNull();
    expect(schema.subscriptionType).toMatchObject({ name: 'subscription_root' });
    expect(schema.directives.map(({ name }) => name)).toContain('cached');
    const names = schema.types.map(({ name }) => name);
    expect(names).toContain('article_bool_exp');
    expect(names).toEqual(names.toSorted());
  });
});

describe('a variable for a handler', () => {
  const sku = { name: FieldName.parse('sku'), type: scalar('String'), description: undefined };
  const order: InputObject = {
    kind: 'input',
    name: TypeName.parse('OrderInput'),
    description: undefined,
    fields: new Map([['sku', sku]]),
  };
  const place: Action = {
    name: ActionName.parse('place'),
    type: 'mutation',
    arguments: [
      { name: FieldName.parse('order'), type: { kind: 'named', type: order }, description: undefined },
      { name: FieldName.parse('note'), type: scalar('String'), description: undefined },
    ],
    output: scalar('Boolean'),
    handler: 'http://127.0.0.1:1/',
    headers: [],
    forwardClientHeaders: false,
    ignoredClientHeaders: undefined,
    timeoutMs: 1_000,
    roles: new Set([user]),
    comment: undefined,
  };
  const schema = roleSchema({ ...model, actions: new Map([[place.name, place]]) }, user);
  const planned = (variables: Readonly<Record<string, unknown>>) =>
    planOperation(
      prepare(schema, 'mutation ($o: OrderInput, $n: String) { place(order: $o, note: $n) }', undefined),
      variables,
    ).plan;

  test('stays a variable even for an object, so that one plan is valid for all values', () => {
    const plan = planned({ o: { sku: 'a' } });
    expect(plan).toMatchObject({
      kind: 'mutation',
      roots: [{ kind: 'action', call: { input: [{ name: 'order', value: { kind: 'variable', name: 'o' } }] } }],
    });
    expect(planned({ o: { sku: 'b' } })).toBe(plan);
  });

  test('is omitted if it is not given, and null if it is null', () => {
    expect(planned({ n: null })).toMatchObject({
      roots: [{ call: { input: [{ name: 'note', value: { kind: 'constant', value: null } }] } }],
    });
  });
});

function scalar(name: string) {
  return { kind: 'named', type: { kind: 'scalar', name, origin: 'graphql', description: undefined } } as const;
}
