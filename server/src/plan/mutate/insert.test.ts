import { ADMIN_ROLE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import {
  column,
  compare,
  type ModelFixture,
  modelFixture,
  relate,
  relationship,
  user,
} from '../../../test/support/model/sample-model.ts';
import { insertAccess } from '../../model/permissions/write-access.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import type { InsertAccess, Table, UpdateAccess } from '../../model/types/table.ts';
import { VariableReference } from '../document/arguments.ts';
import type { ConflictPlan, InsertPlan } from '../plan/mutation.ts';
import { arrangeInsert, type InsertLevel, type InsertRow, planConflict } from './insert.ts';

const path = '$.selectionSet.insert_author';

function planOf(table: Table, argument: InsertPlan['argument'], conflict?: ConflictPlan): InsertPlan {
  const response = { shape: 'response', members: [] } as const;
  const data = { kind: 'constant', value: null } as const;
  return { kind: 'insert', table, path, role: ADMIN_ROLE, argument, data, conflict, response };
}

function arrange(data: unknown, argument: InsertPlan['argument'] = 'objects', table?: Table): InsertLevel {
  return arrangeInsert(planOf(table ?? modelFixture().author, argument), data);
}

interface Tree {
  readonly values: Readonly<Record<string, string | null>>;
  readonly before?: Readonly<Record<string, readonly Tree[]>>;
  readonly after?: Readonly<Record<string, readonly Tree[]>>;
}

/** Returns the rows as objects of values and of nested rows by relationship. */
function treesOf({ rows }: InsertLevel): readonly Tree[] {
  return rows.map(({ values, before, after }) => ({
    values: Object.fromEntries([...values].map(([{ name }, value]) => [name, value])),
    ...(before.length > 0 && { before: nestedOf(before) }),
    ...(after.length > 0 && { after: nestedOf(after) }),
  }));
}

function nestedOf(inserts: InsertRow['before']): Readonly<Record<string, readonly Tree[]>> {
  return Object.fromEntries(inserts.map(({ relationship: { name }, level }) => [name, treesOf(level)]));
}

describe('the rows of an insert', () => {
  test('have their values in the text form of PostgreSQL', () => {
    const data = [
      { id: 1, profile: { a: [1] } },
      { name: null, born: '2020-01-01' },
    ];
    expect(treesOf(arrange(data))).toEqual([
      { values: { id: '1', profile: '{"a":[1]}' } },
      { values: { name: null, born: '2020-01-01' } },
    ]);
  });

  test.each([
    ['objects', [{}, {}], `${path}.args.objects`, [`${path}.args.objects[0]`, `${path}.args.objects[1]`]],
    ['objects', {}, `${path}.args.objects`, [`${path}.args.objects[0]`]],
    ['object', {}, `${path}.args.object`, [`${path}.args.object`]],
  ] as const)('have the path of their argument: %s', (argument, data, own, rows) => {
    const level = arrange(data, argument);
    expect([level.path, level.rows.map((row) => row.path)]).toEqual([own, rows]);
  });

  test('have the access and the conflict clause of their table', () => {
    const { author } = modelFixture();
    const conflict = planConflict(ADMIN_ROLE, author, { constraint: 'a' }, '$');
    expect(arrangeInsert(planOf(author, 'objects', conflict), [])).toEqual({
      table: author,
      access: insertAccess(author, ADMIN_ROLE),
      conflict,
      path: `${path}.args.objects`,
      rows: [],
    });
  });

  test('have no members that are neither columns nor relationships', () => {
    expect(treesOf(arrange([{ id: 1, nothing: 2 }]))).toEqual([{ values: { id: '1' } }]);
  });

  test('have only values of the type of their column', () => {
    expect(() => arrange([{}, { id: 'x' }])).toThrow(
      expect.objectContaining({ path: `${path}.args.objects[1].id`, code: 'data-exception' }),
    );
  });

  test('cannot be of a table that the role may not insert into', () => {
    const { author } = modelFixture();
    expect(() => arrangeInsert({ ...planOf(author, 'objects'), role: user }, [])).toThrow(
      'the role may not insert into author',
    );
  });
});

describe('nested rows', () => {
  test('of an array relationship are inserted after the row that they refer to', () => {
    const data = [{ id: 1, articles: { data: [{ title: 'a' }, { title: 'b' }] } }];
    expect(treesOf(arrange(data))).toEqual([
      { values: { id: '1' }, after: { articles: [{ values: { title: 'a' } }, { values: { title: 'b' } }] } },
    ]);
  });

  test('of an object relationship are inserted before the row that refers to them', () => {
    const data = [{ title: 'a', author: { data: { name: 'b' } } }];
    expect(treesOf(arrange(data, 'objects', modelFixture().article))).toEqual([
      { values: { title: 'a' }, before: { author: [{ values: { name: 'b' } }] } },
    ]);
  });

  test('of an object relationship whose target has the foreign key are inserted after the row', () => {
    const { author, article } = modelFixture();
    relate(author, 'object', 'first', article, ['id', 'author_id'], true);
    author.relationships.set('first', { ...relationship(author, 'first'), insertAfter: true });
    expect(treesOf(arrange([{ first: { data: { title: 'a' } } }], 'objects', author))).toEqual([
      { values: {}, after: { first: [{ values: { title: 'a' } }] } },
    ]);
  });

  test.each([
    ['null', null],
    ['undefined', undefined],
    ['an empty list', { data: [] }],
  ])('do not exist for %s', (_what, articles) => {
    expect(treesOf(arrange([{ id: 1, articles }]))).toEqual([{ values: { id: '1' } }]);
  });

  test('have the paths of their arguments', () => {
    const [row] = arrange([{ articles: { data: [{}] } }]).rows;
    const own = `${path}.args.objects[0].articles`;
    expect(row?.after).toMatchObject([
      { path: own, level: { path: `${own}.data`, rows: [{ path: `${own}.data[0]` }] } },
    ]);
  });

  test('of an object have the path of one row', () => {
    const [row] = arrange([{ author: { data: {} } }], 'objects', modelFixture().article).rows;
    expect(row?.before).toMatchObject([{ level: { rows: [{ path: `${path}.args.objects[0].author.data` }] } }]);
  });

  test('have a conflict clause of their own', () => {
    const conflict = { constraint: 'article_pkey', update_columns: ['title'] };
    const [row] = arrange([{ articles: { data: [{}], on_conflict: conflict } }]).rows;
    expect(row?.after).toMatchObject([
      {
        level: { conflict: { target: { kind: 'constraint', name: 'article_pkey' }, columns: [{ name: 'title' }] } },
      },
    ]);
    const wrong = { ...conflict, update_columns: ['none'] };
    expect(() => arrange([{ articles: { data: [{}], on_conflict: wrong } }])).toThrow(
      expect.objectContaining({ path: `${path}.args.objects[0].articles.on_conflict.update_columns` }),
    );
  });
});

describe('the value of a column is determined once', () => {
  const fixture = modelFixture();
  relate(fixture.article, 'object', 'editor', fixture.author, ['author_id', 'id'], false);
  relate(fixture.author, 'array', 'titled', fixture.article, ['name', 'title'], true);
  const at = `${path}.args.objects[0]`;
  const known = (name: string) =>
    `cannot insert object relationship "${name}" as "author_id" column values are already determined`;

  test.each([
    [
      'by a value and the parent row',
      'author',
      { articles: { data: [{ author_id: 1 }] } },
      `${at}.articles.data[0]`,
      'cannot insert "author_id" columns as their values are already being determined by parent insert',
    ],
    ['by a value and a nested row', 'article', { author_id: 1, author: { data: {} } }, `${at}.author`, known('author')],
    [
      'by the parent row and a nested row',
      'author',
      { articles: { data: [{ author: { data: {} } }] } },
      `${at}.articles.data[0].author`,
      known('author'),
    ],
    ['by two nested rows', 'article', { author: { data: {} }, editor: { data: {} } }, `${at}.editor`, known('editor')],
  ] as const)('not %s', (_what, table, object, where, message) => {
    expect(() => arrange([object], 'objects', fixture[table])).toThrow(
      expect.objectContaining({ code: 'validation-failed', path: where, message }),
    );
  });

  test('a nested row may have values of other columns than those of the relationship', () => {
    const data = [{ titled: { data: [{ author_id: 1 }] }, articles: { data: [{ title: 'a' }] } }];
    expect(arrange(data, 'objects', fixture.author).rows[0]?.after).toHaveLength(2);
  });

  test('the error lists all columns', () => {
    const { author, article } = modelFixture();
    const mapping = [
      { from: column(author, 'id'), to: column(article, 'author_id') },
      { from: column(author, 'name'), to: column(article, 'title') },
    ];
    author.relationships.set('articles', { ...relationship(author, 'articles'), mapping });
    expect(() => arrange([{ articles: { data: [{ author_id: 1, title: 'a' }] } }], 'objects', author)).toThrow(
      'cannot insert "author_id", "title" columns',
    );
  });
});

describe('a conflict clause', () => {
  const fixture: ModelFixture = modelFixture();
  const { author, rules } = fixture;
  const plan = (value: unknown, role = ADMIN_ROLE) => planConflict(role, author, value, '$.on_conflict');
  const access: UpdateAccess = {
    columns: new Set([column(author, 'name')]),
    filter: rules.author,
    check: compare(column(author, 'name'), { kind: 'constant', value: 'a' }),
    presets: new Map([[column(author, 'secret'), { kind: 'constant', value: 'b' }]]),
    backendOnly: false,
  };
  author.updateAccess.set(user, access);
  const insertOnly: InsertAccess = { columns: new Set(), check: everyRow, presets: new Map(), backendOnly: false };

  test.each([undefined, null])('that is %s does not exist', (value) => {
    expect(plan(value)).toBeUndefined();
  });

  test.each([
    ['a constraint', { constraint: 'author_pkey' }, { kind: 'constraint', name: 'author_pkey' }],
    ['columns', { constraint_on: ['id', 'none', 'name'] }, { kind: 'columns', columns: ['id', 'name'] }],
    ['anything', {}, { kind: 'any' }],
    ['anything', { constraint: null }, { kind: 'any' }],
  ])('can be for %s: %j', (_what, value, expected) => {
    const target = plan(value)?.target;
    const named = target?.kind === 'columns' ? { ...target, columns: target.columns.map(({ name }) => name) } : target;
    expect(named).toEqual(expected);
  });

  test('updates each of its columns once', () => {
    expect(plan({ update_columns: ['name', 'id', 'name'] })?.columns.map(({ name }) => name)).toEqual(['name', 'id']);
    expect(plan({ update_columns: null })?.columns).toEqual([]);
  });

  test('updates no columns that do not exist', () => {
    expect(() => plan({ update_columns: ['name', '_PLACEHOLDER'] })).toThrow(
      expect.objectContaining({
        code: 'validation-failed',
        message: 'erroneous column name: no column of "author" can be updated',
        path: '$.on_conflict.update_columns',
      }),
    );
  });

  test('has the presets, the row rule and the check of the update permission', () => {
    const where = { name: { _eq: new VariableReference('v') } };
    expect(plan({ where }, user)).toMatchObject({
      presets: access.presets,
      where: { kind: 'and', of: [rules.author, compare(column(author, 'name'), { kind: 'variable', name: 'v' })] },
      check: access.check,
    });
  });

  test('updates no row without an update permission', () => {
    const { article } = fixture;
    article.insertAccess.set(user, insertOnly);
    expect(planConflict(user, article, {}, '$')).toEqual({
      target: { kind: 'any' },
      columns: [],
      presets: new Map(),
      where: everyRow,
      check: undefined,
    });
  });

  test('has a condition with the path of its argument', () => {
    expect(() => plan({ where: { id: { _eq: 'x' } } })).toThrow(
      expect.objectContaining({ path: '$.on_conflict.where.id._eq' }),
    );
  });
});
