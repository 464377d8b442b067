/** The protocol graphql-transport-ws, message by message. */
import { expect, test } from 'vitest';
import { transportProtocol } from '../../src/http/websocket/transport-protocol.ts';
import { admit, codeWithoutInit, init, play, rejected, type Step } from './protocol-steps.ts';

const payload = { query: '{ a }' };
const subscribe = (id: unknown, more: object = {}) => ({ client: { type: 'subscribe', id, payload, ...more } });
const complete = (id: unknown) => ({ client: { type: 'complete', id } });
const opens = 'opens {"query":"{ a }"}';
const acknowledged: readonly Step[] = [init, admit, { server: ['admits undefined', { type: 'connection_ack' }] }];
const invalid: Step = { server: ['4400 Invalid message received'] };

test.each<[rule: string, steps: readonly Step[]]>([
  [
    'acknowledges a connection_init after authentication with its payload',
    [
      { client: { type: 'connection_init', payload: { headers: { a: 'b' } } } },
      { server: ['admits {"headers":{"a":"b"}}'] },
      admit,
      { server: [{ type: 'connection_ack' }] },
    ],
  ],
  [
    'closes with 4403 and the reason after failed authentication',
    [init, { event: 'forbid' }, { server: ['admits undefined', '4403 wrong secret'] }],
  ],
  [
    'sends no acknowledgment to a client that disconnected during authentication',
    [init, { event: 'closed' }, admit, { server: ['admits undefined'] }],
  ],
  [
    'closes with 4429 at a second connection_init before the acknowledgment',
    [init, init, { server: ['admits undefined', '4429 Too many initialisation requests'] }],
  ],
  [
    'closes with 4429 at a second connection_init after the acknowledgment',
    [...acknowledged, init, { server: ['4429 Too many initialisation requests'] }],
  ],
  ['closes with 4401 at a subscribe without connection_init', [subscribe('1'), { server: ['4401 Unauthorized'] }]],
  [
    'closes with 4401 at a subscribe before the acknowledgment',
    [init, subscribe('1'), { server: ['admits undefined', '4401 Unauthorized'] }],
  ],
  [
    'returns a ping as a pong with its payload, also before connection_init',
    [
      { client: { type: 'ping', payload: { at: 1 } } },
      { server: [{ type: 'pong', payload: { at: 1 } }] },
      { client: { type: 'ping', payload: null } },
      { server: [{ type: 'pong' }] },
    ],
  ],
  ['ignores a pong', [{ client: { type: 'pong', payload: {} } }, { server: [] }]],
  [
    'keeps the connection alive with pings',
    [{ event: 'keepAlive' }, { server: [{ type: 'ping', payload: { message: 'keepalive' } }] }],
  ],
  [
    'sends the results of an operation and its end',
    [
      ...acknowledged,
      subscribe('1'),
      { server: [opens] },
      { result: '{"data":1}', of: 0 },
      { server: [{ id: '1', type: 'next', payload: { data: 1 } }] },
      { result: '{"data":2}', of: 0 },
      { end: 0 },
      {
        server: [
          { id: '1', type: 'next', payload: { data: 2 } },
          { id: '1', type: 'complete' },
        ],
      },
    ],
  ],
  [
    'sends the errors of an operation that is rejected, without a complete, and frees its id',
    [
      ...acknowledged,
      subscribe('1'),
      { end: 0, error: rejected },
      { server: [opens, { id: '1', type: 'error', payload: [{ message: 'no such field' }] }] },
      subscribe('1'),
      { server: [opens] },
      { event: 'closed' },
      { server: ['ends 1'] },
    ],
  ],
  [
    'sends the errors of an operation that cannot be opened',
    [
      ...acknowledged,
      subscribe('1'),
      subscribe('2'),
      subscribe('3'),
      { server: [opens, opens, { id: '3', type: 'error', payload: [{ message: 'too many' }] }] },
      { event: 'closed' },
      { server: ['ends 0', 'ends 1'] },
    ],
  ],
  [
    'closes with 4409 at a subscribe with the id of a running operation',
    [
      ...acknowledged,
      subscribe('1'),
      subscribe('1'),
      { server: [opens, '4409 Subscriber for 1 already exists'] },
      { event: 'closed' },
      { server: ['ends 0'] },
    ],
  ],
  [
    'ends an operation at a complete of the client and sends nothing more of it',
    [
      ...acknowledged,
      subscribe('1'),
      { result: '{"data":1}', of: 0 },
      complete('1'),
      { result: '{"data":2}', of: 0 },
      { end: 0, error: rejected },
      { server: [opens, { id: '1', type: 'next', payload: { data: 1 } }, 'ends 0'] },
    ],
  ],
  [
    'runs a new operation under the id of a completed one',
    [
      ...acknowledged,
      subscribe('1'),
      complete('1'),
      subscribe('1'),
      { end: 0 },
      { result: '{"data":2}', of: 1 },
      { end: 1 },
      {
        server: [
          opens,
          'ends 0',
          opens,
          { id: '1', type: 'next', payload: { data: 2 } },
          { id: '1', type: 'complete' },
        ],
      },
    ],
  ],
  ['ignores a complete of an operation that is not running', [...acknowledged, complete('1'), { server: [] }]],
  [
    'ends all operations of a client that disconnects, and ignores messages read before',
    [
      ...acknowledged,
      subscribe('1'),
      subscribe('2'),
      { event: 'closed' },
      subscribe('3'),
      { client: undefined },
      { server: [opens, opens, 'ends 0', 'ends 1'] },
    ],
  ],
  ['closes with 4400 at a message that is not JSON', [{ client: undefined }, invalid]],
  ['closes with 4400 at a list', [{ client: [] }, invalid]],
  ['closes with 4400 at a message without a type', [{ client: {} }, invalid]],
  ['closes with 4400 at an unknown type', [{ client: { type: 'start' } }, invalid]],
  [
    'closes with 4400 at a message that only servers send',
    [...acknowledged, { client: { type: 'next', id: '1', payload: {} } }, invalid],
  ],
  [
    'closes with 4400 at a connection_init with a payload that is not an object',
    [{ client: { type: 'connection_init', payload: 'secret' } }, invalid],
  ],
  ['closes with 4400 at a subscribe with a number as id', [...acknowledged, subscribe(1), invalid]],
  ['closes with 4400 at a subscribe with an empty id', [...acknowledged, subscribe(''), invalid]],
  ['closes with 4400 at a subscribe without a payload', [...acknowledged, subscribe('1', { payload: null }), invalid]],
  ['closes with 4400 at a subscribe without a query', [...acknowledged, subscribe('1', { payload: {} }), invalid]],
  [
    'closes with 4400 at a subscribe with a list of variables',
    [...acknowledged, subscribe('1', { payload: { ...payload, variables: [] } }), invalid],
  ],
  [
    'closes with 4400 at a subscribe with a number as operation name',
    [...acknowledged, subscribe('1', { payload: { ...payload, operationName: 1 } }), invalid],
  ],
  [
    'accepts null for the optional members of a request',
    [
      ...acknowledged,
      subscribe('1', { payload: { ...payload, variables: null, operationName: null, extensions: null } }),
      { server: ['opens {"query":"{ a }","variables":null,"operationName":null,"extensions":null}'] },
      { event: 'closed' },
      { server: ['ends 0'] },
    ],
  ],
  ['closes with 4400 at a complete without an id', [...acknowledged, complete(undefined), invalid]],
])('%s', (_rule, steps) => play(transportProtocol, steps));

test('closes with 4408 if no connection_init arrives in time', async () => {
  expect(await codeWithoutInit(transportProtocol)).toBe(4408);
});
