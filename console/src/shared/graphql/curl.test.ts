/** Tests of curl commands. */
import { expect, test } from 'vitest';
import { curlOf } from './curl.ts';

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
