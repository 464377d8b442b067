import { describe, expect, test } from 'vitest';
import { oidcClient } from '../../../test/support/http/oidc-provider.ts';
import { signInSettings, useSignInProvider } from '../../../test/support/http/sign-in-provider.ts';
import type { HttpCall, HttpClient } from '../../base/http-client/http-client.ts';
import { createProvider, type LoginChecks, type Provider } from './provider.ts';

const { redirectUrl } = signInSettings;
const foreign = 'https://other.example';
const oidc = useSignInProvider();

/** The provider as the sign-in uses it, with the calls that it sends. */
function client(
  changes: { readonly issuer?: string; readonly allowedUsers?: readonly string[] } = {},
  through: HttpClient = oidc.httpClient,
  now?: () => number,
) {
  const calls: HttpCall[] = [];
  const recording: HttpClient = {
    call: (call) => {
      calls.push(call);
      return through.call(call);
    },
    close: () => oidc.httpClient.close(),
  };
  const settings = {
    ...signInSettings,
    issuer: oidc.provider.issuer,
    scopes: ['openid', 'email'],
    ...changes,
  };
  return { ...createProvider(settings, recording, now), calls };
}

/** Begins a sign-in; returns the query of the callback, and what it must match. */
async function begun({ begin }: Provider): Promise<{ readonly query: string; readonly checks: LoginChecks }> {
  const { address, checks } = await begin();
  const response = await fetch(address, { redirect: 'manual' });
  return { query: new URL(response.headers.get('location') ?? '').search, checks };
}

async function claimsBy(created: Provider): Promise<unknown> {
  const { query, checks } = await begun(created);
  return created.finish(query, checks);
}

const failureOf = (result: Promise<unknown>): Promise<unknown> =>
  result.then(
    () => 'no error',
    (error: unknown) => error,
  );

/** The error of a sign-in that the provider does not confirm. */
const rejection = (reason: string) => ({
  name: 'ServiceError',
  code: 'access-denied',
  status: 403,
  message: `the provider did not confirm the sign-in: ${reason}`,
});

test('the sign-in page of the provider receives the client, the callback, the scopes and the checks', async () => {
  const { address, checks } = await client().begin();
  const { origin, pathname, searchParams } = new URL(address);
  expect([origin + pathname, Object.fromEntries(searchParams)]).toEqual([
    `${oidc.provider.issuer}/authorize`,
    {
      ...{ client_id: oidcClient.id, redirect_uri: redirectUrl, response_type: 'code', scope: 'openid email' },
      ...{ state: checks.state, nonce: checks.nonce, code_challenge_method: 'S256' },
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    },
  ]);
});

test('every sign-in has checks of its own', async () => {
  const created = client();
  const first = (await created.begin()).checks;
  const second = (await created.begin()).checks;
  expect(new Set([...Object.values(first), ...Object.values(second)]).size).toBe(6);
});

test('the claims are those of the ID token', async () => {
  expect(await claimsBy(client())).toMatchObject({
    ...{ sub: 'user-1', email: 'ada@example.com', email_verified: true },
    ...{ iss: oidc.provider.issuer, aud: oidcClient.id },
  });
});

test('the configuration of the provider is read once', async () => {
  const created = client();
  await Promise.all([created.begin(), created.begin()]);
  await created.begin();
  expect(created.calls.map(({ url }) => new URL(url).pathname)).toEqual(['/.well-known/openid-configuration']);
});

test('the configuration of the provider is read again after a failure', async () => {
  const path = '/.well-known/openid-configuration';
  oidc.provider.responses = { [path]: { status: 503, body: '' } };
  const created = client();
  const failure = await failureOf(created.begin());
  oidc.provider.responses = {};
  const { address } = await created.begin();
  expect([failure, new URL(address).pathname]).toEqual([expect.any(Error), '/authorize']);
});

test('calls are limited to 10 seconds and 1 MB, and are those of the sign-in in metrics', async () => {
  const created = client();
  await created.begin();
  expect(created.calls[0]).toMatchObject({
    ...{ purpose: { kind: 'sign-in', name: '' }, method: 'GET', body: undefined },
    ...{ timeoutMs: 10_000, maxBytes: 1_000_000, overflow: 'fail' },
  });
});

test('the code is exchanged with its verifier, and the secret in the header', async () => {
  const created = client();
  const { query, checks } = await begun(created);
  await created.finish(query, checks);
  const call = created.calls.find(({ url }) => url.endsWith('/token'));
  expect([Object.fromEntries(new URLSearchParams(call?.body)), Object.fromEntries(call?.headers ?? [])]).toEqual([
    {
      ...{ grant_type: 'authorization_code', redirect_uri: redirectUrl, code_verifier: checks.verifier },
      code: new URLSearchParams(query).get('code'),
    },
    expect.objectContaining({ authorization: expect.stringMatching(/^Basic /) }),
  ]);
});

test('the secret is in the body where the provider accepts it only there', async () => {
  oidc.provider.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
  oidc.provider.secretIn = 'body';
  expect(await claimsBy(client())).toMatchObject({ sub: 'user-1' });
});

test('the secret is in the header where the provider accepts both', async () => {
  oidc.provider.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'] };
  expect(await claimsBy(client())).toMatchObject({ sub: 'user-1' });
});

describe('the userinfo endpoint', () => {
  const calledFor = async (claims: Readonly<Record<string, unknown>>, allowedUsers: readonly string[]) => {
    oidc.provider.claims = claims;
    oidc.provider.userInfo = { email: 'ada@example.com', groups: ['admins'], name: 'Ada' };
    const created = client({ allowedUsers });
    const found = (await claimsBy(created)) as { readonly email?: unknown; readonly groups?: unknown };
    return [created.calls.some(({ url }) => url.endsWith('/userinfo')), found.email, found.groups];
  };

  test('is not called where the ID token has the address of a permitted user', async () => {
    expect(await calledFor({ sub: '1', email: 'eve@example.com' }, ['*'])).toEqual([
      false,
      'eve@example.com',
      undefined,
    ]);
  });

  test('adds the address where the ID token has none', async () => {
    expect(await calledFor({ sub: '1' }, ['*'])).toEqual([true, 'ada@example.com', ['admins']]);
  });

  test('adds claims that a rule needs, and changes none of the ID token', async () => {
    expect(await calledFor({ sub: '1', email: 'eve@example.com' }, ['groups=admins'])).toEqual([
      true,
      'eve@example.com',
      ['admins'],
    ]);
  });

  test('is not called where the provider has none', async () => {
    oidc.provider.metadata = { userinfo_endpoint: undefined };
    expect(await calledFor({ sub: '1' }, ['*'])).toEqual([false, undefined, undefined]);
  });

  test('must name the same user', async () => {
    oidc.provider.claims = { sub: '1' };
    oidc.provider.userInfo = { sub: '2', email: 'ada@example.com' };
    expect(await failureOf(claimsBy(client()))).toMatchObject({ status: 403 });
  });

  test('may respond without a body, which is an error', async () => {
    oidc.provider.claims = { sub: '1' };
    oidc.provider.responses = { '/userinfo': { status: 204, body: '' } };
    expect(await failureOf(claimsBy(client()))).toMatchObject(
      rejection('it responded with an unexpected status; check JOINERY_CONSOLE_OIDC_ISSUER'),
    );
  });
});

describe('a sign-in is rejected with the reason', () => {
  const seconds = () => Math.floor(Date.now() / 1_000);
  const clock = 'the ID token is expired or not valid yet; compare the clock of the service with that of the provider';

  test.each([
    ['an audience', () => ({ aud: 'other' }), 'the ID token is for another client than JOINERY_CONSOLE_OIDC_CLIENT_ID'],
    ['an issuer', () => ({ iss: foreign }), 'the ID token has another issuer'],
    ['a nonce', () => ({ nonce: 'other' }), 'the ID token belongs to another sign-in'],
    ['a time of expiry', () => ({ exp: seconds() - 60 }), clock],
    ['a time of begin', () => ({ nbf: seconds() + 60 }), clock],
  ])('for %s of the ID token', async (_claim, changes, reason) => {
    oidc.provider.change = (claims) => ({ ...claims, ...changes() });
    expect(await failureOf(claimsBy(client()))).toMatchObject(rejection(reason));
  });

  test('except that clocks may differ by 30 seconds', async () => {
    oidc.provider.change = (claims) => ({ ...claims, exp: seconds() - 15, nbf: seconds() + 15 });
    expect(await claimsBy(client())).toMatchObject({ sub: 'user-1' });
  });

  test('for a key that the provider does not publish', async () => {
    oidc.provider.responses = { '/keys': { status: 200, body: '{"keys":[]}' } };
    expect(await failureOf(claimsBy(client()))).toMatchObject(
      rejection('no key of the provider matches the signature of the ID token'),
    );
  });

  test('for another signature', async () => {
    oidc.provider.signsWithOtherKey = true;
    expect(await failureOf(claimsBy(client()))).toMatchObject(
      rejection('invalid response encountered: JWT signature verification failed'),
    );
  });

  test('for a response without an ID token', async () => {
    const body = '{"access_token":"a","token_type":"bearer"}';
    oidc.provider.responses = { '/token': { status: 200, body, type: 'application/json' } };
    expect(await failureOf(claimsBy(client()))).toMatchObject({
      ...{ code: 'access-denied', status: 403, message: expect.stringContaining('"id_token"') },
    });
  });

  test('for an error of the sign-in page', async () => {
    oidc.provider.denies = 'access_denied';
    expect(await failureOf(claimsBy(client()))).toMatchObject(rejection('it responded with access_denied'));
  });

  test('for a description, in 300 characters, of an error in 100', async () => {
    const created = client();
    const { checks } = await created.begin();
    const query = new URLSearchParams({ state: checks.state, iss: oidc.provider.issuer });
    query.set('error', 'e'.repeat(150));
    query.set('error_description', 'd'.repeat(400));
    expect(await failureOf(created.finish(`?${query}`, checks))).toMatchObject(
      rejection(`it responded with ${'e'.repeat(100)} (${'d'.repeat(300)})`),
    );
  });

  test('for a code that was used', async () => {
    const created = client();
    const { query, checks } = await begun(created);
    await created.finish(query, checks);
    expect(await failureOf(created.finish(query, checks))).toMatchObject(rejection('it responded with invalid_grant'));
  });

  test('for another state, without a call', async () => {
    const created = client();
    const { query, checks } = await begun(created);
    const error = await failureOf(created.finish(query, { ...checks, state: 'other' }));
    expect([error, created.calls]).toEqual([expect.objectContaining({ status: 403 }), [expect.anything()]]);
  });

  test.each([
    [
      'that is not JSON',
      { status: 200, body: '<html>' },
      'its response is not JSON; check JOINERY_CONSOLE_OIDC_ISSUER',
    ],
    [
      'that is not JSON despite its type',
      { status: 200, body: '<html>', type: 'application/json' },
      'its response is not JSON; check JOINERY_CONSOLE_OIDC_ISSUER',
    ],
    [
      'of an unexpected status',
      { status: 404, body: '' },
      'it responded with an unexpected status; check JOINERY_CONSOLE_OIDC_ISSUER',
    ],
  ])('for a configuration %s', async (_case, response, reason) => {
    oidc.provider.responses = { '/.well-known/openid-configuration': response };
    expect(await failureOf(client().begin())).toMatchObject(rejection(reason));
  });

  test('for a configuration of another issuer', async () => {
    oidc.provider.metadata = { issuer: foreign };
    expect(await failureOf(client().begin())).toMatchObject(
      rejection('its configuration names another issuer than JOINERY_CONSOLE_OIDC_ISSUER'),
    );
  });

  test('and with its cause', async () => {
    oidc.provider.metadata = { issuer: foreign };
    expect(await failureOf(client().begin())).toHaveProperty('cause', expect.any(Error));
  });
});

test('a provider that cannot be reached is an error of status 503', async () => {
  expect(await failureOf(client({ issuer: 'http://127.0.0.1:9' }).begin())).toMatchObject({
    ...{ code: 'unexpected', status: 503, cause: expect.any(Error) },
    message: expect.stringMatching(/^the provider cannot be reached: ./),
  });
});

test('an https provider is never called without TLS', async () => {
  const created = client({ issuer: oidc.provider.issuer.replace('http:', 'https:') });
  await failureOf(created.begin());
  expect(created.calls.map(({ url }) => new URL(url).protocol)).toEqual(['https:']);
});

test('an https provider has no endpoint without TLS', async () => {
  const issuer = oidc.provider.issuer.replace('http:', 'https:');
  const withoutTls: HttpClient = {
    call: (call) => oidc.httpClient.call({ ...call, url: call.url.replace('https:', 'http:') }),
    close: () => oidc.httpClient.close(),
  };
  oidc.provider.metadata = { issuer };
  expect(await failureOf(client({ issuer }, withoutTls).begin())).toMatchObject(
    rejection('only requests to HTTPS are allowed'),
  );
});

test('the configuration of the provider is read again after an hour', async () => {
  let time = 1_000;
  const created = client({}, oidc.httpClient, () => time);
  await created.begin();
  time += 3_599_999;
  await created.begin();
  const before = created.calls.length;
  time += 1;
  await created.begin();
  expect([before, created.calls.length]).toEqual([1, 2]);
});

describe('an unknown failure', () => {
  const failing = (cause: Error): HttpClient => ({ call: () => Promise.reject(cause), close: async () => undefined });

  test('is described by the messages of its first 4 causes', async () => {
    const cause = ['f', 'e', 'd', 'c', 'b', 'a'].reduce<Error | undefined>(
      (inner, message) => new Error(message, { cause: inner }),
      undefined,
    );
    if (cause === undefined) throw new Error('there is a cause');
    expect(await failureOf(client({}, failing(cause)).begin())).toMatchObject(
      rejection('something went wrong: a: b: c: d'),
    );
  });

  test('is described in 300 characters', async () => {
    const error = await failureOf(client({}, failing(new Error('x'.repeat(400)))).begin());
    expect(error).toMatchObject(rejection(`something went wrong: ${'x'.repeat(278)}`));
  });
});
