/** Rules of updates, deletes, and of several mutations in one operation. */
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { DE, prove, type Rules, startRules, VF } from './rules-fixture.ts';

let rules: Rules;
beforeAll(async () => {
  rules = await startRules();
});
beforeEach(() => rules.refill());
afterAll(() => rules?.stop());

const CV = { code: 'constraint-violation' } as const;

describe('an update', () => {
  const update = (where: string, changes: string) =>
    `mutation { update_author(where: {${where}}, ${changes}) { affected_rows returning { id bio } } }`;
  const updated = (affected_rows: number, ...returning: object[]) => ({
    data: { update_author: { affected_rows, returning } },
  });
  const byKey = (changes: string, selection: string, id = 1) =>
    `mutation { update_author_by_pk(pk_columns: {id: ${id}}, ${changes}) { ${selection} } }`;
  const row = (one: object | null) => ({ data: { update_author_by_pk: one } });
  prove(
    () => rules,
    [
      ['sets columns', update('id: {_eq: 1}', '_set: {bio: "x"}'), updated(1, { id: 1, bio: 'x' })],
      ['of no row', update('id: {_eq: 9}', '_set: {bio: "x"}'), updated(0)],
      ['needs a condition', 'mutation { update_author(_set: {bio: "x"}) { affected_rows } }', VF],
      ['with an empty set affects no row', update('', '_set: {}'), updated(0)],
      [
        'rejects a column in two operators',
        update('id: {_eq: 1}', '_set: {age: 1}, _inc: {age: 1}'),
        { ...VF, message: 'olumn found in multiple operators' },
      ],
      [
        'rejects a column that does not exist',
        update('', '_set: {none: 1}'),
        { ...VF, message: "field 'none' not found in type: 'author_set_input'" },
      ],
      ['rejects a column without permission', update('', '_set: {is_admin: true}'), VF, { role: 'user' }],
      [
        'rejects a preset column',
        update('', '_set: {age: 1}'),
        { ...VF, message: "field 'age' not found in type: 'author_set_input'" },
        { role: 'user' },
      ],
      [
        'of rows that the role may not update affects none',
        update('id: {_eq: 1}', '_set: {bio: "x"}'),
        updated(0),
        { role: 'user' },
      ],
      ['by key returns the row', byKey('_set: {bio: "x"}', 'id bio'), row({ id: 1, bio: 'x' })],
      ['by key of no row is null', byKey('_set: {bio: "x"}', 'id', 9), row(null)],
      ['by key of a hidden row is null', byKey('_set: {bio: "x"}', 'id'), row(null), { role: 'user' }],
      [
        'by key needs the key',
        'mutation { update_author_by_pk(pk_columns: {}, _set: {bio: "x"}) { id } }',
        { ...VF, message: "missing required field 'id'" },
      ],
      [
        'by key rejects a null key',
        'mutation { update_author_by_pk(pk_columns: {id: null}, _set: {bio: "x"}) { id } }',
        VF,
      ],
      [
        '_inc adds',
        byKey('_inc: {age: 5, exact: "0.5", score: 0.5}', 'age exact score'),
        row({ age: 35, exact: 2, score: 3 }),
      ],
      ['_inc of null is null', byKey('_inc: {age: 5}', 'age', 3), row({ age: null })],
      ['_inc of text is absent', byKey('_inc: {bio: 5}', 'bio'), VF],
      ['_append', byKey('_append: {doc: {n: 1}}', 'doc(path: "n")'), row({ doc: 1 })],
      ['_append to a list', byKey('_append: {doc: 3}', 'doc', 2), row({ doc: [1, 2, 3] })],
      ['_append to null is null', byKey('_append: {doc: {n: 1}}', 'doc', 3), row({ doc: null })],
      ['_prepend', byKey('_prepend: {doc: [0]}', 'doc', 2), row({ doc: [0, 1, 2] })],
      ['_delete_key', byKey('_delete_key: {doc: "a"}', 'doc(path: "a")'), row({ doc: null })],
      ['_delete_elem', byKey('_delete_elem: {doc: 0}', 'doc', 2), row({ doc: [2] })],
      ['_delete_elem from the end', byKey('_delete_elem: {doc: -1}', 'doc', 2), row({ doc: [1] })],
      ['_delete_elem of an object is rejected by the database', byKey('_delete_elem: {doc: 0}', 'doc'), DE],
      [
        '_delete_at_path',
        byKey('_delete_at_path: {doc: ["a", "b", "0"]}', 'doc(path: "a.b")'),
        row({ doc: [{ c: 'x' }] }),
      ],
      ['_append to json is absent', byKey('_append: {raw: {n: 1}}', 'raw'), VF],
      [
        'several operators of several columns',
        byKey('_set: {bio: "x"}, _inc: {age: 1}, _delete_key: {doc: "k"}', 'bio age'),
        row({ bio: 'x', age: 31 }),
      ],
      ['to a taken key', byKey('_set: {name: "Bob"}', 'id'), { ...CV, message: 'Uniqueness violation. ' }],
      [
        'to null where null is not allowed',
        byKey('_set: {name: null}', 'id'),
        { ...CV, message: 'Not-NULL violation. ' },
      ],
      ['of a key that is referenced', byKey('_set: {id: 10}', 'id'), { ...CV, message: 'Foreign key violation. ' }],
      [
        'beyond the range of the column',
        byKey('_inc: {age: 32767}', 'age'),
        { ...DE, message: 'smallint out of range' },
      ],
      [
        'against the CHECK of the table',
        'mutation { update_article(where: {}, _set: {likes: -1}) { affected_rows } }',
        { code: 'permission-error', message: 'Check constraint violation. ' },
      ],
      [
        'many runs in order',
        'mutation { update_author_many(updates: [{where: {id: {_eq: 1}}, _set: {bio: "a"}}, {where: {bio: {_eq: "a"}}, _set: {bio: "b"}}]) { affected_rows returning { bio } } }',
        {
          data: {
            update_author_many: [
              { affected_rows: 1, returning: [{ bio: 'a' }] },
              { affected_rows: 1, returning: [{ bio: 'b' }] },
            ],
          },
        },
      ],
      [
        'many of no items',
        'mutation { update_author_many(updates: []) { affected_rows } }',
        { data: { update_author_many: [] } },
      ],
      [
        'many needs a condition in each item',
        'mutation { update_author_many(updates: [{_set: {bio: "a"}}]) { affected_rows } }',
        VF,
      ],
      [
        'returns related rows as they are afterwards',
        'mutation { update_article(where: {id: {_eq: 3}}, _set: {author_id: 1}) { returning { author { articles_aggregate { aggregate { count } } } } } }',
        { data: { update_article: { returning: [{ author: { articles_aggregate: { aggregate: { count: 3 } } } }] } } },
      ],
    ],
  );

  test('many rolls back all items if one fails', async () => {
    await rules.check([
      '',
      'mutation { update_author_many(updates: [{where: {id: {_eq: 1}}, _set: {bio: "a"}}, {where: {id: {_eq: 1}}, _set: {name: "Bob"}}]) { affected_rows } }',
      CV,
    ]);
    await rules.check(['', '{ author_by_pk(id: 1) { bio } }', { data: { author_by_pk: { bio: 'writes' } } }]);
  });
});

describe('a delete', () => {
  prove(
    () => rules,
    [
      [
        'returns the old rows',
        'mutation { delete_detail(where: {id: {_lt: 3}}) { affected_rows returning { id phone } } }',
        {
          data: {
            delete_detail: {
              affected_rows: 2,
              returning: [
                { id: 1, phone: '111' },
                { id: 2, phone: '222' },
              ],
            },
          },
        },
      ],
      ['needs a condition', 'mutation { delete_detail { affected_rows } }', VF],
      [
        'of every row takes an empty condition',
        'mutation { delete_detail(where: {}) { affected_rows } }',
        { data: { delete_detail: { affected_rows: 2 } } },
      ],
      [
        'by key returns the row',
        'mutation { delete_detail_by_pk(id: 1) { phone author { name } } }',
        { data: { delete_detail_by_pk: { phone: '111', author: { name: 'Ann' } } } },
      ],
      [
        'by key of no row is null',
        'mutation { delete_detail_by_pk(id: 9) { id } }',
        { data: { delete_detail_by_pk: null } },
      ],
      [
        'of a referenced row',
        'mutation { delete_author_by_pk(id: 1) { id } }',
        { ...CV, message: 'Foreign key violation. ' },
      ],
      [
        'of rows that the role may not delete affects none',
        'mutation { delete_author(where: {}) { affected_rows } }',
        { data: { delete_author: { affected_rows: 0 } } },
        { role: 'user' },
      ],
    ],
  );
});

describe('several mutations', () => {
  prove(
    () => rules,
    [
      [
        'run in their order',
        'mutation { a: update_author_by_pk(pk_columns: {id: 1}, _inc: {age: 1}) { age } b: update_author_by_pk(pk_columns: {id: 1}, _inc: {age: 1}) { age } }',
        { data: { a: { age: 31 }, b: { age: 32 } } },
      ],
      [
        'see the rows of those before',
        'mutation { insert_author_one(object: {id: 4, name: "D"}) { id } delete_author_by_pk(id: 4) { name } }',
        { data: { insert_author_one: { id: 4 }, delete_author_by_pk: { name: 'D' } } },
      ],
      [
        'with __typename',
        'mutation { __typename delete_detail_by_pk(id: 1) { __typename } }',
        { data: { __typename: 'mutation_root', delete_detail_by_pk: { __typename: 'detail' } } },
      ],
    ],
  );

  test('are rolled back if one fails', async () => {
    await rules.check([
      '',
      'mutation { delete_detail_by_pk(id: 1) { id } insert_author_one(object: {id: 1, name: "x"}) { id } }',
      CV,
    ]);
    await rules.check(['', '{ detail_by_pk(id: 1) { id } }', { data: { detail_by_pk: { id: 1 } } }]);
  });
});
