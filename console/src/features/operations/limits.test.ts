import { expect, test } from 'vitest';
import { curlOf, isFollowed, linesOf, pathOf } from './limits.ts';

test('lists each limit that is set, with the limits of roles', () => {
  expect(
    linesOf({
      depth_limit: { global: 5, per_role: { user: 3 } },
      rate_limit: {
        global: { max_reqs_per_min: 1_000, unique_params: 'IP' },
        per_role: { app: { max_reqs_per_min: 60 } },
      },
    }),
  ).toEqual([
    {
      key: 'depth_limit',
      label: 'Depth',
      global: '5 levels of selections',
      roles: [['user', '3 levels of selections']],
    },
    {
      key: 'rate_limit',
      label: 'Rate',
      global: '1,000 requests a minute for each address',
      roles: [['app', '60 requests a minute']],
    },
  ]);
  expect(linesOf(undefined)).toEqual([]);
});

const query = { collection_name: 'shop', query_name: 'a' };
const endpoint = { name: 'a', url: '/authors/:name', methods: ['GET'] as const, definition: { query } };

test('an endpoint has a link if it accepts GET and its path has no variable', () => {
  expect(isFollowed(endpoint)).toBe(false);
  expect(isFollowed({ url: 'authors', methods: ['POST', 'GET'] })).toBe(true);
  expect(isFollowed({ url: 'authors', methods: ['POST'] })).toBe(false);
});

test('the URL of an endpoint is below /api/rest/ for every notation of its path', () => {
  expect(pathOf(endpoint)).toBe('/api/rest/authors/:name');
  expect(curlOf({ ...endpoint, methods: ['POST'] }, 'http://localhost:8080', 'x-service-')).toBe(
    'curl -X POST "http://localhost:8080/api/rest/authors/:name" \\\n  -H "x-service-admin-secret: $ADMIN_SECRET"',
  );
});
