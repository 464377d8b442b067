import { ActionDefinition } from '@joinery/metadata/schema/actions';
import { expect, test } from 'vitest';
import { actionDraftOf, actionErrors, definitionFrom, emptyActionDraft } from './action-draft.ts';
import type { Action } from './actions-api.ts';
import { readActionSdl } from './sdl/sdl.ts';

const definition: Action['definition'] = {
  type: 'mutation',
  kind: 'asynchronous',
  arguments: [
    { name: 'size', type: 'Size', default_value: 'S', description: 'The size of the shirt' },
    { name: 'lines', type: '[Line!]!', default_value: [{ sku: 'a', size: 'M' }] },
  ],
  output_type: '[Int!]!',
  handler: '{{HANDLERS}}/x',
  headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
  forward_client_headers: true,
  ignored_client_headers: ['Cookie'],
  timeout: 120,
  retry_conf: { num_retries: 3, retry_interval_seconds: 5 },
  request_transform: {
    version: 1,
    template_engine: 'Kriti',
    body: '{{$body.input}}',
    query_params: { a: null },
    request_headers: { add_headers: { A: 'b' } },
  },
  response_transform: {
    version: 2,
    body: { action: 'transform', template: '{{$body}}' },
    errors: [{ status: [404, '5xx'], body: { action: 'transform', template: '{}' } }],
  },
  forward_response_headers: ['X-Total'],
  max_concurrent_calls: 4,
  cache: { ttl_seconds: 1.5, session_variables: ['x-service-user-id'] },
};
const types = {
  enums: [{ name: 'Size', values: [{ value: 'S' }, { value: 'M' }] }],
  input_objects: [
    {
      name: 'Line',
      fields: [
        { name: 'sku', type: 'String' },
        { name: 'size', type: 'Size' },
      ],
    },
  ],
};

test('saving an unchanged action preserves it, including members that SDL cannot express', () => {
  const draft = actionDraftOf({ name: 'x', comment: 'c', definition }, types);
  const read = readActionSdl(draft.signature);
  if ('problem' in read) throw new Error(read.problem);
  expect(definitionFrom(draft, read, definition)).toEqual(definition);
});

test('preserves empty lists', () => {
  const before = { ...definition, ignored_client_headers: [], cache: { ttl_seconds: 1, session_variables: [] } };
  const draft = actionDraftOf({ name: 'x', definition: before }, types);
  const read = readActionSdl(draft.signature);
  if ('problem' in read) throw new Error(read.problem);
  expect(definitionFrom(draft, read, before)).toEqual(before);
});

test('an empty form produces a valid definition', () => {
  const read = readActionSdl(emptyActionDraft.signature);
  if ('problem' in read) throw new Error(read.problem);
  const made = definitionFrom({ ...emptyActionDraft, handler: ' http://x ' }, read);
  expect(made).toEqual({
    type: 'mutation',
    arguments: [{ name: 'product', type: 'String!' }],
    output_type: 'PlacedOrder',
    kind: 'synchronous',
    handler: 'http://x',
    forward_client_headers: false,
    timeout: 30,
  });
  expect(ActionDefinition.safeParse(made).success).toBe(true);
});

test('the form writes transforms of version 2', () => {
  const read = readActionSdl(emptyActionDraft.signature);
  if ('problem' in read) throw new Error(read.problem);
  const { request, response } = emptyActionDraft;
  const made = definitionFrom(
    {
      ...emptyActionDraft,
      handler: 'http://x',
      transformsRequest: true,
      request: {
        ...request,
        method: 'GET',
        url: '{{$base_url}}/a',
        query: 'pairs',
        queryPairs: [{ key: 1, name: 'q', text: '{{$body.input.product}}' }],
        removeHeaders: 'A, B',
        body: { ...request.body, kind: 'remove' },
      },
      transformsResponse: true,
      response: { ...response, errors: [{ key: 1, status: '404 5xx', template: '{}' }] },
    },
    read,
  );
  expect(made).toMatchObject({
    request_transform: {
      version: 2,
      template_engine: 'Kriti',
      method: 'GET',
      url: '{{$base_url}}/a',
      query_params: { q: '{{$body.input.product}}' },
      request_headers: { add_headers: {}, remove_headers: ['A', 'B'] },
      body: { action: 'remove' },
    },
    response_transform: {
      version: 2,
      errors: [{ status: [404, '5xx'], body: { action: 'transform', template: '{}' } }],
    },
  });
  expect(ActionDefinition.safeParse(made).success).toBe(true);
});

test('reports invalid numbers', () => {
  const draft = { ...emptyActionDraft, timeout: 'soon', maxCalls: '0', cacheSeconds: '-1', retries: 'x' };
  expect(actionErrors(draft)).toEqual({
    handler: 'Must not be empty.',
    timeout: 'Must be a whole number.',
    maxCalls: 'Must be a whole number, or empty.',
    cacheSeconds: 'Must be a number of seconds, or empty.',
  });
  expect(Object.keys(actionErrors({ ...draft, kind: 'asynchronous' }))).toContain('retries');
});

test('reports a signature that cannot be parsed and another name of an existing action', () => {
  const draft = { ...emptyActionDraft, handler: 'http://handler' };
  expect(actionErrors(draft)).toEqual({});
  expect(Object.keys(actionErrors({ ...draft, signature: 'type' }))).toEqual(['signature']);
  expect(actionErrors(draft, 'other').signature).toContain('the action is called other');
});
