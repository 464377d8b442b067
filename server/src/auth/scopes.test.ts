import { expect, test } from 'vitest';
import { grantedScopes, type McpScope } from './scopes.ts';

const enabled: ReadonlySet<McpScope> = new Set(['metadata:read', 'data:read']);

test.each<readonly [string, { scopes?: readonly string[] }, readonly string[]]>([
  ['the settings, without a token', {}, ['metadata:read', 'data:read']],
  ['the settings that a token contains', { scopes: ['data:read', 'data:write', 'other'] }, ['data:read']],
  ['no setting, with a token without scopes', { scopes: [] }, []],
])('a caller has the scopes of %s', (_what, session, granted) => {
  expect([...grantedScopes(enabled, session)]).toEqual(granted);
});
