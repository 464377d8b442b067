import { expect, it } from 'vitest';
import { libpqConnection } from './connection.ts';

it.each([
  ['postgres://user:p%40ss@host:5432/db', 'postgres://user@host:5432/db', 'p@ss'],
  ['postgres://host/db', 'postgres://host/db', undefined],
  [
    'postgres://user@a:1,b:2/db?target_session_attrs=primary',
    'postgres://user@a:1,b:2/db?target_session_attrs=primary',
    undefined,
  ],
  ['postgresql:///db?host=/run/pg&user=me&password=p', 'postgresql://me@/db?host=%2Frun%2Fpg', 'p'],
  ['postgres://u:p@h/db?sslmode=no-verify&pgbouncer=true', 'postgres://u@h/db?sslmode=require', 'p'],
])('%s becomes %s', (url, uri, password) => {
  expect(libpqConnection(url)).toEqual({ uri, password });
});
