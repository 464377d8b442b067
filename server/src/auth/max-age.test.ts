import { expect, test } from 'vitest';
import { maxAgeOf } from './max-age.ts';

const now = Date.UTC(2034, 0, 2, 15, 0, 0);
const inAMinute = 'Mon, 02 Jan 2034 15:01:00 GMT';
const inTenMinutes = 600_000;

test.each<readonly [string, Readonly<Record<string, string>>, number]>([
  ['max-age', { 'Cache-Control': 'public, max-age=30' }, 30_000],
  ['s-maxage', { 'cache-control': 's-maxage=40' }, 40_000],
  ['the first of both ages', { 'cache-control': 's-maxage=40, max-age=30' }, 40_000],
  ['the age beside must-revalidate', { 'cache-control': 'must-revalidate, max-age=30' }, 30_000],
  ['must-revalidate alone', { 'cache-control': 'must-revalidate' }, 0],
  ['must-revalidate beside Expires', { 'cache-control': 'must-revalidate', expires: inAMinute }, 0],
  ['no-cache with an age', { 'cache-control': 'no-cache, max-age=30' }, 0],
  ['no-store', { 'cache-control': 'no-store' }, 0],
  ['Expires without Cache-Control', { Expires: inAMinute }, 60_000],
  ['Expires beside a Cache-Control without an age', { 'cache-control': 'public', expires: inAMinute }, 60_000],
  ['max-age before Expires', { 'cache-control': 'max-age=30', expires: inAMinute }, 30_000],
  ['an Expires that has passed', { expires: 'Mon, 02 Jan 2034 14:00:00 GMT' }, 0],
  ['an age that is not a number', { 'cache-control': 'max-age=x', expires: inAMinute }, inTenMinutes],
  ['a malformed Expires', { expires: '2034-01-02T15:01:00Z' }, inTenMinutes],
  ['an Expires of another zone', { expires: 'Mon, 02 Jan 2034 15:01:00 CET' }, inTenMinutes],
  ['an age in quotation marks', { 'cache-control': 'max-age="30"' }, 30_000],
  ['an age with text before it', { 'cache-control': 'max-age=x30' }, inTenMinutes],
  ['an age with text after it', { 'cache-control': 'max-age=30x' }, inTenMinutes],
  ['an Expires with spaces around it', { expires: ` ${inAMinute} ` }, 60_000],
  ['an Expires with text before it', { expires: `x ${inAMinute}` }, inTenMinutes],
  ['an Expires with text after it', { expires: `${inAMinute} (x)` }, inTenMinutes],
  ['no caching headers', {}, inTenMinutes],
  ['an age of more than a day', { 'cache-control': 'max-age=1000000' }, 86_400_000],
])('keys are cached by %s', (_rule, headers, age) => {
  expect(maxAgeOf(Object.entries(headers), now)).toBe(age);
});
