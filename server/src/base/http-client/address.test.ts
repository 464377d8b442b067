import { describe, expect, test } from 'vitest';
import { addressOf, InvalidAddressError } from './address.ts';

/** Returns the name and the value of the header. */
const authorizationOf = (url: string): readonly string[] | undefined => addressOf(url).authorization;
const basic = (pair: string): readonly string[] => ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`];

/** Returns the error of an invalid URL. */
function errorOf(text: string): InvalidAddressError {
  try {
    addressOf(text);
  } catch (error) {
    if (error instanceof InvalidAddressError) return error;
    throw error;
  }
  throw new Error(`${text} is valid`);
}

test('a URL is its origin, and its path with the query', () => {
  expect(addressOf(' https://example.com:8443/a/b?c=d#e ')).toMatchObject({
    origin: 'https://example.com:8443',
    path: '/a/b?c=d',
  });
});

test.each([
  ['none', 'http://example.com/', undefined],
  ['a name and a password', 'http://ann:secret@example.com/', basic('ann:secret')],
  ['a name', 'http://ann@example.com/', basic('ann:')],
  ['a password', 'http://:secret@example.com/', basic(':secret')],
  ['encoded characters', 'http://a%40b:%C3%BC@example.com/', basic('a@b:ü')],
])('%s in the URL: the header that it makes', (_what, url, header) => {
  expect(authorizationOf(url)).toEqual(header);
});

test.each([
  ['another protocol', 'ftp://example.com/', 'the address is not an http or https URL'],
  ['no URL', 'example.com', 'the address is not an http or https URL'],
  ['a line break', 'http://example.com/\nx', 'the address has a control character'],
  ['an invalid encoding', 'http://ann:%FF@example.com/', 'the credentials in the address are not URL-encoded'],
])('rejects %s', (_what, url, message) => {
  expect(errorOf(url).message).toBe(message);
});

test('the error of an invalid encoding has its cause', () => {
  expect(errorOf('http://ann:%FF@example.com/').cause).toBeInstanceOf(URIError);
});

describe('the cache', () => {
  const url = (length: number): string => 'http://example.com/'.padEnd(length, 'x');

  test('has texts of up to 500 characters', () => {
    expect(addressOf(url(500))).toBe(addressOf(url(500)));
    expect(addressOf(url(501))).not.toBe(addressOf(url(501)));
  });

  test('is emptied before it has more than 500 texts', () => {
    let added = 0;
    const add = (count: number): void => {
      for (const end = added + count; added < end; added += 1) addressOf(`http://example.com/filler/${added}`);
    };
    // Other tests of the process have filled it too: now it is emptied.
    const known = addressOf('http://example.com/known');
    while (addressOf('http://example.com/known') === known) add(1);
    const first = addressOf('http://example.com/first');
    add(400);
    expect(addressOf('http://example.com/first')).toBe(first);
    add(500);
    expect(addressOf('http://example.com/first')).not.toBe(first);
  });
});
