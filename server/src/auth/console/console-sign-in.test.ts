import { describe, expect, test } from 'vitest';
import { signInSettings, useSignInProvider } from '../../../test/support/http/sign-in-provider.ts';
import { createConsoleSignIn } from './console-sign-in.ts';

const oidc = useSignInProvider();

/** The sign-in at a time that tests advance, first at the begin of a second, because tokens count whole ones. */
function signIn(changes: { readonly allowedUsers?: readonly string[] } = {}) {
  const state = { time: Math.floor(Date.now() / 1_000) * 1_000 };
  const settings = { ...signInSettings, issuer: oidc.provider.issuer, ...changes };
  const created = createConsoleSignIn(settings, oidc.httpClient, () => state.time);
  /** The headers of a request with the values of `Set-Cookie`. */
  const headersWith = (cookies: readonly string[], sent: object = { origin: 'https://api.example.com' }) => {
    const headers = { ...sent, cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') };
    created.cookies.take(headers);
    return headers;
  };
  /** Begins, and returns the headers and the query of the callback. */
  const begun = async (returnTo = '/console') => {
    const { location, cookies } = await created.begin(returnTo);
    const atProvider = await fetch(location, { redirect: 'manual' });
    const { search } = new URL(atProvider.headers.get('location') ?? '');
    return { headers: headersWith(cookies), query: search };
  };
  const finished = async (returnTo?: string) => {
    const { headers, query } = await begun(returnTo);
    return created.finish(headers, query);
  };
  return { ...created, state, headersWith, begun, finished };
}

test('the sign-in has the name of its settings', () => {
  expect(signIn().name).toBe('Example');
});

test('a sign-in begins with a cookie for 15 minutes', async () => {
  const { cookies } = await signIn().begin('/console');
  expect(cookies).toEqual([
    expect.stringMatching(
      /^__Host-joinery-console-login=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900; Secure$/,
    ),
  ]);
});

test('a sign-in ends with the cookie of the session, and deletes that of the login', async () => {
  const { cookies } = await signIn().finished();
  expect(cookies).toEqual([
    expect.stringMatching(/^__Host-joinery-console=[\w.-]+; .*; Max-Age=60; Secure$/),
    expect.stringMatching(/^__Host-joinery-console-login=; .*; Max-Age=0; Secure$/),
  ]);
});

test('the session is that of the address which the provider has verified', async () => {
  const { finished, sessions, headersWith } = signIn();
  const { cookies } = await finished();
  expect((await sessions.user(headersWith(cookies)))?.name).toBe('ada@example.com');
});

test('the session of a user without a verified address has the subject as its name', async () => {
  oidc.provider.claims = { sub: 'user-7', email: 'ada@example.com', email_verified: false };
  const { finished, sessions, headersWith } = signIn();
  const { cookies } = await finished();
  expect((await sessions.user(headersWith(cookies)))?.name).toBe('user-7');
});

test('a login is valid for 15 minutes', async () => {
  const { begun, finish, state } = signIn();
  const { headers, query } = await begun();
  state.time += 899_999;
  expect((await finish(headers, query)).location).toBe('/console');
});

test('a login is expired after 15 minutes', async () => {
  const { begun, finish, state } = signIn();
  const { headers, query } = await begun();
  state.time += 900_000;
  await expect(finish(headers, query)).rejects.toMatchObject({
    code: 'access-denied',
    status: 403,
    message: 'this sign-in has expired, was started in another browser, or was replaced by another one; sign in again',
  });
});

test('a callback without a cookie of a login is rejected', async () => {
  const { begun, finish } = signIn();
  const { query } = await begun();
  await expect(finish({}, query)).rejects.toThrow('sign in again');
});

test('the message of a failure is no login', async () => {
  const { begun, finish, fail, headersWith } = signIn();
  const { query } = await begun();
  await expect(finish(headersWith([await fail('no')]), query)).rejects.toThrow('sign in again');
});

test('the first page of the console is where a sign-in without an address ends', async () => {
  expect((await signIn().finished('')).location).toBe('/console');
});

test.each([
  '/console',
  '/console/data',
  '/console?page=2',
  "/console/data?page=2&where=%7B%7D&more=a-b_c.d~e!$'()*+,;=:@/?",
])('a sign-in returns to %s of the console', async (address) => {
  expect((await signIn().finished(address)).location).toBe(address);
});

test.each([
  '/v1/graphql',
  '/x/console/y',
  '/console/\\evil',
  '/consolefake',
  '/x/console',
  '/console/a\nb',
  '/console/#x',
])('a sign-in never returns to %j', async (address) => {
  expect((await signIn().finished(address)).location).toBe('/console');
});

describe('a user who is not allowed is named with the reason', () => {
  const messageFor = async (claims: Readonly<Record<string, unknown>>) => {
    oidc.provider.claims = claims;
    const { finished } = signIn({ allowedUsers: ['@lab.example'] });
    return finished().then(
      () => 'signed in',
      (error: unknown) => error,
    );
  };

  test('with the address', async () => {
    expect(await messageFor({ sub: '1', email: 'eve@example.com', email_verified: true })).toMatchObject({
      code: 'access-denied',
      status: 403,
      message: 'eve@example.com may not sign in: JOINERY_CONSOLE_OIDC_ALLOWED does not permit it',
    });
  });

  test('also where the provider writes the verification as a text', async () => {
    expect(await messageFor({ sub: '1', email: 'eve@example.com', email_verified: 'true' })).toMatchObject({
      message: 'eve@example.com may not sign in: JOINERY_CONSOLE_OIDC_ALLOWED does not permit it',
    });
  });

  test('with the reason that the address is not verified', async () => {
    expect(await messageFor({ sub: '1', email: 'eve@lab.example' })).toMatchObject({
      message:
        'eve@lab.example may not sign in: the provider has not verified the e-mail address, so that no rule for addresses and domains permits it',
    });
  });

  test('with the subject where there is no address', async () => {
    expect(await messageFor({ sub: 'user-9' })).toMatchObject({
      message: 'user-9 may not sign in: JOINERY_CONSOLE_OIDC_ALLOWED does not permit it',
    });
  });

  test('with the first 200 characters of a long address', async () => {
    expect(await messageFor({ sub: 'u'.repeat(255) })).toMatchObject({
      message: `${'u'.repeat(200)} may not sign in: JOINERY_CONSOLE_OIDC_ALLOWED does not permit it`,
    });
  });
});

describe('the message of a failed sign-in', () => {
  test('is read by the page of the console, for a minute', async () => {
    const { fail, failure, headersWith, state } = signIn();
    const cookie = await fail('the provider said no');
    const headers = headersWith([cookie]);
    state.time += 59_999;
    const before = await failure(headers);
    state.time += 1;
    expect([before, await failure(headers)]).toEqual(['the provider said no', undefined]);
  });

  test('is in a cookie for a minute', async () => {
    expect(await signIn().fail('no')).toMatch(/^__Host-joinery-console-login=[\w.-]+; .*Max-Age=60; Secure$/);
  });

  test('is not shown to another page', async () => {
    const { fail, failure, headersWith } = signIn();
    const headers = headersWith([await fail('no')], { origin: 'https://evil.example' });
    expect(await failure(headers)).toBeUndefined();
  });

  test('does not exist for a request without cookies', async () => {
    expect(await signIn().failure({})).toBeUndefined();
  });

  test('does not exist for the session of a user', async () => {
    const { finished, failure, headersWith } = signIn();
    const { cookies } = await finished();
    expect(await failure(headersWith(cookies.slice(0, 1)))).toBeUndefined();
  });

  test('does not exist during a login', async () => {
    const { begun, failure } = signIn();
    const { headers } = await begun();
    expect(await failure(headers)).toBeUndefined();
  });
});
