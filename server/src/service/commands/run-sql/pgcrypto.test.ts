import { expect, it } from 'vitest';
import { cryptoCalls } from './pgcrypto.ts';

const found = (sql: string): readonly string[] =>
  cryptoCalls(sql).map(({ name, inPublic }) => (inPublic ? `public.${name}` : name));

it.each([
  ['create table t (id uuid default public.gen_random_uuid())', ['public.gen_random_uuid']],
  ['create table t (id uuid default "public"."gen_random_uuid"())', ['public.gen_random_uuid']],
  ['SELECT GEN_RANDOM_UUID ()', ['gen_random_uuid']],
  [`select crypt('a', gen_salt('bf')), digest('a', 'sha1')`, ['crypt', 'gen_salt', 'digest']],
  [`select pgp_sym_decrypt_bytea(a, 'b')`, ['pgp_sym_decrypt_bytea']],
])('finds the calls of %s', (sql, expected) => {
  expect(found(sql)).toEqual(expected);
});

it.each([
  'select extensions.gen_random_uuid()',
  'select my_digest(1), digest_of(2), "Crypt"',
  'create or replace function public.digest (a text) returns text language sql as $$ select a $$',
  'create extension if not exists pgcrypto; select crypt(1, 2)',
  'create extension "pgcrypto" with schema extensions; select gen_random_uuid()',
  'select digest from hashes',
])('finds no call in %s', (sql) => {
  expect(found(sql)).toEqual([]);
});
