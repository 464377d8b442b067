/** Tests of the names that sources use, and of their owners. */
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import { namespaceTypes, sourceNames } from './source-names.ts';
import { takenNames } from './taken-names.ts';

const tables = {
  author: { id: 'Int', born: 'date' },
  order: { id: 'uuid', at: 'geometry geometry', path: 'ltree ltree' },
};

/** A draft in which each table has these members, and the default source those. */
function namesWith(more: Partial<DraftTable> = {}, source: object = {}) {
  const { draft } = draftOf({ tables });
  const own = draft.sources.get(DEFAULT_SOURCE);
  if (own === undefined) throw new Error('no source');
  const changed = new Map([...own.tables].map(([key, table]) => [key, { ...table, ...more }]));
  const sources: Draft['sources'] = new Map(draft.sources).set(DEFAULT_SOURCE, { ...own, ...source, tables: changed });
  return takenNames({ ...draft, sources });
}

const names = namesWith();
const author = 'table "public.author" of source "default"';
const order = 'table "public.order" of source "default"';
const service = 'the service itself';

describe('a type', () => {
  test.each([
    ['author', author],
    ['author_bool_exp', author],
    ['author_aggregate', author],
    ['author_aggregate_fields', author],
    ['author_aggregate_order_by', author],
    ['author_aggregate_bool_exp', author],
    ['author_aggregate_bool_exp_count', author],
    ['author_avg_fields', author],
    ['author_variance_order_by', author],
    ['author_order_by', author],
    ['author_select_column', author],
    ['author_select_column_author_aggregate', author],
    ['author_stream_cursor_input', author],
    ['author_stream_cursor_value_input', author],
    ['author_insert_input', author],
    ['author_delete_at_path_input', author],
    ['author_arr_rel_insert_input', author],
    ['author_obj_rel_insert_input', author],
    ['author_mutation_response', author],
    ['author_on_conflict', author],
    ['author_constraint', author],
    ['author_update_column', author],
    ['author_updates', author],
    ['order_set_input', order],
    ['order_by', service],
    ['cursor_ordering', service],
    ['query_root', service],
    ['mutation_root', service],
    ['subscription_root', service],
    ['Int_comparison_exp', service],
    ['Boolean_comparison_exp', service],
    ['st_d_within_input', service],
    ['st_intersects_geom_nband_input', service],
    ['date', `column "born" of ${author}`],
    ['date_comparison_exp', `column "born" of ${author}`],
    ['date_array_comparison_exp', `column "born" of ${author}`],
    ['uuid_cast_exp', `column "id" of ${order}`],
    ['geography', `column "at" of ${order}`],
    ['lquery', `column "path" of ${order}`],
    ['ltxtquery_comparison_exp', `column "path" of ${order}`],
  ])('%s is taken by %s', (name, owner) => {
    expect(names.type(name)).toBe(owner);
  });

  test.each([
    'writer',
    'authors',
    'author_',
    'author_other',
    'author_bool_exp_',
    'x_author_bool_exp',
    'author_select_column_',
    '_bool_exp',
    'author__bool_exp',
    'numeric_comparison_exp',
    'date_comparison',
    'other_root',
    '_comparison_exp',
  ])('%s is free', (name) => {
    expect(names.type(name)).toBeUndefined();
  });

  test('of columns may be a custom scalar, but for names of tables and of the service', () => {
    expect(['date', 'author', 'query_root', 'date_comparison_exp'].map(names.scalar)).toEqual([
      undefined,
      author,
      service,
      `column "born" of ${author}`,
    ]);
  });

  test.each([
    ['order_by', 'enum'],
    ['cursor_ordering', 'enum'],
    ['Int_comparison_exp', 'input'],
    ['st_d_within_input', 'input'],
    ['date_comparison_exp', 'input'],
    ['query_root', undefined],
    ['author_bool_exp', undefined],
    ['date', undefined],
    ['numeric_comparison_exp', undefined],
  ])('%s is common to all roles as %s', (name, kind) => {
    expect(names.common(name)).toBe(kind);
  });

  test('has the suffix of types of its source', () => {
    const suffixed = namesWith({ typeSuffix: '_X' }, { names: sourceNames({ type_names: { suffix: '_X' } } as never) });
    expect(
      ['author_X', 'author_bool_exp_X', 'author', 'author_bool_exp', 'cursor_ordering_X'].map(suffixed.type),
    ).toEqual([author, author, undefined, undefined, service]);
  });

  test('is in Pascal case in graphql-default', () => {
    const pascal = namesWith({ convention: 'graphql-default' });
    expect(
      ['author', 'authorBoolExp', 'authorOther', 'author_other', 'Author', 'xauthorBoolExp'].map(pascal.type),
    ).toEqual([author, author, undefined, undefined, undefined, undefined]);
  });

  test('of a hidden table is free', () => {
    expect(namesWith({ hidden: true } as Partial<DraftTable>).type('author')).toBeUndefined();
  });
});

describe('a field', () => {
  test('of tables is taken', () => {
    expect(['author', 'author_by_pk', 'author_aggregate', 'insert_author', 'none'].map(names.queryField)).toEqual([
      author,
      author,
      author,
      undefined,
      undefined,
    ]);
    expect(['insert_author', 'delete_author_by_pk', 'author'].map(names.mutationField)).toEqual([
      author,
      author,
      undefined,
    ]);
  });

  const unused = { insertable: false, updatable: false, deletable: false };
  test.each([
    [unused, undefined],
    [{ ...unused, insertable: true }, author],
    [{ ...unused, updatable: true }, author],
    [{ ...unused, deletable: true }, author],
  ])('of mutations of a table with %j is taken by %s', (more, owner) => {
    expect(namesWith(more).mutationField('insert_author')).toBe(owner);
  });

  test('is in the namespace of its source', () => {
    const namespace = { name: 'shop', types: namespaceTypes('shop', { typePrefix: '', typeSuffix: '' }) };
    const own = namesWith({}, { namespace });
    const owner = 'the namespace of source "default"';
    expect(['shop', 'author', 'shop author'].map(own.queryField)).toEqual([owner, undefined, author]);
    expect(['insert_author', 'shop insert_author'].map(own.mutationField)).toEqual([undefined, author]);
    expect(['shop_query', 'shop_mutation_backend'].map(own.type)).toEqual([owner, owner]);
  });
});
