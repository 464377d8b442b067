import { describe, expect, it, test } from 'vitest';
import { grantOf, sessionOfGrant } from './claims.ts';
import { claimsMapError, JwtSecretsText, JwtSecretText } from './settings.ts';

const key = 'a key that is long enough for a hash of 256 bits';
const settings = (more: object = {}) => JwtSecretText.parse(JSON.stringify({ type: 'HS256', key, ...more }));
const roles = { 'x-service-allowed-roles': ['user', 'editor'], 'x-service-default-role': 'user' };
const standard = 'https://hasura.io/jwt/claims';

function sessionFor(token: object, more: object = {}, requested?: string) {
  return sessionOfGrant(
    grantOf(token as Record<string, unknown>, settings(more), 'x-service-'),
    requested,
    'x-service-',
  );
}

describe('claims', () => {
  it('are in the namespace of Hasura v2 unless another is configured', () => {
    expect(sessionFor({ [standard]: roles }).role).toBe('user');
    expect(sessionFor({ mine: roles }, { claims_namespace: 'mine' }).role).toBe('user');
    expect(sessionFor({ a: { 'b c': [roles] } }, { claims_namespace_path: "$.a['b c'][0]" }).role).toBe('user');
    expect(sessionFor({ ...roles }, { claims_namespace_path: '$' }).role).toBe('user');
  });

  it('may be a JSON string', () => {
    const token = { [standard]: JSON.stringify(roles) };
    expect(sessionFor(token, { claims_format: 'stringified_json' }).role).toBe('user');
    expect(() => sessionFor(token)).toThrow(expect.objectContaining({ code: 'jwt-invalid-claims' }));
    expect(() => sessionFor({ [standard]: roles }, { claims_format: 'stringified_json' })).toThrow('claims_format');
  });

  it('have a default role that is not empty', () => {
    const token = { [standard]: { 'x-service-allowed-roles': [''], 'x-service-default-role': '' } };
    expect(() => sessionFor(token)).toThrow(expect.objectContaining({ code: 'jwt-invalid-claims' }));
  });

  it('become variables in lower case; lists become array literals, other values their JSON', () => {
    const more = {
      'X-Service-User-Id': '7',
      'x-service-groups': ['a', 'b"c\\', 3, null],
      'x-service-n': 5,
      'x-service-o': { a: 1 },
      other: 'x',
    };
    const { variables } = sessionFor({ [standard]: { ...roles, ...more } });
    expect(Object.fromEntries(variables)).toEqual({
      'x-service-role': 'user',
      'x-service-user-id': '7',
      'x-service-groups': '{"a","b\\"c\\\\","3",NULL}',
      'x-service-n': '5',
      'x-service-o': '{"a":1}',
    });
  });

  it('are built from a map of paths, defaults and constants', () => {
    const claims_map = {
      'x-service-allowed-roles': { path: '$.realm.roles' },
      'x-service-default-role': { path: '$.role', default: 'user' },
      'x-service-user-id': { path: '$.sub' },
      'x-service-tenant': 'acme',
      'x-service-plan': { path: '$.plan', default: 'free' },
      'x-service-org': { path: "$.['https://example.com/claims'].orgs.[1].id" },
    };
    const token = { sub: 'u1', realm: { roles: ['user'] }, 'https://example.com/claims': { orgs: [{}, { id: 'o2' }] } };
    const { variables } = sessionFor(token, { claims_map });
    expect(Object.fromEntries(variables)).toEqual({
      'x-service-role': 'user',
      'x-service-user-id': 'u1',
      'x-service-tenant': 'acme',
      'x-service-plan': 'free',
      'x-service-org': 'o2',
    });
  });

  test.each<readonly [string, object, string]>([
    ['is absent', {}, 'JWT claim from claims_map, x-service-user-id not found'],
    ['is in a list, not an object', { user: [{ id: '1' }] }, 'x-service-user-id not found'],
    ['is null', { user: { id: null } }, 'x-service-user-id is null'],
  ])('reject the token if a mapped claim without a default %s', (_case, token, message) => {
    const claims_map = {
      'x-service-allowed-roles': ['user'],
      'x-service-default-role': 'user',
      'x-service-user-id': { path: '$.user.id' },
    };
    expect(() => sessionFor(token, { claims_map })).toThrow(
      expect.objectContaining({ code: 'jwt-invalid-claims', message: expect.stringContaining(message) }),
    );
  });

  it('have no default that is null', () => {
    const claims_map = {
      'x-service-allowed-roles': ['user'],
      'x-service-default-role': { path: '$.role', default: null },
    };
    expect(() => sessionFor({}, { claims_map })).toThrow(expect.objectContaining({ code: 'jwt-missing-role-claims' }));
  });

  it('do not require a mapped claim without the prefix of session variables', () => {
    const claims_map = {
      'x-service-allowed-roles': ['user'],
      'x-service-default-role': 'user',
      other: { path: '$.other' },
    };
    expect(sessionFor({}, { claims_map }).variables.size).toBe(1);
  });

  it('are missing roles if the path of a role leads nowhere', () => {
    const claims_map = { 'x-service-allowed-roles': { path: '$.roles' }, 'x-service-default-role': 'user' };
    expect(() => sessionFor({}, { claims_map })).toThrow(
      expect.objectContaining({ code: 'jwt-missing-role-claims', status: 400 }),
    );
  });

  it('must contain the roles', () => {
    const sessionWith = (claims: object) => () => sessionFor({ [standard]: claims });
    const lacking = expect.objectContaining({ code: 'jwt-missing-role-claims' });
    expect(sessionWith({ 'x-service-default-role': 'user' })).toThrow(lacking);
    expect(sessionWith({ 'x-service-allowed-roles': ['user'] })).toThrow(lacking);
    const wrong = expect.objectContaining({ code: 'jwt-invalid-claims' });
    expect(sessionWith({ ...roles, 'x-service-allowed-roles': 'user' })).toThrow(wrong);
    expect(sessionWith({ ...roles, 'x-service-default-role': 1 })).toThrow(wrong);
    expect(() => sessionFor({})).toThrow(wrong);
  });

  it('allow a request to choose one of the allowed roles', () => {
    expect(sessionFor({ [standard]: roles }, {}, 'editor').role).toBe('editor');
    expect(sessionFor({ [standard]: roles }, {}, '').role).toBe('user');
    expect(() => sessionFor({ [standard]: roles }, {}, 'admin')).toThrow(
      expect.objectContaining({ code: 'access-denied', status: 400 }),
    );
  });

  it('expire with the token plus the allowed skew', () => {
    expect(sessionFor({ [standard]: roles, exp: 100 }, { allowed_skew: 5 }).expiresAt).toBe(105_000);
    expect(sessionFor({ [standard]: roles }).expiresAt).toBeUndefined();
  });
});

describe('the setting', () => {
  it.each([
    ['{', 'must be JSON'],
    ['{}', '"jwk_url"'],
    [JSON.stringify({ key }), 'must name the algorithm'],
    [JSON.stringify({ type: 'HS256', key: 'short' }), 'at least 32 bytes'],
    [JSON.stringify({ type: 'HS256', key, jwk_url: 'https://example.com/keys' }), 'either'],
    [JSON.stringify({ jwk_url: 'file:///etc/passwd' }), 'http'],
    [JSON.stringify({ type: 'none', key }), 'HS256'],
    [JSON.stringify({ type: 'HS256', key, claims_namespace: 'a', claims_namespace_path: '$.b' }), 'either'],
    [JSON.stringify({ type: 'HS256', key, nonsense: 1 }), 'nonsense'],
    [JSON.stringify({ type: 'HS256', key, claims_namespace_path: '$.a[' }), 'invalid at character 4'],
    [JSON.stringify({ type: 'HS256', key, claims_namespace_path: '' }), 'must not be empty'],
    [JSON.stringify({ type: 'HS256', key, claims_map: { 'x-service-a': { path: '$.*' } } }), 'invalid at character 2'],
    [JSON.stringify({ type: 'HS256', key, claims_map: { 'x-service-a': { path: '$.a[-1]' } } }), 'negative indexes'],
  ])('rejects %s', (text, reason) => {
    const parsed = JwtSecretText.safeParse(text);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).toContain(JSON.stringify(reason).slice(1, -1));
  });

  test.each([
    ['the allowed roles', { 'x-service-default-role': 'user' }, 'must contain "x-service-allowed-roles"'],
    ['the default role', { 'x-service-allowed-roles': ['user'] }, 'must contain "x-service-default-role"'],
    [
      'a list of allowed roles',
      { 'x-service-allowed-roles': 'user', 'x-service-default-role': 'user' },
      'must be a path or a list of roles',
    ],
    [
      'one default role',
      { 'x-service-allowed-roles': ['user'], 'x-service-default-role': ['user'] },
      'must be a path or a role',
    ],
    [
      'a list as the default of allowed roles',
      { 'x-service-allowed-roles': { path: '$.roles', default: 'user' }, 'x-service-default-role': 'user' },
      'the default of "x-service-allowed-roles" in "claims_map" must be a list of roles',
    ],
    [
      'a role as the default of the default role',
      { 'x-service-allowed-roles': ['user'], 'x-service-default-role': { path: '$.role', default: ['user'] } },
      'the default of "x-service-default-role" in "claims_map" must be a role',
    ],
  ])('requires %s in claims_map', (_what, claims_map, message) => {
    expect(claimsMapError(settings({ claims_map }), 'x-service-')).toContain(message);
  });

  it('with several keys needs distinct issuers', () => {
    const one = { type: 'HS256', key };
    expect(JwtSecretsText.safeParse(JSON.stringify([one, { ...one, issuer: 'a' }])).success).toBe(true);
    expect(JwtSecretsText.safeParse(JSON.stringify([one, one])).success).toBe(false);
  });
});

describe('a token is rejected with the reason', () => {
  test.each<readonly [string, object, object, string]>([
    ['without claims', {}, {}, 'the token has no claims at "https://hasura.io/jwt/claims"'],
    ['without claims at a path', {}, { claims_namespace_path: '$.a' }, 'the token has no claims at "$.a"'],
    [
      'for claims that are text',
      { [standard]: JSON.stringify(roles) },
      {},
      `the claims at "${standard}" are not an object; is claims_format "stringified_json" meant?`,
    ],
    [
      'for text that is no object',
      { [standard]: '[1]' },
      { claims_format: 'stringified_json' },
      `the claims at "${standard}" are not an object; is claims_format "json" meant?`,
    ],
    ...[5, roles, '{', null].map(
      (found) =>
        [
          `for ${JSON.stringify(found)} in place of text`,
          { [standard]: found },
          { claims_format: 'stringified_json' },
          `the claims at "${standard}" are not a string with a JSON object, which claims_format "stringified_json" requires`,
        ] as const,
    ),
    [
      'for roles that are no list',
      { [standard]: { ...roles, 'x-service-allowed-roles': 'user' } },
      {},
      'claim x-service-allowed-roles must be a list of roles',
    ],
    [
      'for a list with a role that is no text',
      { [standard]: { ...roles, 'x-service-allowed-roles': ['user', 5] } },
      {},
      'claim x-service-allowed-roles must be a list of roles',
    ],
    [
      'for a default role that is no text',
      { [standard]: { ...roles, 'x-service-default-role': 5 } },
      {},
      'claim x-service-default-role must be a role',
    ],
  ])('%s', (_case, token, more, message) => {
    expect(() => sessionFor(token, more)).toThrow(expect.objectContaining({ code: 'jwt-invalid-claims', message }));
  });

  test.each(['x-service-allowed-roles', 'x-service-default-role'])('without %s', (name) => {
    const token = { [standard]: { ...roles, [name]: undefined } };
    const error = { code: 'jwt-missing-role-claims', message: `the claims of the token lack ${name}` };
    expect(() => sessionFor(token)).toThrow(expect.objectContaining(error));
  });

  test.each(['x-service-allowed-roles', 'x-service-default-role'])('without %s at its mapped path', (name) => {
    const claims_map = { ...roles, [name]: { path: '$.absent' } };
    const error = { code: 'jwt-missing-role-claims', message: `the claims of the token lack ${name}` };
    expect(() => sessionFor({}, { claims_map })).toThrow(expect.objectContaining(error));
  });

  it('for a role that is not allowed', () => {
    const error = { code: 'access-denied', status: 400, message: 'Your requested role is not in allowed roles' };
    expect(() => sessionFor({ [standard]: roles }, {}, 'admin')).toThrow(expect.objectContaining(error));
  });
});

it('a claim that is null is no variable', () => {
  const { variables } = sessionFor({ [standard]: { ...roles, 'x-service-user-id': null } });
  expect([...variables.keys()]).toEqual(['x-service-role']);
});

it('a session has an expiry only if the token has one', () => {
  expect(Object.keys(sessionFor({ [standard]: roles }))).not.toContain('expiresAt');
  expect(sessionFor({ [standard]: roles, exp: 5 }, { allowed_skew: 2 }).expiresAt).toBe(7_000);
});

test.each<readonly [object, readonly string[]]>([
  [{}, []],
  [{ scope: 'read  write' }, ['read', 'write']],
  [{ scp: ['read', 'write'] }, ['read', 'write']],
  [{ scope: 'read', scp: 'write' }, ['read', 'write']],
  [{ scope: 5, scp: ['read', 5] }, []],
])('the scopes of %j are %j', (claims, scopes) => {
  expect(sessionFor({ [standard]: roles, ...claims }).scopes).toEqual(scopes);
});
