import { expect, test } from 'vitest';
import { originMatcher } from './cors.ts';

test.each([
  ['https://a.com', 'https://a.com', true],
  [' https://a.com , https://b.com ', 'https://b.com', true],
  ['https://a.com', 'https://A.com', false],
  ['https://a.com', 'http://a.com', false],
  ['https://a.com', 'https://a.com:8443', false],
  ['https://a.com:8443', 'https://a.com:8443', true],
  ['https://*.a.com', 'https://x.a.com', true],
  ['https://*.a.com', 'https://a.com', false],
  ['https://*.a.com', 'https://x.y.a.com', false],
  ['https://*.a.com', 'https://x.aXcom', false],
  ['https://*.a.com:8443', 'https://x.a.com:8443', true],
  ['https://*.a.com:8443', 'https://x.a.com', false],
  ['capacitor://*.a.com', 'capacitor://x.a.com', true],
  ['https://*.*.a.com', 'https://x.y.a.com', false],
  ['https://x*.a.com', 'https://xy.a.com', false],
  ['*', 'https://a.com', false],
])('the list "%s" names the origin %s: %s', (list, origin, named) => {
  expect(originMatcher(list)(origin)).toBe(named);
});
