import { ADMIN_ROLE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { column, compare, modelFixture, user } from '../../../test/support/model/sample-model.ts';
import { updateAccess } from '../../model/permissions/write-access.ts';
import type { UpdateManyPlan } from '../plan/mutation.ts';
import { arrangeChanges, arrangeUpdates, type ChangeOperator, changeType } from './update.ts';

const { author, article, rules } = modelFixture();

describe('the right operand', () => {
  test.each<[ChangeOperator, string]>([
    ['_set', 'jsonb'],
    ['_inc', 'jsonb'],
    ['_append', 'jsonb'],
    ['_prepend', 'jsonb'],
    ['_mul', 'jsonb'],
    ['_default', 'Boolean'],
    ['_delete_key', 'String'],
    ['_delete_elem', 'Int'],
    ['_delete_at_path', 'String[]'],
  ])('of %s on a jsonb column has the type %s', (operator, type) => {
    expect(changeType(operator, column(author, 'profile'))).toEqual(columnType(type));
  });
});

describe('the changes of an update', () => {
  const changesOf = (...given: readonly [string, unknown][]) =>
    arrangeChanges(
      author,
      given.map(([operator, value]) => ({ operator, value })),
      '$.args',
    );

  test.each<[ChangeOperator, string, unknown, string | null]>([
    ['_set', 'name', 'a', 'a'],
    ['_set', 'name', null, null],
    ['_inc', 'id', 2, '2'],
    ['_append', 'profile', { a: 1 }, '{"a":1}'],
    ['_prepend', 'profile', [1], '[1]'],
    ['_delete_key', 'profile', 'a', 'a'],
    ['_delete_elem', 'profile', 1, '1'],
    ['_delete_at_path', 'profile', ['a', '0'], '{"a","0"}'],
    ['_mul', 'id', 2, '2'],
    ['_default', 'id', true, 'true'],
  ])('%s of %s to %j has the text form of PostgreSQL', (operator, name, value, expected) => {
    expect(changesOf([operator, { [name]: value }])).toEqual([
      { column: column(author, name), operator, value: expected },
    ]);
  });

  test('are in the order of the request', () => {
    expect(changesOf(['_set', { name: 'a', born: null }], ['_inc', { id: 1 }]).map((one) => one.column.name)).toEqual([
      'name',
      'born',
      'id',
    ]);
  });

  test.each<[string, string, unknown]>([
    ['an operator that is null', '_set', null],
    ['an operator that is not given', '_set', undefined],
    ['an unknown operator', '_none', { name: 'a' }],
    ['an unknown column', '_set', { none: 'a' }],
  ])('do not include %s', (_what, operator, value) => {
    expect(changesOf([operator, value], ['_inc', { id: 1 }])).toHaveLength(1);
  });

  test('have one operator for each column', () => {
    expect(() => changesOf(['_set', { id: 1 }], ['_inc', { id: 1 }])).toThrow(
      expect.objectContaining({
        code: 'validation-failed',
        message: 'column found in multiple operators: "id"',
        path: '$.args',
      }),
    );
  });

  test('have values of the type of the right operand', () => {
    expect(() => changesOf(['_delete_elem', { profile: 'a' }])).toThrow(
      expect.objectContaining({ path: '$.args._delete_elem.profile' }),
    );
  });
});

describe('several updates', () => {
  article.updateAccess.set(user, {
    columns: new Set(article.columns.values()),
    filter: rules.article,
    check: undefined,
    presets: new Map(),
    backendOnly: false,
  });
  const updates = (given: unknown, role = user) => {
    const access = updateAccess(article, role);
    if (access === undefined) throw new Error('no access');
    const plan: UpdateManyPlan = {
      kind: 'updateMany',
      table: article,
      path: '$.many',
      role,
      access,
      updates: { kind: 'constant', value: null },
      response: { shape: 'response', members: [] },
    };
    return arrangeUpdates(plan, given);
  };
  const id = column(article, 'id');

  test('have their own rows and changes, in order', () => {
    const given = [
      { where: { id: { _eq: 1 } }, _set: { title: 'a' } },
      { where: {}, _inc: { words: 2 }, _set: { title: 'b' } },
    ];
    expect(updates(given)).toEqual([
      {
        where: { kind: 'and', of: [rules.article, compare(id, { kind: 'constant', value: 1 })] },
        changes: [{ column: column(article, 'title'), operator: '_set', value: 'a' }],
      },
      {
        where: rules.article,
        changes: [
          { column: column(article, 'words'), operator: '_inc', value: '2' },
          { column: column(article, 'title'), operator: '_set', value: 'b' },
        ],
      },
    ]);
  });

  test('can be one object', () => {
    expect(updates({ where: { id: { _eq: 1 } }, _set: {} }, ADMIN_ROLE)).toEqual([
      { where: compare(id, { kind: 'constant', value: 1 }), changes: [] },
    ]);
  });

  test.each([
    ['a condition', { where: { id: { _eq: 'x' } } }, '$.many.args.updates[1].where.id._eq'],
    ['a change', { where: {}, _set: { id: 'x' } }, '$.many.args.updates[1]._set.id'],
    ['the changes', { where: {}, _set: { id: 1 }, _inc: { id: 1 } }, '$.many.args.updates[1]'],
  ])('have errors with the path of %s', (_what, update, path) => {
    expect(() => updates([{ where: {} }, update])).toThrow(expect.objectContaining({ path }));
  });
});
