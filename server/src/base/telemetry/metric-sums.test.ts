import { expect, test } from 'vitest';
import { addLasting, type MetricSample, printSums } from './metric-sums.ts';

const metric = (type: MetricSample['type'], name: string, value: number, labels = {}): MetricSample => ({
  ...{ name, help: 'A metric.', type, values: [{ labels, value }] },
});

test('adds counters and gauges by their labels, and lists gauges of the runtime by process', async () => {
  const text = await printSums([
    {
      process: '1',
      samples: [
        metric('counter', 'joinery_requests_total', 2, { path: '/a' }),
        metric('gauge', 'joinery_pool_size', 4),
        metric('gauge', 'joinery_inconsistent_objects', 3),
        metric('gauge', 'joinery_build_info', 1, { version: '1.2.3' }),
        metric('gauge', 'nodejs_heap_size_used_bytes', 10),
      ],
    },
    {
      process: '2',
      samples: [
        metric('counter', 'joinery_requests_total', 3, { path: '/a' }),
        metric('gauge', 'joinery_pool_size', 3),
        metric('gauge', 'joinery_inconsistent_objects', 3),
        metric('gauge', 'joinery_build_info', 1, { version: '1.2.3' }),
        metric('gauge', 'nodejs_heap_size_used_bytes', 20),
      ],
    },
    { process: undefined, samples: [metric('counter', 'joinery_requests_total', 5, { path: '/a"' })] },
  ]);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'joinery_requests_total{path="/a"} 5',
    'joinery_requests_total{path="/a\\""} 5',
    'joinery_pool_size 7',
    'joinery_inconsistent_objects 3',
    'joinery_build_info{version="1.2.3"} 1',
    'nodejs_heap_size_used_bytes{process="1"} 10',
    'nodejs_heap_size_used_bytes{process="2"} 20',
  ]);
});

test('keeps counters and histograms of processes that have ended, and no gauges', async () => {
  const ended = [metric('counter', 'joinery_requests_total', 2), metric('gauge', 'joinery_pool_size', 4)];
  const samples = await addLasting(await addLasting([], ended), ended);
  expect(samples).toMatchObject([{ name: 'joinery_requests_total', values: [{ value: 4 }] }]);
});
