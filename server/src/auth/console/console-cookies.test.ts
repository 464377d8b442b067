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

it('are of this host by name, and not secure, where the address is http', () => {
  const plain = createCookieJar('http://localhost:8080/console/oidc/callback');
  expect(plain.print('session', 'x', 60)).toBe('joinery-console=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=60');
});

it('have a name of their own during the sign-in', () => {
  const plain = createCookieJar('http://localhost:8080/console/oidc/callback');
  expect(plain.print('login', 'x', 60)).toMatch(/^joinery-console-login=x;/);
});

it('are deleted by an empty token', () => {
  expect(jar.print('login', '', 60)).toContain('Max-Age=0;');
});

it('leave no header where there are no others', () => {
  const headers = { cookie: '__Host-joinery-console=x;' };
  jar.take(headers);
  expect(headers).toEqual({});
});

it.each([{}, { cookie: 'a=1;  b=2' }])('are not looked for in %j', (sent) => {
  const headers = { ...sent };
  jar.take(headers);
  expect([headers, jar.of(headers)]).toEqual([sent, undefined]);
});

it('do not count where one exists twice', () => {
  const headers = { cookie: '__Host-joinery-console=x; __Host-joinery-console=y' };
  jar.take(headers);
  expect([headers, jar.of(headers)?.session]).toEqual([{}, undefined]);
});

it('keep other cookies whose names begin or end like theirs', () => {
  const headers = { cookie: '__Host-joinery-console-x=1; x__Host-joinery-console=2; __Host-joinery-console=3' };
  jar.take(headers);
  expect([headers.cookie, jar.of(headers)?.session]).toEqual([
    '__Host-joinery-console-x=1; x__Host-joinery-console=2',
    '3',
  ]);
});

it('keep equals signs', () => {
  const headers = { cookie: '__Host-joinery-console=a=b' };
  jar.take(headers);
  expect(jar.of(headers)?.session).toBe('a=b');
});

it('are known for the headers of a message of the same connection', () => {
  const [from, to, other] = [{ cookie: '__Host-joinery-console=x' }, {}, {}];
  jar.take(from);
  jar.copy(from, to);
  jar.copy({}, other);
  expect([jar.of(to)?.session, jar.of(other)]).toEqual(['x', undefined]);
});
