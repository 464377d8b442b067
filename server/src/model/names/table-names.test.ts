/** Tests of the names of tables, and of the register of names in use. */
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { TableConfiguration } from '@joinery/metadata/schema/tables';
import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import type { DraftTable } from '../types/draft.ts';
import { namespaceTypes } from './source-names.ts';
import {
  baseName,
  connectionRootName,
  mutationRootNames,
  nameRegister,
  rootNames,
  streamRootName,
} from './table-names.ts';

const configured = (written: unknown) => TableConfiguration.parse(written);
const convention = 'graphql-default';

test.each([
  ['public', undefined, 'order_item'],
  ['shop', undefined, 'shop_order_item'],
  ['shop', {}, 'shop_order_item'],
  ['shop', { custom_name: null }, 'shop_order_item'],
  ['shop', { custom_name: 'Item' }, 'Item'],
])('the name of a table of schema %s with %j is %s', (schema, configuration, name) => {
  expect(baseName(schema, 'order_item', configuration && configured(configuration))).toBe(name);
});

/** All root fields of a table. */
const rootsOf = (base: string, configuration?: TableConfiguration, named?: typeof convention) => ({
  ...rootNames(base, configuration, named),
  ...mutationRootNames(base, configuration, named),
  stream: streamRootName(base, configuration, named),
  connection: connectionRootName(base, configuration, named),
});

test('the root fields have the name of the table', () => {
  expect(rootsOf('order_item')).toEqual({
    select: 'order_item',
    select_by_pk: 'order_item_by_pk',
    select_aggregate: 'order_item_aggregate',
    insert: 'insert_order_item',
    insert_one: 'insert_order_item_one',
    update: 'update_order_item',
    update_by_pk: 'update_order_item_by_pk',
    update_many: 'update_order_item_many',
    delete: 'delete_order_item',
    delete_by_pk: 'delete_order_item_by_pk',
    stream: 'order_item_stream',
    connection: 'order_item_connection',
  });
});

test('the root fields are in camel case in graphql-default', () => {
  const camel = {
    select: 'orderItem',
    select_by_pk: 'orderItemByPk',
    select_aggregate: 'orderItemAggregate',
    insert: 'insertOrderItem',
    insert_one: 'insertOrderItemOne',
    update: 'updateOrderItem',
    update_by_pk: 'updateOrderItemByPk',
    update_many: 'updateOrderItemMany',
    delete: 'deleteOrderItem',
    delete_by_pk: 'deleteOrderItemByPk',
    stream: 'orderItemStream',
    connection: 'orderItemConnection',
  };
  expect(rootsOf('order_item', undefined, convention)).toEqual(camel);
  expect(rootsOf('order_item', configured({}), convention)).toEqual(camel);
});

test('a custom name is not changed to camel case', () => {
  const { select, select_by_pk, insert } = rootsOf('my_item', configured({ custom_name: 'my_item' }), convention);
  expect([select, select_by_pk, insert]).toEqual(['my_item', 'my_itemByPk', 'insertMy_item']);
});

const custom = {
  select: 'a',
  select_by_pk: { name: 'b' },
  select_aggregate: 'c',
  select_stream: 'd',
  insert: 'e',
  insert_one: 'f',
  update: 'g',
  update_by_pk: 'h',
  update_many: 'i',
  delete: 'j',
  delete_by_pk: { name: 'k', comment: 'a comment' },
};
test.each([undefined, convention] as const)('custom root fields replace the names in convention %s', (named) => {
  const { stream, connection, ...roots } = rootsOf('t', configured({ custom_root_fields: custom }), named);
  expect({ ...roots, select_stream: stream }).toEqual({ ...custom, select_by_pk: 'b', delete_by_pk: 'k' });
  expect(connection).toBe(named === undefined ? 't_connection' : 'tConnection');
});

test('custom root fields without a name do not change the names', () => {
  const none = { select: null, insert: { comment: 'a comment' }, delete: { name: null } };
  const roots = rootsOf('t', configured({ custom_root_fields: none }));
  expect([roots.select, roots.insert, roots.delete]).toEqual(['t', 'insert_t', 'delete_t']);
});

describe('the register of names', () => {
  const primaryKey: DraftTable['primaryKey'] = { name: 'pkey', columns: [] } as unknown as DraftTable['primaryKey'];
  function table(name: string, more: Partial<DraftTable> = {}): DraftTable {
    const [found] =
      draftOf({ tables: { [name]: { id: 'Int' } } })
        .draft.sources.get(DEFAULT_SOURCE)
        ?.tables.values() ?? [];
    if (found === undefined) throw new Error('no table');
    return { ...found, ...more };
  }
  const unused = { insertable: false, updatable: false, deletable: false };
  const roots = (select: string, select_by_pk = `${select}_key`, select_aggregate = `${select}_all`) => ({
    roots: { select, select_by_pk, select_aggregate },
  });

  test('accepts tables with different names', () => {
    const register = nameRegister(new Set(['uuid']));
    expect(register.claim(table('author'), 'one')).toBeUndefined();
    expect(register.claim(table('article'), 'two')).toBeUndefined();
  });

  test.each([
    ['author', 'author', 'table one'],
    ['author_aggregate', 'author_aggregate', 'table one'],
    ['author_bool_exp', 'author_bool_exp', 'table one'],
    ['author_stream_cursor_value_input', 'author_stream_cursor_value_input', 'table one'],
    ['query_root', 'query_root', 'the service itself'],
    ['mutation_root', 'mutation_root', 'the service itself'],
    ['subscription_root', 'subscription_root', 'the service itself'],
    ['order_by', 'order_by', 'the service itself'],
    ['cursor_ordering', 'cursor_ordering', 'the service itself'],
    ['Int', 'Int', 'the scalar type Int'],
    ['ID', 'ID', 'the scalar type ID'],
    ['uuid', 'uuid', 'the scalar type uuid'],
    ['shop_query', 'shop_query', 'the namespace of source "shop"'],
  ])('rejects a table %s, whose type is in use', (name, type, owner) => {
    const namespace = { name: 'shop', types: namespaceTypes('shop', { typePrefix: '', typeSuffix: '' }) };
    const sources = [{ name: DEFAULT_SOURCE }, { name: 'shop' as typeof DEFAULT_SOURCE, namespace }];
    const register = nameRegister(new Set(['uuid']), sources as never);
    register.claim(table('author'), 'table one');
    expect(register.claim(table(name), 'table two')).toBe(
      `the type name "${type}" is taken by ${owner}; set a custom_name`,
    );
  });

  const remedy = 'set other custom_root_fields or a custom_name';
  test.each<[string, Partial<DraftTable>, string | undefined]>([
    ['a root field of another table', roots('author'), 'the root field "author" is taken by table one'],
    [
      'an aggregate of another table',
      roots('x', 'y', 'author_aggregate'),
      'the root field "author_aggregate" is taken by table one',
    ],
    ['a root field by key, without a key', roots('x', 'author'), undefined],
    [
      'a root field by key, with a key',
      { ...roots('x', 'author'), primaryKey },
      'the root field "author" is taken by table one',
    ],
    ['one root field twice', roots('x', 'y', 'x'), 'the root field "x" is taken by another root field of the table'],
    ['the name of a namespace', roots('shop'), 'the root field "shop" is taken by the namespace of source "shop"'],
  ])('of root fields, with %s', (_what, more, reason) => {
    const types = namespaceTypes('shop', { typePrefix: '', typeSuffix: '' });
    const register = nameRegister(new Set(), [{ name: 'shop', namespace: { name: 'shop', types } }] as never);
    register.claim(table('author'), 'table one');
    expect(register.claim(table('article', more), 'table two')).toBe(reason && `${reason}; ${remedy}`);
  });

  const { mutationRoots } = table('article');
  test.each<[string, Partial<DraftTable>, string | undefined]>([
    ['insert', { ...unused, insertable: true }, 'insert_author'],
    ['insert_one', { ...unused, insertable: true }, 'insert_author'],
    ['insert', unused, undefined],
    ['update', { ...unused, updatable: true }, 'insert_author'],
    ['update_many', { ...unused, updatable: true }, 'insert_author'],
    ['update_by_pk', { ...unused, updatable: true }, undefined],
    ['update_by_pk', { ...unused, updatable: true, primaryKey }, 'insert_author'],
    ['update', { ...unused, insertable: true, deletable: true }, undefined],
    ['delete', { ...unused, deletable: true }, 'insert_author'],
    ['delete_by_pk', { ...unused, deletable: true }, undefined],
    ['delete_by_pk', { ...unused, deletable: true, primaryKey }, 'insert_author'],
    ['delete', { ...unused, insertable: true, updatable: true }, undefined],
  ])('of mutations, with %s of another table and %j', (kind, more, taken) => {
    const register = nameRegister(new Set());
    register.claim(table('author'), 'table one');
    const other = table('article', { ...more, mutationRoots: { ...mutationRoots, [kind]: 'insert_author' } });
    expect(register.claim(other, 'table two')).toBe(
      taken && `the mutation "${taken}" is taken by table one; ${remedy}`,
    );
  });

  test('of mutations, with one name twice', () => {
    const twice = table('article', { mutationRoots: { ...mutationRoots, update: 'insert_article' } });
    expect(nameRegister(new Set()).claim(twice, 'it')).toBe(
      `the mutation "insert_article" is taken by another mutation of the table; ${remedy}`,
    );
  });

  test('has the fields of each namespace', () => {
    const register = nameRegister(new Set());
    const other = (graphqlName: string) => table('author', { graphqlName });
    expect(register.claim(table('author'), 'one')).toBeUndefined();
    expect(register.claim(other('b'), 'two', 'shop')).toBeUndefined();
    expect(register.claim(other('c'), 'three', 'blog')).toBeUndefined();
    expect(register.claim(other('d'), 'four', 'shop')).toBe(`the root field "shop.author" is taken by two; ${remedy}`);
    const mutations = table('x', { mutationRoots: table('author').mutationRoots });
    expect(register.claim(mutations, 'five', 'shop')).toBe(
      `the mutation "shop.insert_author" is taken by two; ${remedy}`,
    );
  });

  test('has no names of a rejected table', () => {
    const register = nameRegister(new Set());
    register.claim(table('author'), 'one');
    expect(register.claim(table('article', roots('author')), 'two')).toBeDefined();
    expect(register.claim(table('article'), 'three')).toBeUndefined();
  });
});
