import { expect, test } from 'vitest';
import { Cancellation } from '../cancellation.ts';
import { untraced } from '../telemetry/trace.ts';
import type { HttpCall, HttpClient } from './http-client.ts';
import { tracedHttpClient } from './observed-http-client.ts';

test('a traced client passes on all members of a call, and its span as the parent', async () => {
  const calls: HttpCall[] = [];
  const failure = new Error('not sent');
  const httpClient: HttpClient = {
    call: (made) => {
      calls.push(made);
      return Promise.reject(failure);
    },
    close: async () => undefined,
  };
  const made: Omit<Required<HttpCall>, 'span'> = {
    method: 'PUT',
    url: 'http://service.example/',
    headers: [['a', 'b']],
    body: '{}',
    timeoutMs: 1_000,
    maxBytes: 2_000,
    overflow: 'fail',
    mayStart: () => true,
    onHeaders: () => undefined,
    signal: new Cancellation(),
    purpose: { kind: 'action', name: 'act' },
  };
  const span = untraced.start('parent');
  const other = { ...span };
  await expect(tracedHttpClient(span, httpClient).call(made)).rejects.toBe(failure);
  await expect(tracedHttpClient(span, httpClient).call({ ...made, span: other })).rejects.toBe(failure);
  expect(calls).toEqual([
    { ...made, span },
    { ...made, span },
  ]);
  for (const call of calls) expect(call.span).toBe(span);
});
