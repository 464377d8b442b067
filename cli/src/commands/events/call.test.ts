import { expect, test } from 'vitest';
import { type CallFlags, callOf } from './call.ts';

const rejection = (webhook: string | undefined, flags: CallFlags): Promise<string> =>
  callOf(webhook, flags).then(
    (call) => `no error, but ${JSON.stringify(call)}`,
    (error: Error) => error.message,
  );

test('a webhook has headers', async () => {
  expect(await callOf('https://a/hook', { header: ['X-Key: $HOOK_KEY', 'X-A: 1'] })).toEqual({
    webhook: 'https://a/hook',
    headers: [
      { name: 'X-Key', value_from_env: 'HOOK_KEY' },
      { name: 'X-A', value: '1' },
    ],
  });
});

test('an operation has a role, variables and session variables, and its name may contain dots', async () => {
  const flags = {
    operation: 'shop.cancel.order',
    role: 'clerk',
    variables: '{"id":"{{$body.payload.id}}"}',
    sessionVariable: ['x-hasura-user-id=7', 'x-hasura-filter=a=b'],
  };
  expect(await callOf(undefined, flags)).toEqual({
    target: {
      operation: {
        collection: 'shop',
        name: 'cancel.order',
        role: 'clerk',
        session_variables: { 'x-hasura-user-id': '7', 'x-hasura-filter': 'a=b' },
        variables: { id: '{{$body.payload.id}}' },
      },
    },
  });
});

test.each([
  ['close_month', { function: { schema: 'public', name: 'close_month' } }],
  ['shop.close_month', { function: { schema: 'shop', name: 'close_month' } }],
  ['other:shop.close_month', { source: 'other', function: { schema: 'shop', name: 'close_month' } }],
])('the function %s has the defaults of absent parts', async (name, called) => {
  expect(await callOf(undefined, { function: name })).toEqual({ target: { function: called } });
});

test('a text of inputs is a template of the whole object', async () => {
  const call = await callOf(undefined, { function: 'f', arguments: '"{\\"a\\":{{$body.payload}}}"' });
  expect(call).toMatchObject({ target: { function: { arguments: '{"a":{{$body.payload}}}' } } });
});

test.each<[string | undefined, CallFlags, string]>([
  [undefined, {}, 'give one of a webhook, --operation and --function'],
  ['https://a', { function: 'f' }, 'give one of a webhook, --operation and --function'],
  [undefined, { function: 'f', operation: 'a.b' }, 'give one of a webhook, --operation and --function'],
  ['https://a', { role: 'clerk' }, '--role needs --operation'],
  [undefined, { function: 'f', variables: '{}' }, '--variables needs --operation'],
  [undefined, { operation: 'a.b', role: 'clerk', arguments: '{}' }, '--arguments needs --function'],
  [undefined, { function: 'f', header: ['A: 1'] }, '--header needs a webhook'],
  [undefined, { operation: 'a.b' }, '--operation needs --role'],
  [undefined, { operation: 'cancel', role: 'clerk' }, '"cancel" is not a saved operation; write COLLECTION.NAME'],
  [undefined, { operation: 'shop.', role: 'clerk' }, '"shop." is not a saved operation'],
  [undefined, { function: 'a.b.c' }, '"a.b.c" is not a function; write [SOURCE:]SCHEMA.NAME'],
  [undefined, { function: 'f', arguments: '[1]' }, '--arguments must be a JSON object'],
  [undefined, { function: 'f', arguments: '{' }, '--arguments is not JSON'],
  [
    undefined,
    { operation: 'a.b', role: 'clerk', sessionVariable: ['x'] },
    '"x" is not a session variable; write NAME=VALUE',
  ],
])('rejects webhook %j with %j', async (webhook, flags, message) => {
  expect(await rejection(webhook, flags)).toContain(message);
});
