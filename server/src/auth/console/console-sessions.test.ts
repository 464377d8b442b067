import { expect, test } from 'vitest';
import { signInSettings } from '../../../test/support/http/sign-in-provider.ts';
import { createCookieJar } from './console-cookies.ts';
import { createConsoleSessions } from './console-sessions.ts';
import { createSealedTokens } from './sealed-tokens.ts';

const settings = { ...signInSettings, allowedUsers: ['@example.com', '*'] };

/** Sessions at a time that tests advance; `opened` counts the tokens that were decrypted. */
function sessions(more: Partial<typeof settings> = {}) {
  const all = { ...settings, ...more };
  const state = { time: 1_000_000_000_000, opened: 0 };
  const sealed = createSealedTokens(all, () => state.time);
  const tokens: typeof sealed = {
    seal: sealed.seal,
    open: (kind, token) => {
      state.opened += 1;
      return sealed.open(kind, token);
    },
  };
  const cookies = createCookieJar(all.redirectUrl);
  const created = createConsoleSessions(all, { tokens, cookies }, () => state.time);
  /** The headers of a request with this session. */
  const headersWith = (token: string, sent: object = { origin: 'https://api.example.com' }) => {
    const headers = { ...sent, cookie: `__Host-joinery-console=${token}` };
    cookies.take(headers);
    return headers;
  };
  return { ...created, state, headersWith, tokens, cookies };
}

test('a session is that of its user until it expires', async () => {
  const { start, user, state, headersWith } = sessions();
  const headers = headersWith(await start('ada', '*'));
  const expiresAt = state.time + 60_000;
  const found = await user(headers);
  state.time += 59_999;
  const before = await user(headers);
  state.time += 1;
  expect([found, before, await user(headers)]).toEqual([
    { name: 'ada', expiresAt },
    { name: 'ada', expiresAt },
    undefined,
  ]);
});

test('a session acts as an admin, and names its user as the author', async () => {
  const { start, session, state, headersWith } = sessions();
  expect(await session(headersWith(await start('ada', '*')))).toMatchObject({
    role: 'admin',
    author: 'oidc:ada',
    expiresAt: state.time + 60_000,
  });
});

test('a session may act as a role', async () => {
  const { start, session, headersWith } = sessions();
  const headers = { origin: 'https://api.example.com', 'x-service-role': 'user' };
  expect(await session(headersWith(await start('ada', '*'), headers))).toMatchObject({ role: 'user' });
});

test('the token of a session is opened once', async () => {
  const { start, user, state, headersWith } = sessions();
  const headers = headersWith(await start('ada', '*'));
  await user(headers);
  await user(headers);
  expect(state.opened).toBe(1);
});

test.each<readonly [string, (one: ReturnType<typeof sessions>) => Promise<object>]>([
  ['without cookies', async () => ({ origin: 'https://api.example.com' })],
  [
    'of another page',
    async ({ start, headersWith }) => headersWith(await start('ada', '*'), { origin: 'https://a.test' }),
  ],
  ['without an origin', async ({ start, headersWith }) => headersWith(await start('ada', '*'), {})],
  [
    'of its own pages with the cookie of a login alone',
    async ({ start, cookies }) => {
      const cookie = `__Host-joinery-console-login=${await start('ada', '*')}`;
      const headers = { origin: 'https://api.example.com', cookie };
      cookies.take(headers);
      return headers;
    },
  ],
  ['with a changed token', async ({ start, headersWith }) => headersWith(`${await start('ada', '*')}x`)],
  ['whose rule was removed', async ({ start, headersWith }) => headersWith(await start('ada', 'ada@example.com'))],
  ['without a name', async ({ tokens, headersWith }) => headersWith(await tokens.seal('session', { rule: '*' }, 60))],
  ['without a rule', async ({ tokens, headersWith }) => headersWith(await tokens.seal('session', { name: 'ada' }, 60))],
  [
    'with the token of a login',
    async ({ tokens, headersWith }) => headersWith(await tokens.seal('login', { name: 'ada', rule: '*' }, 60)),
  ],
])('a request %s has no user', async (_what, headersOf) => {
  const all = sessions();
  const headers = (await headersOf(all)) as Readonly<Record<string, string>>;
  expect(await all.user(headers)).toBeUndefined();
});

test('a request without a user is rejected', async () => {
  await expect(sessions().session({})).rejects.toMatchObject({
    code: 'access-denied',
    message:
      'the session of the console does not authenticate: it has expired, was revoked, or the request is not one of its pages; sign in again',
  });
});
