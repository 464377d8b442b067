import { expect, test } from 'vitest';
import { testArguments, testVariables } from './transform-test.ts';

const header = { key: 1, name: 'X-Key', from: 'environment', text: 'HOOK_KEY' } as const;
const request = { webhook: { url: '{{HOOKS}}/paid' }, headers: [header], request: undefined, call: '{}' };

test('variables of URLs have URLs as examples, those of headers other strings, and typed values replace both', () => {
  expect(testVariables(request, {})).toEqual({ HOOKS: 'https://hooks.example', HOOK_KEY: 'value of HOOK_KEY' });
  expect(testVariables(request, { HOOK_KEY: 'k' })).toMatchObject({ HOOK_KEY: 'k' });
  expect(testVariables({ ...request, webhook: { url: 'HOOK', fromEnvironment: true } }, {})).toMatchObject({
    HOOK: 'https://hook.example',
  });
});

test('a request without a transform is a POST request with the configured headers', () => {
  expect(testArguments(request, { HOOKS: 'https://a' })).toEqual({
    webhook_url: '{{HOOKS}}/paid',
    env: { HOOKS: 'https://a' },
    request_headers: [
      ['Content-Type', 'application/json'],
      ['User-Agent', 'joinery/…'],
      ['X-Key', '{{HOOK_KEY}}'],
    ],
    request_transform: { version: 2, method: 'POST' },
  });
});

test.each([
  ['a call of an action', { session_variables: { 'x-role': 'user' } }],
  ['an event of a trigger', { event: { session_variables: { 'x-role': 'user' } } }],
  ['a batch of events', [{ event: { session_variables: { 'x-role': 'user' } } }]],
])('the session variables are those of %s', (_what, call) => {
  expect(testArguments({ ...request, call: JSON.stringify(call) }, {})).toMatchObject({
    session_variables: { 'x-role': 'user' },
  });
});

test('the transform decides about the method', () => {
  expect(testArguments({ ...request, request: { version: 2, method: 'PUT' } }, {})).toMatchObject({
    request_transform: { version: 2, method: 'PUT' },
  });
});
