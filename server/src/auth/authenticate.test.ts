import { RoleName } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import type { ServiceError } from '../base/errors.ts';
import { type AuthenticationMethods, createAuthenticate } from './authenticate.ts';
import type { Session } from './session.ts';

const settings = { prefix: 'x-service-', adminSecrets: ['secret'], unauthorizedRole: undefined };
const admin = { 'x-service-admin-secret': 'secret' };
const sessionOf = (role: string): Session => ({ role: RoleName.parse(role), variables: new Map() });

const roleBy = async (methods: Partial<AuthenticationMethods>, headers: Record<string, string>) =>
  (await createAuthenticate({ settings, ...methods })(headers)).role;

function errorOf(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error('it did not throw');
}

const token = () => sessionOf('by-token');
const hook = async () => sessionOf('by-hook');
const signedIn = async () => sessionOf('by-console');

test.each<readonly [string, Partial<AuthenticationMethods>, Record<string, string>, string]>([
  ['the secret', {}, admin, 'admin'],
  ['the secret before the token', { token }, admin, 'admin'],
  ['the secret before the webhook', { hook }, admin, 'admin'],
  ['the secret by its older name before the token', { token }, { 'x-service-access-key': 'secret' }, 'admin'],
  ['the token', { token }, {}, 'by-token'],
  ['the webhook', { hook }, {}, 'by-hook'],
  ['the webhook before the token', { hook, token }, {}, 'by-hook'],
  ['the console, with its header', { console: signedIn, token }, { 'x-joinery-console': '1' }, 'by-console'],
  ['the token, without the header of the console', { console: signedIn, token }, {}, 'by-token'],
  [
    'the token, with the header of the console where none is configured',
    { token },
    { 'x-joinery-console': '1' },
    'by-token',
  ],
  ['the secret before the console', { console: signedIn }, { ...admin, 'x-joinery-console': '1' }, 'admin'],
  [
    'the unauthorized role, without a token',
    { token: () => undefined, settings: { ...settings, unauthorizedRole: 'guest' } },
    {},
    'guest',
  ],
  [
    'the token before the unauthorized role',
    { token, settings: { ...settings, unauthorizedRole: 'guest' } },
    {},
    'by-token',
  ],
  ['the unauthorized role, without a secret', { settings: { ...settings, unauthorizedRole: 'guest' } }, {}, 'guest'],
])('the session is that of %s', async (_what, methods, headers, role) => {
  expect(await roleBy(methods, headers)).toBe(role);
});

test('a request without a token is rejected where one is expected', () => {
  expect(errorOf(() => createAuthenticate({ settings, token: () => undefined })({}))).toMatchObject({
    code: 'invalid-headers',
    message: 'the request has no JWT where one is expected, such as in the header "Authorization: Bearer <token>"',
  });
});

test('a wrong secret is rejected, also with a token', () => {
  expect(errorOf(() => createAuthenticate({ settings, token })({ 'x-service-admin-secret': 'x' }))).toMatchObject({
    code: 'access-denied',
  });
});

test('the webhook receives headers, body and span', async () => {
  const received: unknown[] = [];
  const authenticate = createAuthenticate({
    settings,
    hook: async (...all) => {
      received.push(all);
      return sessionOf('user');
    },
  });
  const headers = { a: 'b' };
  await authenticate(headers, '{}');
  expect(received).toEqual([[headers, '{}', undefined]]);
});

test('the same headers of a connection are read once', () => {
  const authenticate = createAuthenticate({ settings });
  const headers = { ...admin };
  expect(authenticate(headers)).toBe(authenticate(headers));
});
