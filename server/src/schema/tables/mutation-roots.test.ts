import { ADMIN_ROLE } from '@joinery/metadata/names';
import { GraphQLInputObjectType, GraphQLObjectType, printType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { type ModelFixture, modelFixture, user } from '../../../test/support/model/sample-model.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import type { DeleteAccess, InsertAccess, Table, UpdateAccess } from '../../model/types/table.ts';
import { roleSchema } from '../role-schema.ts';

const access = { filter: everyRow, check: everyRow, presets: new Map(), backendOnly: false };

interface Granted {
  readonly insert?: Partial<InsertAccess>;
  readonly update?: Partial<UpdateAccess>;
  readonly delete?: Partial<DeleteAccess>;
}

/** The write permissions of `user` on authors, with columns by name. */
function granted({ author }: ModelFixture, names: readonly string[], { insert, update, delete: gone }: Granted): void {
  const columns = new Set([...author.columns.values()].filter(({ name }) => names.includes(name)));
  if (insert) author.insertAccess.set(user, { ...access, columns, ...insert });
  if (update) author.updateAccess.set(user, { ...access, columns, ...update });
  if (gone) author.deleteAccess.set(user, { ...access, ...gone });
}

function mutationsOf(fixture: ModelFixture, backend = false): string[] {
  return Object.keys(roleSchema(fixture.model, user, backend).schema.getMutationType()?.getFields() ?? {});
}

function membersOf(fixture: ModelFixture, name: string, role = user): string[] {
  const type = roleSchema(fixture.model, role).schema.getType(name);
  if (!(type instanceof GraphQLInputObjectType || type instanceof GraphQLObjectType)) return [];
  return Object.keys(type.getFields());
}

describe('a role', () => {
  test('has the mutations that it may run, and none without a permission', () => {
    const fixture = modelFixture();
    expect(mutationsOf(fixture)).toEqual([]);
    const granting = modelFixture();
    granted(granting, ['name'], { insert: {}, delete: {} });
    expect(mutationsOf(granting)).toEqual([
      'insert_author',
      'insert_author_one',
      'delete_author',
      'delete_author_by_pk',
    ]);
  });

  test('may insert and update the columns of its permission, and upsert only if it may update', () => {
    const fixture = modelFixture();
    granted(fixture, ['name'], { insert: {} });
    expect(membersOf(fixture, 'author_insert_input')).toEqual(['name']);
    const { schema } = roleSchema(fixture.model, user);
    const insert = schema.getMutationType()?.getFields().insert_author;
    expect(insert?.args.map(({ name }) => name)).toEqual(['objects']);
    const updating = modelFixture();
    granted(updating, ['name', 'profile'], { update: {} });
    const update = roleSchema(updating.model, user).schema.getMutationType()?.getFields().update_author;
    expect(update?.args.map(({ name }) => name)).toEqual([
      '_set',
      '_append',
      '_prepend',
      '_delete_key',
      '_delete_elem',
      '_delete_at_path',
      'where',
    ]);
  });

  test('sees backend_only permissions only as a backend', () => {
    const fixture = modelFixture();
    granted(fixture, ['name'], { insert: { backendOnly: true }, delete: {} });
    expect(mutationsOf(fixture)).toEqual(['delete_author', 'delete_author_by_pk']);
    expect(mutationsOf(fixture, true)).toContain('insert_author');
    expect(roleSchema(fixture.model, ADMIN_ROLE, true)).toBe(roleSchema(fixture.model, ADMIN_ROLE));
  });

  test('that may set no column has a type with a placeholder', () => {
    const fixture = modelFixture();
    granted(fixture, [], { insert: {} });
    expect(membersOf(fixture, 'author_insert_input')).toEqual(['_PLACEHOLDER']);
  });
});

describe('the roots of admin', () => {
  const writing = (change: Partial<Table>) => {
    const fixture = modelFixture();
    Object.assign(fixture.author, change);
    return Object.keys(roleSchema(fixture.model, ADMIN_ROLE).schema.getMutationType()?.getFields() ?? {});
  };

  test('are those that PostgreSQL permits', () => {
    const all = writing({}).filter((name) => name.includes('author'));
    expect(all).toEqual([
      'insert_author',
      'insert_author_one',
      'update_author',
      'update_author_many',
      'update_author_by_pk',
      'delete_author',
      'delete_author_by_pk',
    ]);
    expect(writing({ insertable: false, updatable: false, deletable: false })).not.toEqual(
      expect.arrayContaining([expect.stringContaining('author')]),
    );
  });

  test('select one row only by a primary key', () => {
    expect(writing({ primaryKey: undefined }).filter((name) => name.includes('by_pk'))).not.toContain(
      'update_author_by_pk',
    );
  });
});

test('accept nested rows, each with its own conflict clause', () => {
  const fixture = modelFixture();
  Object.assign(fixture.article, { uniqueKeys: [{ name: 'article_title_key', columns: ['title'] }] });
  const { schema } = roleSchema(fixture.model, ADMIN_ROLE);
  const printed = (name: string) => {
    const type = schema.getType(name);
    return (
      type &&
      printType(type)
        .replaceAll(/\s*""".*?"""\n/gs, '\n')
        .replaceAll(/\n\n/g, '\n')
    );
  };
  expect(printed('article_arr_rel_insert_input')).toContain('data: [article_insert_input!]!');
  expect(printed('author_obj_rel_insert_input')).toContain('data: author_insert_input!');
  expect(membersOf(fixture, 'author_obj_rel_insert_input', ADMIN_ROLE)).toEqual(['data']);
  expect(printed('article_on_conflict')).toContain('constraint: article_constraint!');
  expect(printed('article_on_conflict')).toContain('update_columns: [article_update_column!]! = []');
  expect(printed('article_mutation_response')).toContain('returning: [article!]!');
});
