import { expect, it } from 'vitest';
import { ServiceError } from '../errors.ts';
import { createMetrics } from './metrics.ts';

it('prints observations before and after the first scrape', async () => {
  const metrics = createMetrics();
  let pending = 3;
  metrics.gauge('joinery_pending', 'Pending items.', () => pending);
  metrics.counter('joinery_done_total', 'Completed items.', () => [[{ how: 'well' }, 2 * pending]], ['how']);
  const request = (status: number, durationMs: number) =>
    metrics.observe({ kind: 'request', method: 'POST', path: '/v1/graphql', status, requestId: '1', durationMs });
  request(200, 2);
  request(200, 300);
  request(503, 60_000);
  metrics.observe({ kind: 'refused', requestId: '1', error: new ServiceError('busy', 'later') });
  const first = await metrics.read();
  expect(first.contentType).toContain('text/plain');
  const lines = first.text.split('\n');
  expect(lines).toContain('joinery_http_requests_total{method="POST",path="/v1/graphql",status="200"} 2');
  expect(lines).toContain('joinery_http_requests_total{method="POST",path="/v1/graphql",status="503"} 1');
  expect(lines).toContain('joinery_errors_total{code="busy"} 1');
  expect(lines).toContain('# TYPE joinery_http_request_duration_seconds histogram');
  expect(lines).toContain(
    'joinery_http_request_duration_seconds_bucket{le="0.0025",method="POST",path="/v1/graphql"} 1',
  );
  expect(lines).toContain('joinery_http_request_duration_seconds_bucket{le="0.5",method="POST",path="/v1/graphql"} 2');
  expect(lines).toContain('joinery_http_request_duration_seconds_bucket{le="10",method="POST",path="/v1/graphql"} 2');
  expect(lines).toContain('joinery_http_request_duration_seconds_bucket{le="+Inf",method="POST",path="/v1/graphql"} 3');
  expect(lines).toContain('joinery_http_request_duration_seconds_count{method="POST",path="/v1/graphql"} 3');
  expect(lines).toContain('joinery_pending 3');
  pending = 4;
  request(200, 1);
  const second = (await metrics.read()).text.split('\n');
  expect(second).toContain('joinery_http_requests_total{method="POST",path="/v1/graphql",status="200"} 3');
  expect(second).toContain('joinery_pending 4');
  expect(second).toContain('joinery_done_total{how="well"} 8');
});

it('limits the number of series of names from requests', async () => {
  const metrics = createMetrics();
  for (let number = 0; number < 3_000; number += 1) {
    metrics.observe({ kind: 'request', method: 'GET', path: `/${number}`, status: 200, requestId: '1', durationMs: 1 });
  }
  const lines = (await metrics.read()).text
    .split('\n')
    .filter((line) => line.startsWith('joinery_http_requests_total'));
  expect(lines).toHaveLength(1_001);
  expect(lines).toContain('joinery_http_requests_total{method="other",path="other",status="other"} 2000');
});

it.each([
  ['DELETE', 'DELETE'],
  ['PROPFIND', 'other'],
  ['get', 'other'],
])('counts a request with the method %s under the method %s', async (method, label) => {
  const metrics = createMetrics();
  metrics.observe({ kind: 'request', method, path: '/', status: 404, requestId: '1', durationMs: 1 });
  expect((await metrics.read()).text).toContain(
    `joinery_http_requests_total{method="${label}",path="/",status="404"} 1`,
  );
});

it('prints the other metrics if one cannot be read', async () => {
  const metrics = createMetrics();
  metrics.gauge('joinery_away', 'A metric of an unreachable database.', () => Promise.reject(new Error('away')));
  metrics.gauge('joinery_here', 'A metric of the service.', () => 1);
  const lines = (await metrics.read()).text.split('\n');
  expect(lines).toContain('joinery_here 1');
  expect(lines.filter((line) => /^joinery_away[ {]/.test(line))).toEqual([]);
});

it('prints a metric that was added after the first scrape', async () => {
  const metrics = createMetrics();
  await metrics.read();
  metrics.gauge('joinery_later', 'A metric of a part that starts later.', () => 1);
  expect((await metrics.read()).text.split('\n')).toContain('joinery_later 1');
});
