import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { HttpClient, HttpResponse } from '../../base/http-client/http-client.ts';
import type { Session } from '../session.ts';
import { createTokenSessions } from './jwt.ts';
import { JwtSecretText } from './settings.ts';

const key = 'a key that is long enough for a hash of 256 bits';
const other = 'another key that is long enough for 256 bits';
const roles = { 'x-service-allowed-roles': ['user', 'editor'], 'x-service-default-role': 'user' };
const namespace = 'https://hasura.io/jwt/claims';
const hmac = { type: 'HS256', key };
const noClient = {} as HttpClient;

const settingsOf = (settings: object) => JwtSecretText.parse(JSON.stringify(settings));
const sessionsOf = (...all: object[]) => createTokenSessions(all.map(settingsOf), 'x-service-', noClient);

function sign(claims: JWTPayload = {}, secret = key, alg = 'HS256'): Promise<string> {
  const token = new SignJWT({ [namespace]: roles, ...claims }).setProtectedHeader({ alg });
  return token.sign(new TextEncoder().encode(secret));
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('a request without a token has no session', async () => {
  const sessions = await sessionsOf(hmac);
  expect(sessions({})).toBeUndefined();
});

test.each(['Bearer ', 'bearer    '])('a token follows "%s"', async (scheme) => {
  const sessions = await sessionsOf(hmac);
  expect(await sessions({ authorization: `${scheme}${await sign()}` })).toMatchObject({ role: 'user' });
});

test.each(['Basic YTpi', 'Bearer', 'Bearer a b', 'Token Bearer a'])(
  'the header "%s" is malformed',
  async (authorization) => {
    const sessions = await sessionsOf(hmac);
    await expect(async () => sessions({ authorization })).rejects.toMatchObject({
      code: 'invalid-headers',
      message: 'Malformed Authorization header; send "Bearer <token>"',
    });
  },
);

test('the role of a request is one that the token allows', async () => {
  const sessions = await sessionsOf(hmac);
  const headers = { ...bearer(await sign()), 'x-service-role': 'editor' };
  expect([(await sessions(headers))?.role, (await sessions(headers))?.role]).toEqual(['editor', 'editor']);
});

test('the first value of a repeated header counts', async () => {
  const sessions = await sessionsOf({ ...hmac, header: { type: 'CustomHeader', name: 'X-Token' } });
  expect(await sessions({ 'x-token': [await sign(), 'x'] })).toMatchObject({ role: 'user' });
});

test.each([
  ['the only one', (token: string) => `token=${token}`],
  ['one of several', (token: string) => `a=1; token=${token}; b=2`],
  ['in quotation marks', (token: string) => `token="${token}"`],
  ['with spaces', (token: string) => ` token = ${token} `],
])('the cookie is %s', async (_what, cookie) => {
  const sessions = await sessionsOf({ ...hmac, header: { type: 'Cookie', name: 'token' } });
  expect(await sessions({ cookie: cookie(await sign()) })).toMatchObject({ role: 'user' });
});

test.each([{}, { cookie: 'other=1' }, { cookie: 'xtoken=1' }])('the cookies %j have no token', async (headers) => {
  const sessions = await sessionsOf({ ...hmac, header: { type: 'Cookie', name: 'token' } });
  expect(sessions(headers)).toBeUndefined();
});

test('text after an equals sign belongs to the token of a cookie', async () => {
  const sessions = await sessionsOf({ ...hmac, header: { type: 'Cookie', name: 'token' } });
  await expect(async () => sessions({ cookie: `token=${await sign()}=x` })).rejects.toMatchObject({
    code: 'invalid-jwt',
  });
});

test.each<readonly [string, (token: string) => string]>([
  ['that is divided by an equals sign', (token) => `${token.slice(0, 9)}=${token.slice(9)}`],
  ['with a part of it in quotation marks', (token) => `${token.slice(0, 9)}"${token.slice(9)}"`],
  ['with text after its quotation marks', (token) => `"${token.slice(0, -9)}"${token.slice(-9)}`],
])('a token of a cookie %s is malformed', async (_what, write) => {
  const sessions = await sessionsOf({ ...hmac, header: { type: 'Cookie', name: 'token' } });
  const cookie = `token=${write(await sign())}`;
  await expect(async () => sessions({ cookie })).rejects.toMatchObject({ code: 'invalid-jwt' });
});

test('a key of one header does not verify the token of another', async () => {
  const inHeader = (name: string) => ({ header: { type: 'CustomHeader', name } });
  const sessions = await sessionsOf(
    { ...hmac, ...inHeader('X-A'), issuer: 'a' },
    { type: 'HS256', key: other, ...inHeader('X-B'), issuer: 'b' },
  );
  const token = await sign({ iss: 'b' }, other);
  await expect(async () => sessions({ 'x-a': token })).rejects.toMatchObject({ code: 'invalid-jwt' });
});

test('the error of a token has that of its verification as its cause', async () => {
  const sessions = await sessionsOf(hmac);
  const rejected = async () => sessions(bearer(await sign({}, other)));
  await expect(rejected).rejects.toMatchObject({ cause: { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' } });
});

test('the error of a key has that of its import as its cause', async () => {
  await expect(async () => sessionsOf({ type: 'RS256', key: 'no key' })).rejects.toMatchObject({
    code: 'invalid-configuration',
    cause: expect.any(Error),
  });
});

test('keys of several places are tried in order, each with the tokens of its place', async () => {
  const sessions = await sessionsOf(
    { ...hmac, header: { type: 'CustomHeader', name: 'x-token' } },
    { type: 'HS256', key: other, header: { type: 'Cookie', name: 'token' } },
  );
  expect(await sessions({ cookie: `token=${await sign({}, other)}` })).toMatchObject({ role: 'user' });
  await expect(async () => sessions({ cookie: `token=${await sign()}` })).rejects.toMatchObject({
    code: 'invalid-jwt',
  });
});

test('a token that no key of its place is for does not hide a token of another place', async () => {
  const sessions = await sessionsOf(
    { ...hmac, issuer: 'a' },
    { type: 'HS256', key: other, issuer: 'b', header: { type: 'Cookie', name: 'token' } },
  );
  const cookie = `token=${await sign({ iss: 'b' }, other)}`;
  expect(await sessions({ ...bearer(await sign({ iss: 'x' })), cookie })).toMatchObject({ role: 'user' });
});

test('a verified token is not accepted at another place without its key', async () => {
  const sessions = await sessionsOf(
    { ...hmac, issuer: 'a' },
    { type: 'HS256', key: other, issuer: 'a', header: { type: 'Cookie', name: 'token' } },
  );
  const token = await sign({ iss: 'a' });
  expect(await sessions(bearer(token))).toMatchObject({ role: 'user' });
  await expect(async () => sessions({ cookie: `token=${token}` })).rejects.toMatchObject({ code: 'invalid-jwt' });
});

test('cookies whose names differ in case are different places', async () => {
  const sessions = await sessionsOf(
    { ...hmac, issuer: 'a', header: { type: 'Cookie', name: 'token' } },
    { type: 'HS256', key: other, issuer: 'a', header: { type: 'Cookie', name: 'Token' } },
  );
  expect(await sessions({ cookie: `Token=${await sign({ iss: 'a' }, other)}` })).toMatchObject({ role: 'user' });
});

test('places are the same in any case of a header', async () => {
  const sessions = await sessionsOf(
    { ...hmac, issuer: 'one', header: { type: 'CustomHeader', name: 'X-Token' } },
    { type: 'HS256', key: other, issuer: 'two', header: { type: 'CustomHeader', name: 'x-token' } },
  );
  expect(await sessions({ 'x-token': await sign({ iss: 'two' }, other) })).toMatchObject({ role: 'user' });
});

test('a cookie and a header of the same name are different places', async () => {
  const sessions = await sessionsOf(
    { ...hmac, issuer: 'one', header: { type: 'CustomHeader', name: 'token' } },
    { type: 'HS256', key: other, issuer: 'two', header: { type: 'Cookie', name: 'token' } },
  );
  await expect(async () => sessions({ token: await sign({ iss: 'two' }, other) })).rejects.toMatchObject({
    code: 'invalid-jwt',
  });
});

test('a key is chosen by the issuer of the token, else the one without an issuer', async () => {
  const sessions = await sessionsOf({ ...hmac, issuer: 'one' }, { type: 'HS256', key: other });
  expect(await sessions(bearer(await sign({ iss: 'one' })))).toMatchObject({ role: 'user' });
  expect(await sessions(bearer(await sign({ iss: 'x' }, other)))).toMatchObject({ role: 'user' });
});

test('a token of another issuer is not accepted', async () => {
  const sessions = await sessionsOf({ ...hmac, issuer: 'one' });
  await expect(async () => sessions(bearer(await sign({ iss: 'two' })))).rejects.toMatchObject({
    code: 'invalid-jwt',
    message: 'Could not verify JWT: JWTNotInIssuer',
  });
});

test.each<readonly [string, object, () => Promise<string>, string]>([
  ['that is expired', {}, () => sign({ exp: 1 }), 'JWTExpired'],
  ['of another key', {}, () => sign({}, other), 'JWSError JWSInvalidSignature'],
  ['of another algorithm', {}, () => sign({}, key.repeat(2), 'HS512'), 'its algorithm is not the one of the key'],
  ['for another audience', { audience: 'a' }, () => sign({ aud: 'b' }), 'JWTNotInAudience'],
  ['without an audience', { audience: 'a' }, () => sign(), 'JWTNotInAudience'],
  ['without an issuer', { issuer: 'a' }, () => sign(), 'JWTNotInIssuer'],
  ['that is not yet valid', {}, () => sign({ nbf: 9_999_999_999 }), 'JWTNotYetValid'],
  [
    'with a malformed claim',
    {},
    () => sign({ exp: 'soon' as unknown as number }),
    'its claim "exp" is not as expected',
  ],
  ['that is no token', {}, async () => 'abc', 'it is not a JSON Web Token'],
  ['with a damaged signature', {}, async () => `${await sign()}%`, 'it is malformed'],
])('a token %s is rejected with the reason', async (_what, more, token, reason) => {
  const sessions = await sessionsOf({ ...hmac, ...more });
  await expect(async () => sessions(bearer(await token()))).rejects.toMatchObject({
    code: 'invalid-jwt',
    message: `Could not verify JWT: ${reason}`,
  });
});

test.each<readonly [string, object, JWTPayload]>([
  ['one of several audiences', { audience: ['a', 'b'] }, { aud: 'b' }],
  ['an expiry within the allowed skew', { allowed_skew: 1_000_000_000 }, { exp: Math.floor(Date.now() / 1000) - 100 }],
])('a token with %s is accepted', async (_what, more, claims) => {
  const sessions = await sessionsOf({ ...hmac, ...more });
  expect(await sessions(bearer(await sign(claims)))).toMatchObject({ role: 'user' });
});

test.each(['HS256', 'HS384', 'HS512'])('a shared secret verifies %s', async (type) => {
  const long = key.repeat(2);
  const sessions = await sessionsOf({ type, key: long });
  expect(await sessions(bearer(await sign({}, long, type)))).toMatchObject({ role: 'user' });
});

test.each([
  ['RS256', 'RS256'],
  ['PS512', 'PS512'],
  ['ES384', 'ES384'],
  ['EdDSA', 'Ed25519'],
  ['EdDSA', 'EdDSA'],
  ['Ed25519', 'EdDSA'],
])('a public key verifies %s that is configured as %s', async (alg, type) => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const sessions = await sessionsOf({ type, key: await exportSPKI(publicKey) });
  const token = await new SignJWT({ [namespace]: roles }).setProtectedHeader({ alg }).sign(privateKey);
  expect(await sessions(bearer(token))).toMatchObject({ role: 'user' });
});

test.each(['RS256', 'RS384', 'RS512'])('a key of RSA that is configured as RS512 verifies %s', async (alg) => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const sessions = await sessionsOf({ type: 'RS512', key: await exportSPKI(publicKey) });
  const token = await new SignJWT({ [namespace]: roles }).setProtectedHeader({ alg }).sign(privateKey);
  expect(await sessions(bearer(token))).toMatchObject({ role: 'user' });
});

test('a key of an elliptic curve verifies the algorithm of its curve', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const sessions = await sessionsOf({ type: 'ES512', key: await exportSPKI(publicKey) });
  const token = await new SignJWT({ [namespace]: roles }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  expect(await sessions(bearer(token))).toMatchObject({ role: 'user' });
});

test('a public key never verifies a token that is signed with its text', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const sessions = await sessionsOf({ type: 'RS256', key: pem });
  await expect(async () => sessions(bearer(await sign({}, pem)))).rejects.toMatchObject({ code: 'invalid-jwt' });
});

test('a public key may be in the format PKCS #1', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const sessions = await sessionsOf({ type: 'RS256', key: publicKey.export({ type: 'pkcs1', format: 'pem' }) });
  const token = await new SignJWT({ [namespace]: roles }).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
  expect(await sessions(bearer(token))).toMatchObject({ role: 'user' });
});

test.each([
  ['text', 'no key'],
  [
    'a private key',
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  ],
  ['a key of another curve', generateKeyPairSync('ed448').publicKey.export({ type: 'spki', format: 'pem' })],
  ['a key of another kind', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })],
  ['a certificate that is none', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
])('%s instead of a public key is an error of the configuration', async (_what, pem) => {
  await expect(async () => sessionsOf({ type: 'RS256', key: pem })).rejects.toMatchObject({
    code: 'invalid-configuration',
    message: 'JOINERY_JWT_SECRET: "key" must be a public key or certificate in PEM format for RS256',
  });
});

test('an invalid map of claims is an error of the configuration', async () => {
  await expect(async () => sessionsOf({ ...hmac, claims_map: {} })).rejects.toMatchObject({
    code: 'invalid-configuration',
    message: 'JOINERY_JWT_SECRET: "claims_map" must contain "x-service-allowed-roles"',
  });
});

test('the keys of a URL verify tokens of their algorithms', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'a' };
  const client = { call: async () => ({ status: 200, headers: [], body: JSON.stringify({ keys: [jwk] }) }) };
  const settings = settingsOf({ jwk_url: 'http://keys.test/' });
  const sessions = await createTokenSessions([settings], 'x-service-', client as unknown as HttpClient);
  const token = (kid: string) =>
    new SignJWT({ [namespace]: roles }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
  expect(await sessions(bearer(await token('a')))).toMatchObject({ role: 'user' });
  await expect(async () => sessions(bearer(await token('b')))).rejects.toMatchObject({
    message: 'Could not verify JWT: no key of the JWK set matches it',
  });
});

test('the error of a URL whose keys cannot be fetched is not changed', async () => {
  const client = { call: async () => ({ status: 500, headers: [], body: '' }) as unknown as HttpResponse };
  const settings = settingsOf({ jwk_url: 'http://keys.test/' });
  const sessions = await createTokenSessions([settings], 'x-service-', client as unknown as HttpClient);
  await expect(async () => sessions(bearer(await sign()))).rejects.toMatchObject({ code: 'unexpected', status: 503 });
});

/** Sessions at a time that tests advance; `verified` counts the signatures that were verified. */
async function cached() {
  const verify = vi.spyOn(crypto.subtle, 'verify');
  onTestFinished(() => verify.mockRestore());
  const state = { time: 1_000_000_000 };
  const sessions = await createTokenSessions([settingsOf(hmac)], 'x-service-', noClient, () => state.time);
  verify.mockClear();
  return { sessions, state, verified: () => verify.mock.calls.length };
}

test('a verified token is not verified again for a minute', async () => {
  const { sessions, state, verified } = await cached();
  const headers = bearer(await sign());
  await sessions(headers);
  state.time += 59_999;
  const session = sessions(headers) as Session;
  const before = [session.role, verified()];
  state.time += 1;
  await sessions(headers);
  expect([before, verified()]).toEqual([['user', 1], 2]);
});

test('a token is not cached beyond its expiry', async () => {
  const { sessions, state, verified } = await cached();
  const exp = Math.floor(Date.now() / 1000) + 1_000;
  state.time = exp * 1000 - 10;
  const headers = bearer(await sign({ exp }));
  await sessions(headers);
  state.time += 10;
  await sessions(headers);
  expect(verified()).toBe(2);
});

test('a cached token permits only its roles', async () => {
  const { sessions } = await cached();
  const headers = bearer(await sign());
  await sessions(headers);
  await expect(async () => sessions({ ...headers, 'x-service-role': 'admin' })).rejects.toMatchObject({
    code: 'access-denied',
  });
});
