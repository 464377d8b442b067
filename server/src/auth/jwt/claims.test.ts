import { describe, expect, it } from 'vitest';
import { grantOf, sessionOfGrant } from './claims.ts';
import { JwtSecretsText, JwtSecretText } from './settings.ts';

const key = 'a key that is long enough for a hash of 256 bits';
const settings = (more: object = {}) => JwtSecretText.parse(JSON.stringify({ type: 'HS256', key, ...more }));
const roles = { 'x-service-allowed-roles': ['user', 'editor'], 'x-service-default-role': 'user' };
const standard = 'https://hasura.io/jwt/claims';

function sessionFor(token: object, more: object = {}, asked?: string) {
  return sessionOfGrant(grantOf(token as Record<string, unknown>, settings(more), 'x-service-'), asked, 'x-service-');
}

describe('claims', () => {
  it('stand under the namespace of the reference unless another one is named', () => {
    expect(sessionFor({ [standard]: roles }).role).toBe('user');
    expect(sessionFor({ mine: roles }, { claims_namespace: 'mine' }).role).toBe('user');
    expect(sessionFor({ a: { 'b c': [roles] } }, { claims_namespace_path: "$.a['b c'][0]" }).role).toBe('user');
    expect(sessionFor({ ...roles }, { claims_namespace_path: '$' }).role).toBe('user');
  });

  it('may be the text of JSON', () => {
    const token = { [standard]: JSON.stringify(roles) };
    expect(sessionFor(token, { claims_format: 'stringified_json' }).role).toBe('user');
    expect(() => sessionFor(token)).toThrow(expect.objectContaining({ code: 'jwt-invalid-claims' }));
    expect(() => sessionFor({ [standard]: roles }, { claims_format: 'stringified_json' })).toThrow('claims_format');
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

  it('are put together by a map of paths, defaults and constants', () => {
    const claims_map = {
      'x-service-allowed-roles': { path: '$.realm.roles' },
      'x-service-default-role': { path: '$.role', default: 'user' },
      'x-service-user-id': { path: '$.sub' },
      'x-service-tenant': 'acme',
      'x-service-none': { path: '$.none' },
    };
    const session = sessionFor({ sub: 'u1', realm: { roles: ['user'] } }, { claims_map });
    expect(session.variables.get('x-service-user-id')).toBe('u1');
    expect(session.variables.get('x-service-tenant')).toBe('acme');
    expect(session.variables.has('x-service-none')).toBe(false);
  });

  it('must name the roles', () => {
    const refusal = (claims: object) => () => sessionFor({ [standard]: claims });
    const lacking = expect.objectContaining({ code: 'jwt-missing-role-claims' });
    expect(refusal({ 'x-service-default-role': 'user' })).toThrow(lacking);
    expect(refusal({ 'x-service-allowed-roles': ['user'] })).toThrow(lacking);
    const wrong = expect.objectContaining({ code: 'jwt-invalid-claims' });
    expect(refusal({ ...roles, 'x-service-allowed-roles': 'user' })).toThrow(wrong);
    expect(refusal({ ...roles, 'x-service-default-role': 1 })).toThrow(wrong);
    expect(() => sessionFor({})).toThrow(wrong);
  });

  it('let a request choose among the allowed roles', () => {
    expect(sessionFor({ [standard]: roles }, {}, 'editor').role).toBe('editor');
    expect(() => sessionFor({ [standard]: roles }, {}, 'admin')).toThrow(
      expect.objectContaining({ code: 'access-denied', status: 400 }),
    );
  });

  it('end with the token, and the skew that is allowed', () => {
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
  ])('%s is refused', (text, reason) => {
    const parsed = JwtSecretText.safeParse(text);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).toContain(JSON.stringify(reason).slice(1, -1));
  });

  it('of several needs issuers to tell them apart', () => {
    const one = { type: 'HS256', key };
    expect(JwtSecretsText.safeParse(JSON.stringify([one, { ...one, issuer: 'a' }])).success).toBe(true);
    expect(JwtSecretsText.safeParse(JSON.stringify([one, one])).success).toBe(false);
  });
});
