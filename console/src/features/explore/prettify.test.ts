import { expect, test } from 'vitest';
import { curlOf } from '../../shared/graphql/curl.ts';
import { exploreLink, linkedOperation } from '../../shared/graphql/explore-link.ts';
import { forgetOperations, pastOperations, rememberOperation, titleOf } from './history.ts';
import { prettyOperation } from './prettify.ts';
import { rolesIn } from './roles.ts';

test('formats an operation unless it is invalid or has comments', () => {
  expect(prettyOperation('query A{a(b:1){c}}')).toBe('query A {\n  a(b: 1) {\n    c\n  }\n}\n');
  expect(prettyOperation('{ a # why\n}')).toBeUndefined();
  expect(prettyOperation('{ a')).toBeUndefined();
});

test('a curl command quotes its data and reads the secret from the shell', () => {
  const parts = { headers: { 'x-service-role': 'user' }, origin: 'http://localhost:8080', headerPrefix: 'x-service-' };
  const request = { query: `{ a(b: "it's") }`, variables: '{"n":1}', operationName: undefined };
  expect(curlOf({ ...parts, ...request, secretRequired: true })).toBe(
    [
      'curl http://localhost:8080/v1/graphql \\',
      `  -H 'content-type: application/json' \\`,
      '  -H "x-service-admin-secret: $ADMIN_SECRET" \\',
      `  -H 'x-service-role: user' \\`,
      `  -d '{"query":"{ a(b: \\"it'\\''s\\") }","variables":{"n":1}}'`,
    ].join('\n'),
  );
  expect(curlOf({ ...parts, ...request, secretRequired: false })).not.toContain('SECRET');
});

test('writes an operation to a link and reads it back', () => {
  const operation = { query: '{ a(b: "&=#") }', variables: '{"n":1}', role: 'user' };
  const [, search] = exploreLink(operation).split('?');
  expect(linkedOperation(new URLSearchParams(search))).toEqual(operation);
  expect(linkedOperation(new URLSearchParams('page=2'))).toBeUndefined();
});

test('lists past operations once, the latest first, until they are cleared', () => {
  const kept: Record<string, string> = {};
  const store = {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, text: string) => {
      kept[name] = text;
    },
  };
  const one = { query: '{ a }', variables: '', role: '', at: 1 };
  rememberOperation(store, one);
  rememberOperation(store, { ...one, query: '{ b }', at: 2 });
  rememberOperation(store, { ...one, at: 3 });
  expect(pastOperations(store).map(({ query, at }) => [query, at])).toEqual([
    ['{ a }', 3],
    ['{ b }', 2],
  ]);
  forgetOperations(store);
  expect(pastOperations(store)).toEqual([]);
});

test('the title of an operation is its names, or its beginning', () => {
  expect(titleOf('query A { a } mutation B { b }')).toBe('A, B');
  expect(titleOf('{\n  a\n}')).toBe('{ a }');
});

test('lists admin, then the roles of permissions and inherited roles', () => {
  const metadata = {
    sources: [{ tables: [{ select_permissions: [{ role: 'user', permission: {} }], table: { name: 'role' } }] }],
    actions: [{ name: 'a', permissions: [{ role: 'app' }] }],
    inherited_roles: [{ role_name: 'both', role_set: ['user', 'app'] }],
  };
  expect(rolesIn(metadata)).toEqual(['admin', 'app', 'both', 'user']);
  expect(rolesIn(undefined)).toEqual(['admin']);
});
