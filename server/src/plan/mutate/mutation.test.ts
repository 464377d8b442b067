import { ADMIN_ROLE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { planOf, rootOf } from '../../../test/support/model/planning.ts';
import { column, compare, modelFixture, restrictCells, user } from '../../../test/support/model/sample-model.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import type { InputCheck } from '../../model/types/column-type.ts';
import type { DeleteAccess, InsertAccess, UpdateAccess } from '../../model/types/table.ts';
import type { MutationPlan } from '../plan/mutation.ts';
import { keyVariable } from './mutation.ts';

function planner(query: string): (variables?: Readonly<Record<string, unknown>>) => MutationPlan {
  const { model } = modelFixture();
  return (variables) => {
    const [root] = planOf({ model, role: ADMIN_ROLE }, query, variables).roots;
    if (root?.kind !== 'mutation') throw new Error(`expected a mutation, got ${root?.kind}`);
    return root.mutation;
  };
}

describe('one plan is valid for all data', () => {
  test.each([
    [
      'objects',
      'mutation ($data: [author_insert_input!]!) { insert_author(objects: $data) { affected_rows } }',
      [{ name: 'a' }],
      [{ name: 'b', id: 2 }, { articles: { data: [{ title: 'x' }] } }],
    ],
    [
      'set values',
      'mutation ($data: author_set_input) { update_author(where: {}, _set: $data) { affected_rows } }',
      { name: 'a' },
      { id: 3 },
    ],
    [
      'a key',
      'mutation ($data: author_pk_columns_input!) { update_author_by_pk(pk_columns: $data, _set: { name: "a" }) { id } }',
      { id: 1 },
      { id: 2 },
    ],
    [
      'updates',
      'mutation ($data: [author_updates!]!) { update_author_many(updates: $data) { affected_rows } }',
      [{ where: {}, _set: { name: 'a' } }],
      [{ where: { id: { _eq: 1 } }, _set: { name: 'b' } }],
    ],
  ])('%s', (_name, query, one, other) => {
    const plan = planner(query);
    expect(plan({ data: other })).toBe(plan({ data: one }));
  });
});

test('plans a conflict clause with its columns', () => {
  const { model, author } = modelFixture();
  Object.assign(author, { primaryKeyName: 'author_pkey' });
  const query = `mutation ($most: Int) {
    insert_author(
      objects: []
      on_conflict: { constraint: author_pkey, update_columns: [name, name], where: { id: { _lt: $most } } }
    ) { affected_rows }
  }`;
  const [root] = planOf({ model, role: ADMIN_ROLE }, query, { most: 3 }).roots;
  expect(root).toMatchObject({
    mutation: {
      conflict: {
        target: { kind: 'constraint', name: 'author_pkey' },
        columns: [{ name: 'name' }],
        where: { kind: 'compare', right: { kind: 'variable', name: 'most' } },
      },
    },
  });
});

/** A model in which `user` may write articles. With `check`, a webhook validates the input. */
function writable(inputCheck?: InputCheck) {
  const fixture = modelFixture();
  const { article, rules } = fixture;
  const shared = { presets: new Map(), backendOnly: false, ...(inputCheck && { inputCheck }) };
  const columns = new Set(article.columns.values());
  const insert: InsertAccess = { ...shared, columns, check: everyRow };
  const update: UpdateAccess = { ...shared, columns, filter: rules.article, check: undefined };
  const remove: DeleteAccess = { filter: rules.article, backendOnly: false, ...(inputCheck && { inputCheck }) };
  Object.assign(article, { primaryKeyName: 'article_pkey' });
  article.insertAccess.set(user, insert);
  article.updateAccess.set(user, update);
  article.deleteAccess.set(user, remove);
  const plan = (text: string, variables?: Readonly<Record<string, unknown>>) =>
    rootOf({ model: fixture.model, role: user }, 'mutation', `mutation ${text}`, variables).mutation;
  return { ...fixture, plan, update, remove };
}

describe('the plan of', () => {
  const { article, rules, plan, update, remove } = writable();
  const one = { kind: 'constant', value: 1 } as const;
  const id = column(article, 'id');
  const title = { kind: 'column', alias: 'title', column: column(article, 'title'), path: undefined };
  const rows = {
    table: article,
    where: everyRow,
    orderBy: [],
    distinctOn: [],
    limit: undefined,
    rowLimit: undefined,
    offset: undefined,
    fields: [title],
  };
  const row = { shape: 'row', rows };
  const affected = { shape: 'response', members: [{ kind: 'affected', alias: 'affected_rows' }] };

  test.each<[string, string, object]>([
    [
      'inserted rows',
      '{ insert_article(objects: [{title: "a"}]) { affected_rows } }',
      {
        kind: 'insert',
        table: article,
        path: '$.selectionSet.insert_article',
        role: user,
        argument: 'objects',
        data: { kind: 'constant', value: [{ title: 'a' }] },
        conflict: undefined,
        response: affected,
      },
    ],
    [
      'one inserted row',
      '{ insert_article_one(object: {title: "a"}) { title } }',
      {
        kind: 'insert',
        table: article,
        path: '$.selectionSet.insert_article_one',
        role: user,
        argument: 'object',
        data: { kind: 'constant', value: { title: 'a' } },
        conflict: undefined,
        response: row,
      },
    ],
    [
      'updated rows',
      '{ update_article(where: {id: {_eq: 1}}, _inc: {words: 1}, _set: {title: "a"}) { affected_rows } }',
      {
        kind: 'update',
        table: article,
        path: '$.selectionSet.update_article',
        access: update,
        key: undefined,
        where: { kind: 'and', of: [rules.article, compare(id, one)] },
        changes: [
          { operator: '_set', value: { kind: 'constant', value: { title: 'a' } } },
          { operator: '_inc', value: { kind: 'constant', value: { words: 1 } } },
        ],
        response: affected,
      },
    ],
    [
      'an updated row by its key',
      '{ update_article_by_pk(pk_columns: {id: 1}, _set: {title: "a"}) { title } }',
      {
        kind: 'update',
        table: article,
        path: '$.selectionSet.update_article_by_pk',
        access: update,
        key: { kind: 'constant', value: { id: 1 } },
        where: { kind: 'and', of: [rules.article, compare(id, { kind: 'variable', name: keyVariable('id') })] },
        changes: [{ operator: '_set', value: { kind: 'constant', value: { title: 'a' } } }],
        response: row,
      },
    ],
    [
      'several updates',
      '{ update_article_many(updates: [{where: {}, _set: {title: "a"}}]) { affected_rows } }',
      {
        kind: 'updateMany',
        table: article,
        path: '$.selectionSet.update_article_many',
        role: user,
        access: update,
        updates: { kind: 'constant', value: [{ where: {}, _set: { title: 'a' } }] },
        response: affected,
      },
    ],
    [
      'deleted rows',
      '{ delete_article(where: {id: {_eq: 1}}) { affected_rows } }',
      {
        kind: 'delete',
        table: article,
        path: '$.selectionSet.delete_article',
        access: remove,
        where: { kind: 'and', of: [rules.article, compare(id, one)] },
        response: affected,
      },
    ],
    [
      'a deleted row by its key',
      '{ delete_article_by_pk(id: 1) { title } }',
      {
        kind: 'delete',
        table: article,
        path: '$.selectionSet.delete_article_by_pk',
        access: remove,
        where: { kind: 'and', of: [rules.article, compare(id, one)] },
        response: row,
      },
    ],
  ])('%s', (_what, text, expected) => {
    expect(plan(text)).toEqual(expected);
  });

  test('a response has its members under their response keys, with rows without a row rule', () => {
    const text = '{ delete_article(where: {}) { __typename n: affected_rows old: returning { title } } }';
    expect(plan(text).response).toEqual({
      shape: 'response',
      members: [
        { kind: 'constant', alias: '__typename', value: 'article_mutation_response' },
        { kind: 'affected', alias: 'n' },
        { kind: 'returning', alias: 'old', rows },
      ],
    });
  });

  test.each([
    ['update_article(where: {id: {_eq: null}}, _set: {}) { affected_rows }', 'update_article.args.where.id._eq'],
    ['delete_article(where: {id: {_eq: null}}) { affected_rows }', 'delete_article.args.where.id._eq'],
    ['delete_article_by_pk(id: 9999999999) { title }', 'delete_article_by_pk.args.id'],
    [
      'insert_article(objects: [], on_conflict: {constraint: article_pkey, update_columns: [], where: {id: {_eq: null}}}) { affected_rows }',
      'insert_article.args.on_conflict.where.id._eq',
    ],
  ])('errors have the path of the argument: %s', (text, path) => {
    expect(() => plan(`{ ${text} }`)).toThrow(expect.objectContaining({ path: `$.selectionSet.${path}` }));
  });
});

describe('what a webhook validates', () => {
  const inputCheck: InputCheck = { url: 'http://127.0.0.1:1/', headers: [], forwardClientHeaders: false, timeoutMs: 1 };

  test.each([
    [
      'update_article(where: {id: {_eq: 1}}, _set: {title: "a"}) { affected_rows }',
      { where: { id: { _eq: 1 } }, _set: { title: 'a' } },
    ],
    [
      'update_article_by_pk(pk_columns: {id: 1}, _set: {title: "a"}) { title }',
      { pk_columns: { id: 1 }, _set: { title: 'a' } },
    ],
    ['delete_article(where: {id: {_eq: 1}}) { affected_rows }', { where: { id: { _eq: 1 } } }],
    ['delete_article_by_pk(id: 1) { title }', { pk_columns: { id: 1 } }],
  ])('are the arguments of %s', (text, value) => {
    expect(writable(inputCheck).plan(`{ ${text} }`)).toMatchObject({ checked: { kind: 'constant', value } });
  });
});

test('a row by its key is written only where the role sees the key', () => {
  const { article, plan } = writable();
  const id = column(article, 'id');
  const seen = compare(id, { kind: 'constant', value: 7 });
  restrictCells(article, user, 'id', seen);
  const texts = ['delete_article_by_pk(id: 1) { title }', 'update_article_by_pk(pk_columns: {id: 1}) { title }'];
  const keys = texts.map((text) => {
    const written = plan(`{ ${text} }`);
    return 'where' in written && written.where;
  });
  expect(keys).toMatchObject([
    { of: [{}, { left: { column: id, seen } }] },
    { of: [{}, { left: { column: id, seen } }] },
  ]);
});
