import { describe, expect, test } from 'vitest';
import { readSearch, searchArguments, writeSearch } from './search-state.ts';

const now = Date.parse('2026-09-01T12:00:00Z');
const read = (text: string) => readSearch(new URLSearchParams(text));

describe('the search of events', () => {
  test('survives a round trip through the query string', () => {
    const address =
      'kind=cron%2Ctrigger&status=error%2Cdead&time=1h&order=asc&size=100&q=renew&payload=%7B%22id%22%3A7%7D';
    const search = read(address);
    const written = new URLSearchParams();
    for (const [name, value] of Object.entries(writeSearch(search))) if (value !== undefined) written.set(name, value);
    expect(readSearch(written)).toEqual(search);
  });

  test('ignores invalid parameters', () => {
    expect(read('kind=webhook&status=lost&time=soon&from=yesterday&size=7&payload=%7B')).toEqual(read(''));
  });

  test.each([
    ['', { until: '2026-09-01T12:01:00.000Z' }],
    ['time=15m', { from: '2026-09-01T11:45:00.000Z', until: '2026-09-01T12:01:00.000Z' }],
    ['time=upcoming', { from: '2026-09-01T12:00:00.000Z' }],
    ['time=any', {}],
    ['time=any&call=503', { call_status: [503] }],
    [
      'time=any&call=failure&response=out',
      { call_status: ['1xx', '3xx', '4xx', '5xx', 'none'], response_contains: 'out' },
    ],
    ['time=any&call=699', {}],
    ['from=2026-01-01T00:00:00Z', { from: '2026-01-01T00:00:00Z' }],
  ])('with %j covers its range of time', (address, expected) => {
    expect(searchArguments(read(address), now)).toEqual({ ...expected, order: 'desc', limit: 50 });
  });

  test('preserves the digits of numbers in the payload', () => {
    const { payload_contains } = searchArguments(read('payload={"id":12345678901234567890}'), now);
    expect(JSON.stringify(payload_contains)).not.toContain('e+');
  });
});
