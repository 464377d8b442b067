import { describe, expect, it, test } from 'vitest';
import { claimsMapError, JwtSecretsText, JwtSecretText } from './settings.ts';

const key = 'a key that is long enough for a hash of 256 bits';
const settings = (more: object = {}) => JwtSecretText.parse(JSON.stringify({ type: 'HS256', key, ...more }));

/** Returns the messages of the settings with their paths. */
function problemsOf(given: object) {
  const parsed = JwtSecretText.safeParse(JSON.stringify(given));
  return parsed.error?.issues.map(({ code, message, path }) => ({ code, message, path }));
}

describe('settings', () => {
  const jwk_url = 'https://example.com/keys';

  test.each<readonly [object, string, string]>([
    [{}, 'key', 'give either "key" with "type", or "jwk_url"'],
    [{ type: 'HS256', key, jwk_url }, 'key', 'give either "key" with "type", or "jwk_url"'],
    [{ key }, 'type', 'must name the algorithm of "key"'],
    [
      { jwk_url, claims_namespace: 'a', claims_namespace_path: '$.a' },
      'claims_namespace_path',
      'give either "claims_namespace" or "claims_namespace_path"',
    ],
    [{ type: 'HS256', key: 'k'.repeat(31) }, 'key', 'HS256 needs a key of at least 32 bytes'],
    [{ type: 'HS384', key: 'k'.repeat(47) }, 'key', 'HS384 needs a key of at least 48 bytes'],
    [{ type: 'HS512', key: 'k'.repeat(63) }, 'key', 'HS512 needs a key of at least 64 bytes'],
    [
      { jwk_url, claims_namespace_path: '$.a[-1]' },
      'claims_namespace_path',
      'must be a JSON path without negative indexes',
    ],
  ])('%j are rejected at "%s": %s', (given, path, message) => {
    expect(problemsOf(given)).toEqual([{ code: 'custom', message, path: [path] }]);
  });

  it('a path that cannot be read is rejected with the reason', () => {
    expect(problemsOf({ jwk_url, claims_namespace_path: '$.a[' })).toEqual([
      { code: 'custom', message: expect.stringContaining('path'), path: ['claims_namespace_path'] },
    ]);
  });

  test.each(['ftp://example.com', 'httpsx://example.com', 'xhttp://example.com', 'keys'])(
    'the URL %s of keys is rejected',
    (url) => {
      expect(problemsOf({ jwk_url: url })).toMatchObject([
        { message: 'must be an http or https URL', path: ['jwk_url'] },
      ]);
    },
  );

  it('texts are not empty', () => {
    expect(problemsOf({ jwk_url, issuer: '' })).toMatchObject([{ message: 'must not be empty', path: ['issuer'] }]);
  });

  test.each([
    { type: 'HS256', key: 'k'.repeat(32) },
    { jwk_url, type: 'HS256' },
    { jwk_url, claims_format: 'json' },
    { jwk_url, header: { type: 'Authorization' } },
    { jwk_url, allowed_skew: 0.5 },
  ])('%j are valid', (given) => {
    expect(problemsOf(given)).toBeUndefined();
  });

  it('have the claims as JSON in the Authorization header, unless they say otherwise', () => {
    expect(settings()).toMatchObject({ claims_format: 'json', header: { type: 'Authorization' }, allowed_skew: 0 });
  });

  test.each([
    [{ type: 'authorization' }, { type: 'Authorization' }],
    [
      { type: 'cookie', name: 'Token' },
      { type: 'Cookie', name: 'Token' },
    ],
    [
      { type: 'CUSTOMHEADER', name: 'X-Token' },
      { type: 'CustomHeader', name: 'X-Token' },
    ],
  ])('name the place %j of the token in any case', (given, header) => {
    expect(settings({ header: given })).toMatchObject({ header });
  });

  it('that are no JSON are rejected', () => {
    const { error } = JwtSecretText.safeParse('{');
    expect(error?.issues).toMatchObject([{ code: 'custom', message: 'must be JSON', path: [] }]);
  });

  it('with a map of both roles are valid', () => {
    const claims_map = { 'X-Service-Allowed-Roles': ['user'], 'x-service-default-role': { path: '$.role' } };
    expect(claimsMapError(settings({ claims_map }), 'x-service-')).toBeUndefined();
  });

  it('of several keys with the same issuer are rejected for the same place', () => {
    const { error } = JwtSecretsText.safeParse(JSON.stringify([{ jwk_url }, { jwk_url }]));
    const message = 'two of them have the same issuer, or none, for tokens of the same place';
    expect(error?.issues).toMatchObject([{ message }]);
  });

  it('of several keys may have the same issuer for tokens of different places', () => {
    const header = { type: 'Cookie', name: 'token' };
    const { error } = JwtSecretsText.safeParse(JSON.stringify([{ jwk_url }, { jwk_url, header }]));
    expect(error).toBeUndefined();
  });
});
