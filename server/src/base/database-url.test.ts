/** Tests of database URLs with one and with several hosts. */
import { describe, expect, test } from 'vitest';
import { parseDatabaseUrl, passwordsIn } from './database-url.ts';

describe('a database URL', () => {
  test('with one host is unchanged', () => {
    const url = 'postgres://user:p%40ss@db:5432/shop?sslmode=require';
    expect(parseDatabaseUrl(url)).toEqual({ hosts: [url], session: 'any', connectTimeoutMs: undefined });
  });

  test('with a space is percent-encoded', () => {
    expect(parseDatabaseUrl('postgres://u:a b@[::1]/shop ').hosts).toEqual(['postgres://u:a%20b@[::1]/shop']);
  });

  test('with several hosts is one URL for each host', () => {
    const url =
      'postgresql://u:p@one:5432,two,[::1]:5434/db?target_session_attrs=read-write&connect_timeout=2&sslmode=require';
    expect(parseDatabaseUrl(url)).toEqual({
      hosts: [
        'postgresql://u:p@one:5432/db?sslmode=require',
        'postgresql://u:p@two/db?sslmode=require',
        'postgresql://u:p@[::1]:5434/db?sslmode=require',
      ],
      session: 'read-write',
      connectTimeoutMs: 2_000,
    });
  });

  test('reads its hosts from the parameters host and port', () => {
    expect(parseDatabaseUrl('postgres:///db?host=one,two&port=5432,5433&user=u').hosts).toEqual([
      'postgres:///db?host=one&port=5432&user=u',
      'postgres:///db?host=two&port=5433&user=u',
    ]);
  });

  test.each([
    ['http://db/shop', /must look like/],
    ['postgres://u:50%@db/shop', /%25/],
    ['postgres://u@db/%ff', /%25/],
    ['postgres://%ff', /%25/],
    ['postgres://one,tw o/db', /host/],
    ['postgres://one,two/db?target_session_attrs=master', /target_session_attrs/],
    ['postgres://one,two/db?connect_timeout=soon', /connect_timeout/],
    ['postgres:///db?host=one,two&port=1,2,3', /different number of ports/],
  ])('%s is rejected', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
  });

  test('has a password that can be read with several hosts', () => {
    expect(passwordsIn('postgres://u:p%40ss@one:5432,two:5433/db')).toEqual(['p%40ss', 'p@ss']);
    expect(passwordsIn('postgres://one:5432,two:5433/db')).toEqual([]);
    expect(passwordsIn('postgres://u@one:5432,two:5433/db')).toEqual([]);
  });
});
