import { expect, it } from 'vitest';
import { ServiceError } from './errors.ts';
import { createMetrics } from './metrics.ts';

it('prints what was observed before and after the first reading', async () => {
  const metrics = createMetrics();
  let pending = 3;
  metrics.gauge('joinery_pending', 'What waits.', () => pending);
  const request = (status: number, durationMs: number) =>
    metrics.observe({ kind: 'request', method: 'POST', path: '/v1/graphql', status, requestId: '1', durationMs });
  request(200, 2);
  request(200, 300);
  request(503, 60_000);
  metrics.observe({ kind: 'refused', requestId: '1', error: new ServiceError('busy', 'later') });
  const first = await metrics.read();
  expect(first.contentType).toContain('text/plain');
  const lines = first.text.split('\n');
  expect(lines).toContain('joinery_http_requests_total{path="/v1/graphql",status="200"} 2');
  expect(lines).toContain('joinery_http_requests_total{path="/v1/graphql",status="503"} 1');
  expect(lines).toContain('joinery_errors_total{code="busy"} 1');
  expect(lines).toContain('# TYPE joinery_http_request_duration_seconds histogram');
  expect(lines).toContain('joinery_http_request_duration_seconds_bucket{le="0.0025",path="/v1/graphql"} 1');
  expect(lines).toContain('joinery_http_request_duration_seconds_bucket{le="0.5",path="/v1/graphql"} 2');
  expect(lines).toContain('joinery_http_request_duration_seconds_bucket{le="10",path="/v1/graphql"} 2');
  expect(lines).toContain('joinery_http_request_duration_seconds_bucket{le="+Inf",path="/v1/graphql"} 3');
  expect(lines).toContain('joinery_http_request_duration_seconds_count{path="/v1/graphql"} 3');
  expect(lines).toContain('joinery_pending 3');
  pending = 4;
  request(200, 1);
  const second = (await metrics.read()).text.split('\n');
  expect(second).toContain('joinery_http_requests_total{path="/v1/graphql",status="200"} 3');
  expect(second).toContain('joinery_pending 4');
});
