import { ADMIN_ROLE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { planOf } from '../../../test/support/model/planning.ts';
import { modelFixture } from '../../../test/support/model/sample-model.ts';
import type { MutationPlan } from '../plan/mutation.ts';

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
