import { expect, it } from 'vitest';
import { createCookieJar } from './console-cookies.ts';

const jar = createCookieJar('https://api.example.com/console/oidc/callback');

it('are of this host only, and secure, where the address is https', () => {
  expect(jar.print('session', 'x', 60)).toBe(
    '__Host-joinery-console=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure',
  );
  expect(jar.print('login', 'x', 60)).toMatch(/^__Host-joinery-console-login=x; .*SameSite=Lax/);
});

it('are removed from the headers, and other cookies stay', () => {
  const headers = { cookie: 'a=1; __Host-joinery-console=x; b=2; __Host-joinery-console-login=y' };
  jar.take(headers);
  expect(headers).toEqual({ cookie: 'a=1; b=2' });
  expect(jar.of(headers)).toEqual({ session: 'x', login: 'y', isOwnPage: false });
});

it('count without the prefix only where the address is http', () => {
  const headers = { cookie: 'joinery-console=x' };
  jar.take(headers);
  expect(jar.of(headers)?.session).toBeUndefined();
});

it.each([
  [{ origin: 'https://api.example.com' }, true],
  [{ origin: 'https://api.example.com', 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ origin: 'http://api.example.com', 'sec-fetch-site': 'same-origin' }, false],
  [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{}, false],
] as const)('are of a page of the console with %j: %s', (sent, isOwnPage) => {
  const headers = { ...sent, cookie: '__Host-joinery-console=x' };
  jar.take(headers);
  expect(jar.of(headers)?.isOwnPage).toBe(isOwnPage);
});
