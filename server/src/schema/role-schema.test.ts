import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  printType,
  validateSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  allow,
  counter,
  modelFixture,
  relate,
  stranger,
  tableOf,
  user,
} from '../../test/support/model/sample-model.ts';
import { everyRow } from '../model/predicate/combinators.ts';
import { bindingOf } from './binding.ts';
import { roleSchema } from './role-schema.ts';

function printed(schema: GraphQLSchema, name: string): string {
  const type = schema.getType(name);
  // Without descriptions, which another test covers.
  return type
    ? printType(type)
        .replaceAll(/\n*\s*"""[\s\S]*?"""/g, '')
        .trim()
    : 'none';
}

function membersOf(schema: GraphQLSchema, name: string): string[] {
  const type = schema.getType(name) as GraphQLObjectType | GraphQLInputObjectType | undefined;
  return Object.keys(type?.getFields() ?? {});
}

describe('the schema of a role', () => {
  test('is valid for every role', () => {
    const { model } = modelFixture();
    for (const role of [ADMIN_ROLE, user, counter, stranger]) {
      const { schema } = roleSchema(model, role);
      // The schema is created with `assumeValid`; this validates all of its types.
      Object.assign(schema, { __validationErrors: undefined });
      expect(validateSchema(schema)).toEqual([]);
    }
  });

  test('is created once for each role of a model', () => {
    const { model } = modelFixture();
    expect(roleSchema(model, user)).toBe(roleSchema(model, user));
    expect(roleSchema(model, user).schema).not.toBe(roleSchema(model, counter).schema);
    expect(roleSchema(modelFixture().model, user)).not.toBe(roleSchema(model, user));
  });

  test('is shared by all roles without a permission, so that unknown roles need no memory', () => {
    const { model } = modelFixture();
    const [one, other] = [roleSchema(model, stranger), roleSchema(model, 'invented' as typeof stranger)];
    expect(other.schema).toBe(one.schema);
    expect([one.role, other.role]).toEqual([stranger, 'invented']);
  });

  test('lacks columns, functions and relationships that the role may not name', () => {
    const { model } = modelFixture();
    const { schema } = roleSchema(model, user);
    expect(membersOf(schema, 'author')).toEqual([
      'id',
      'name',
      'profile',
      'articles',
      'articles_aggregate',
      'homepage',
      'invoices',
      'invoices_aggregate',
    ]);
    expect(membersOf(schema, 'author_bool_exp')).not.toContain('secret');
    expect(membersOf(schema, 'author_order_by')).not.toContain('born');
    expect(printed(schema, 'author_select_column')).toBe('enum author_select_column {\n  id\n  name\n  profile\n}');
    expect(membersOf(schema, 'article_aggregate_fields')).toContain('sum');
    expect(membersOf(schema, 'article_sum_fields')).not.toContain('words');
    expect(schema.getType('author_aggregate')).toBeUndefined();
    expect(membersOf(schema, 'query_root')).toEqual([
      'author',
      'author_by_pk',
      'article',
      'article_by_pk',
      'article_aggregate',
      'invoice',
      'invoice_by_pk',
      'invoice_aggregate',
      'homepage',
      'motto',
    ]);
  });

  test('has relationships only to tables that the role may select from', () => {
    const { model, article } = modelFixture();
    const secret = tableOf('default', 'secret', { id: 'Int!' });
    relate(article, 'object', 'classified', secret, ['id', 'id'], true);
    for (const type of ['article', 'article_bool_exp', 'article_order_by']) {
      expect(membersOf(roleSchema(model, user).schema, type)).not.toContain('classified');
      expect(membersOf(roleSchema(model, ADMIN_ROLE).schema, type)).toContain('classified');
    }
  });

  test('lets a role without columns count, and nothing else', () => {
    const { schema } = roleSchema(modelFixture().model, counter);
    expect(membersOf(schema, 'query_root')).toEqual(['article_aggregate', 'homepage', 'motto']);
    expect(membersOf(schema, 'article_aggregate')).toEqual(['aggregate']);
    expect(printed(schema, 'article_aggregate_fields')).toBe(
      'type article_aggregate_fields {\n  count(distinct: Boolean): Int!\n}',
    );
    expect(Object.keys(schema.getQueryType()?.getFields().article_aggregate?.args ?? {})).toHaveLength(3);
  });

  test('has a placeholder field if the role has no queries', () => {
    const { model } = modelFixture();
    const { schema } = roleSchema({ ...model, remoteSchemas: new Map() }, stranger);
    expect(membersOf(schema, 'query_root')).toEqual(['no_queries_available']);
    expect(schema.getMutationType()).toBeUndefined();
  });
});

describe('types of tables', () => {
  const { model } = modelFixture();
  const { schema } = roleSchema(model, user);

  test('an object relationship by a foreign key that is not null is non-null, whatever the row rule of its target', () => {
    expect(printed(schema, 'article')).toBe(
      [
        'type article {',
        '  id: Int!',
        '  title: String!',
        '  author_id: Int!',
        '  published: Boolean',
        '  rating: float8',
        '  tags: [String!]',
        '  author: author!',
        '}',
      ].join('\n'),
    );
  });

  test('with strict nullability, a relationship to rows that the role may not see is nullable', () => {
    const strict = roleSchema({ ...model, strictNullability: true }, user).schema;
    expect(printed(strict, 'article')).toContain('author: author\n');
  });

  test('json columns have a path argument, and lists have arguments', () => {
    const author = schema.getType('author') as GraphQLObjectType;
    expect(author.getFields().profile?.args.map(({ name, type }) => `${name}: ${type}`)).toEqual(['path: String']);
    expect(author.getFields().articles?.args.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      'distinct_on: [article_select_column!]',
      'limit: Int',
      'offset: Int',
      'order_by: [article_order_by!]',
      'where: article_bool_exp',
    ]);
    expect(String(author.getFields().articles?.type)).toBe('[article!]!');
    expect(String(author.getFields().articles_aggregate?.type)).toBe('article_aggregate!');
  });

  test('selects a row by its whole key', () => {
    const args = schema
      .getQueryType()
      ?.getFields()
      .invoice_by_pk?.args.map(({ name, type }) => `${name}: ${type}`);
    expect(args).toEqual(['number: uuid!']);
  });

  test('comparisons have the operators of the column type', () => {
    expect(printed(schema, 'article_bool_exp')).toContain('tags: String_array_comparison_exp');
    expect(printed(schema, 'String_array_comparison_exp')).toContain('_contains: [String!]');
    expect(printed(schema, 'String_array_comparison_exp')).toContain('_in: [[String!]!]');
    expect(printed(schema, 'jsonb_comparison_exp')).toContain('_cast: jsonb_cast_exp');
    expect(printed(schema, 'jsonb_comparison_exp')).toContain('_has_keys_any: [String!]');
    expect(printed(schema, 'Int_comparison_exp')).not.toContain('_like');
  });

  test('aggregates of related rows can be conditions', () => {
    expect(printed(schema, 'article_aggregate_bool_exp_count')).toBe(
      [
        'input article_aggregate_bool_exp_count {',
        '  arguments: [article_select_column!]',
        '  distinct: Boolean',
        '  filter: article_bool_exp',
        '  predicate: Int_comparison_exp!',
        '}',
      ].join('\n'),
    );
    expect(printed(schema, 'article_aggregate_bool_exp_bool_and')).toContain(
      'arguments: article_select_column_article_aggregate_bool_exp_bool_and_arguments_columns!',
    );
    expect(printed(schema, 'article_aggregate_bool_exp_corr_arguments')).toContain(
      'X: article_select_column_article_aggregate_bool_exp_corr_arguments_columns!',
    );
  });

  test('sums have the type of their column, averages are Floats, and comparable columns have a minimum and a maximum', () => {
    const admin = roleSchema(model, ADMIN_ROLE).schema;
    expect(printed(admin, 'article_sum_fields')).toContain('words: bigint');
    expect(printed(admin, 'article_avg_fields')).toContain('words: Float');
    expect(membersOf(admin, 'article_max_fields')).toEqual(['id', 'title', 'author_id', 'rating', 'words', 'tags']);
    expect(membersOf(admin, 'author_max_fields')).toEqual(['id', 'name', 'born', 'secret']);
    expect(membersOf(admin, 'invoice_max_fields')).toEqual(['number', 'author_id', 'total']);
  });

  test('every field is bound to its model object', () => {
    const { model: fresh, author } = modelFixture();
    const row = roleSchema(fresh, user).schema.getType('author') as GraphQLObjectType;
    for (const field of Object.values(row.getFields())) expect(bindingOf(field)).toBeDefined();
    const [articles, name] = [row.getFields().articles, row.getFields().name];
    expect(articles && bindingOf(articles)).toMatchObject({
      kind: 'relationship',
      relationship: author.relationships.get('articles'),
    });
    expect(name && bindingOf(name)).toEqual({ kind: 'column', column: author.columns.get('name') });
  });

  test('a column with the name of a GraphQL literal is not in the enum of columns', () => {
    const { model: fresh, article } = modelFixture();
    const odd = tableOf('default', 'odd', { id: 'Int!', true: 'Boolean' });
    relate(article, 'array', 'odds', odd, ['id', 'id'], true);
    allow(odd, user, ['id', 'true'], everyRow);
    const { schema: withOdd } = roleSchema(fresh, user);
    expect(membersOf(withOdd, 'odd')).toEqual(['id', 'true']);
    expect(printed(withOdd, 'odd_select_column')).toBe('enum odd_select_column {\n  id\n}');
  });

  test('descriptions name tables and explain arguments', () => {
    expect(schema.getType('author')?.description).toBe('columns and relationships of "author"');
    expect(schema.getQueryType()?.getFields().author_by_pk?.description).toBe(
      'fetch data from the table: "author" using primary key columns',
    );
    const [, , offset] = schema.getQueryType()?.getFields().author?.args ?? [];
    expect(offset?.description).toBe('skip the first n rows. Use only with order_by');
  });
});
