import { describe, expect, test } from 'vitest';
import { catalogOf, resolveTables, tableIn } from '../../../test/support/model/catalog.ts';
import type { Model } from '../model.ts';

const catalog = catalogOf({
  author: { columns: { id: 'int4!', name: 'text', card: 'json', code: 'uuid' }, key: ['id'] },
  article: {
    columns: { id: 'int4!', author_id: 'int4!', editor_id: 'int4', press: 'int4!', place: 'text', author_name: 'text' },
    foreign: [
      'author_id -> author.id',
      'editor_id -> author.id',
      'press, place -> shop.press.id, place',
      'id -> author.id',
      'id -> shop.press.id',
    ],
  },
  'shop.press': { columns: { id: 'int4!', place: 'text!' } },
  author_view: { columns: { id: 'int4', name: 'text' } },
});

type Written = Readonly<Record<string, unknown>>;

interface Relationships {
  readonly object?: readonly Written[];
  readonly array?: readonly Written[];
}

/** Resolves the tables of the catalog, with relationships on `article` and on `author`. */
function resolved(article: Relationships, author: Relationships = {}): Model {
  const entry = (table: unknown, { object = [], array = [] }: Relationships) => ({
    table,
    object_relationships: object,
    array_relationships: array,
  });
  const press = { schema: 'shop', name: 'press' };
  return resolveTables(
    [entry('article', article), entry('author', author), { table: press }, { table: 'author_view' }],
    catalog,
  );
}

const on = (column: unknown) => ({ foreign_key_constraint_on: column });
const manual = (remote_table: unknown, column_mapping: Written, more: Written = {}) => ({
  manual_configuration: { remote_table, column_mapping, ...more },
});

describe('relationships by foreign key', () => {
  const model = resolved(
    {
      object: [
        { name: 'author', using: on('author_id'), comment: 'the author of the article' },
        { name: 'editor', using: on(['editor_id']) },
        { name: 'printed', using: on(['place', 'press']) },
      ],
    },
    {
      object: [{ name: 'sample', using: on({ table: 'article', column: 'author_id' }) }],
      array: [
        { name: 'articles', using: on({ table: 'article', column: 'author_id' }) },
        { name: 'edited', using: on({ table: { schema: 'public', name: 'article' }, columns: ['editor_id'] }) },
      ],
    },
  );
  const found = (table: string, name: string) => {
    const relationship = tableIn(model, table).relationships.get(name);
    return (
      relationship && {
        ...relationship,
        target: relationship.target.name,
        mapping: relationship.mapping.map(({ from, to }) => `${from.name} = ${to.name}`),
      }
    );
  };

  test('have all columns of the key', () => {
    expect(model.inconsistencies).toEqual([]);
  });

  test('are not nullable on columns that are never null', () => {
    expect(found('article', 'author')).toEqual({
      kind: 'object',
      name: 'author',
      target: 'author',
      mapping: ['author_id = id'],
      nullable: false,
      comment: 'the author of the article',
    });
  });

  test('are nullable if a column of the key is nullable', () => {
    expect(found('article', 'editor')).toMatchObject({ nullable: true, mapping: ['editor_id = id'] });
    expect(found('article', 'printed')).toMatchObject({
      target: 'press',
      nullable: true,
      mapping: ['press = id', 'place = place'],
    });
  });

  test('are nullable by a foreign key of the other table', () => {
    expect(found('author', 'sample')).toMatchObject({ kind: 'object', nullable: true, mapping: ['id = author_id'] });
  });

  test('are arrays by a foreign key of the other table', () => {
    expect(found('author', 'articles')).toMatchObject({
      kind: 'array',
      target: 'article',
      mapping: ['id = author_id'],
    });
    expect(found('author', 'edited')).toMatchObject({ kind: 'array', mapping: ['id = editor_id'] });
  });
});

test('manual relationships need no foreign key, and their target may be a view', () => {
  const model = resolved({
    object: [{ name: 'byName', using: manual('author_view', { author_name: 'name', author_id: 'id' }) }],
    array: [{ name: 'namesakes', using: manual('author', { author_name: 'name' }, { source: 'default' }) }],
  });
  expect(model.inconsistencies).toEqual([]);
  const { relationships } = tableIn(model, 'article');
  expect(relationships.get('byName')).toMatchObject({ kind: 'object', nullable: true });
  expect(relationships.get('byName')?.mapping.map(({ from, to }) => [from.name, to.name])).toEqual([
    ['author_name', 'name'],
    ['author_id', 'id'],
  ]);
  expect(relationships.get('namesakes')?.kind).toBe('array');
});

describe('an invalid relationship is dropped with a reason', () => {
  const good = { name: 'editor', using: on('editor_id') };
  const cases: readonly (readonly [string, Written, string, string?])[] = [
    ['no foreign key', { name: 'r', using: on('press') }, 'has no such foreign key on the column press'],
    ['no such column', { name: 'r', using: on('unknown') }, 'table "article" has no column "unknown"'],
    ['several foreign keys', { name: 'r', using: on('id') }, 'has several foreign keys on the column id'],
    ['no foreign key back', { name: 'r', using: on({ table: 'author', column: 'id' }) }, 'table "author" has no such'],
    ['an untracked table', { name: 'r', using: on({ table: 'x', column: 'id' }) }, 'table "x" is not tracked'],
    [
      'an untracked table of a manual relationship',
      { name: 'r', using: manual('x', { id: 'id' }) },
      'table "x" is not tracked',
    ],
    [
      'an unknown column of the table',
      { name: 'r', using: manual('author', { unknown: 'id' }) },
      'table "article" has no column "unknown"',
    ],
    [
      'an unknown column of the target',
      { name: 'r', using: manual('author', { id: 'unknown' }) },
      'table "author" has no column "unknown"',
    ],
    ['columns that cannot be compared', { name: 'r', using: manual('author', { id: 'code' }) }, 'cannot be compared'],
    ['no columns', { name: 'r', using: manual('author', {}) }, 'maps no column'],
    [
      'another source',
      { name: 'r', using: manual('author', { id: 'id' }, { source: 'b' }) },
      'use a remote relationship',
    ],
    ['the name of a column', { name: 'press', using: on('editor_id') }, 'has a column "press"', 'already-exists'],
    ['the name of another', { name: 'editor', using: on('author_id') }, 'a relationship "editor"', 'already-exists'],
  ];
  const complete = cases.map(
    ([title, written, reason, code = 'invalid-configuration']) => [title, written, reason, code] as const,
  );
  test.each(complete)('%s', (_, written, reason, code) => {
    const model = resolved({ object: [good, written] });
    expect(model.inconsistencies).toMatchObject([
      {
        type: 'object_relation',
        name: `object_relation ${written.name} in table article in source default`,
        path: '$.sources[0].tables[0].object_relationships[1]',
        code,
        definition: {
          name: written.name,
          source: 'default',
          table: { schema: 'public', name: 'article' },
          comment: null,
        },
      },
    ]);
    expect(model.inconsistencies[0]?.reason).toContain(reason);
    expect([...tableIn(model, 'article').relationships.keys()]).toEqual(['editor']);
  });

  test('an array relationship by columns of its own table', () => {
    const model = resolved({ array: [{ name: 'r', using: on('author_id') }] });
    expect(model.inconsistencies).toMatchObject([
      { type: 'array_relation', path: '$.sources[0].tables[0].array_relationships[0]' },
    ]);
    expect(model.inconsistencies[0]?.reason).toContain('needs the other table as well');
  });

  test('an array relationship whose aggregate has a name that is in use', () => {
    const back = on({ table: 'article', column: 'author_id' });
    const model = resolved(
      {},
      {
        object: [{ name: 'articles_aggregate', using: back }],
        array: [
          { name: 'articles', using: back },
          { name: 'edited', using: back },
          { name: 'edited_aggregate', using: back },
        ],
      },
    );
    expect(model.inconsistencies.map(({ name, code }) => [name, code])).toEqual([
      ['array_relation articles in table author in source default', 'already-exists'],
      ['array_relation edited_aggregate in table author in source default', 'already-exists'],
    ]);
  });

  test('to a dropped table is dropped with the cause', () => {
    const model = resolveTables(
      [
        { table: 'article', object_relationships: [{ name: 'author', using: on('author_id') }] },
        { table: 'author', configuration: { custom_name: 'article' } },
      ],
      catalog,
    );
    expect(model.inconsistencies.map(({ reason }) => reason)[1]).toBe(
      'in table "article": in relationship "author": table "author" is itself inconsistent; fix it first',
    );
  });
});
