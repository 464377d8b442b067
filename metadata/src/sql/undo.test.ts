import { describe, expect, it } from 'vitest';
import { changesSchema, migrationName, undoSql } from './undo.ts';

it.each([
  ['create table public.author (id int, name text)', 'drop table public.author;'],
  ['CREATE TABLE author(\n  id int\n)', 'drop table author;'],
  ['create table "My  table" (id int)', 'drop table "My  table";'],
  ['create view v as select 1', 'drop view v;'],
  ['create materialized view shop.v as select 1', 'drop materialized view shop.v;'],
  [`create type mood as enum ('a', 'b')`, 'drop type mood;'],
  ['create unique index concurrently book_title on shop.book (title)', 'drop index concurrently shop.book_title;'],
  ['create trigger t after insert or update on public.book execute function f()', 'drop trigger t on public.book;'],
  ['alter table book add column pages int default 1', 'alter table book drop column pages;'],
  ['alter table book add pages int not null', 'alter table book drop column pages;'],
  ['alter table book alter column title set not null', 'alter table book alter column title drop not null;'],
  ['alter table shop.book rename to tome', 'alter table shop.tome rename to book;'],
  ['alter table book rename title to name', 'alter table book rename column name to title;'],
  [
    'alter table "Book" add column a numeric(3, 1), add constraint c check (a > 0)',
    'alter table "Book" drop constraint c;\nalter table "Book" drop column a;',
  ],
  ['-- a comment\ncreate table a (id int); create index a_id on a (id);', 'drop index a_id;\ndrop table a;'],
])('undoes %s', (sql, undo) => {
  expect(undoSql(sql)).toEqual({ sql: undo, missing: [] });
});

it.each([
  'drop table book',
  'create table if not exists book (id int)',
  'create sequence if not exists s',
  'create or replace view v as select 1',
  'alter table book drop column title',
  'alter table book add unique (title)',
  'alter table book alter column pages type bigint',
  'alter table book add column if not exists a int',
  'create index on book (title)',
  'insert into book values (1)',
])('reports that it cannot undo %s', (sql) => {
  expect(undoSql(sql)).toEqual({ sql: '', missing: [sql] });
});

describe('changesSchema', () => {
  it.each([
    'create table a (id int)',
    ' -- why\nalter table a add b int',
    'select 1; drop view v',
    'grant select on a to b',
  ])('is true for %s', (sql) => expect(changesSchema(sql)).toBe(true));
  it.each([
    'select 1',
    'insert into a values (1)',
    'create temporary table a (id int)',
    `select 'drop table a'`,
    'begin',
  ])('is false for %s', (sql) => expect(changesSchema(sql)).toBe(false));
});

it.each([
  ['create table public.author (id int)', 'create_table_public_author'],
  ['alter table "public"."book" add column pages int default 1', 'alter_table_public_book_add_column_pages'],
  ['alter table "public"."book" add "pages" int', 'alter_table_public_book_add_pages'],
  ['alter table a alter column b type bigint using b::bigint', 'alter_table_a_alter_column_b_type_bigint'],
  ['alter table a alter column b set default 1', 'alter_table_a_alter_column_b_set_default_1'],
  ['alter table a alter column b set not null', 'alter_table_a_alter_column_b_set_not_null'],
  ['alter table a add constraint a_b_fkey foreign key (b) references b (id)', 'alter_table_a_add_constraint_a_b_fkey'],
  ['alter table a rename column b to c', 'alter_table_a_rename_column_b_to_c'],
  ['create unique index concurrently if not exists a_b on a using btree (b)', 'create_unique_index_a_b_on_a'],
  ['select 1; create or replace view v as select 1', 'create_view_v'],
  [`comment on table a is 'x'`, 'comment_on_table_a'],
  ['create table "Länge 1" (id int)', 'create_table_lange_1'],
  ['create table a (id int); create table b (id int); select 1', 'create_table_a_and_1_more'],
  [`create table ${'ab'.repeat(40)} (id int)`, `create_table_${'ab'.repeat(40)}`.slice(0, 60)],
  ['', 'sql'],
])('names a migration of %s', (sql, name) => {
  expect(migrationName(sql)).toBe(name);
});
