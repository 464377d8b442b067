/** The protocol graphql-ws of subscriptions-transport-ws, message by message. */
import { expect, test } from 'vitest';
import { legacyProtocol } from '../../src/http/websocket/legacy-protocol.ts';
import { admit, codeWithoutInit, init, play, rejected, type Step } from './protocol-steps.ts';

const payload = { query: '{ a }' };
const start = (id: unknown) => ({ client: { type: 'start', id, payload } });
const stop = (id: unknown) => ({ client: { type: 'stop', id } });
const opens = 'opens {"query":"{ a }"}';
const acknowledged: readonly Step[] = [
  init,
  admit,
  { server: ['stops reading', 'admits undefined', 'reads', { type: 'connection_ack' }, { type: 'ka' }] },
];

test.each<[rule: string, steps: readonly Step[]]>([
  [
    'reports failed authentication as connection_error and closes with 4400',
    [
      init,
      { event: 'forbid' },
      {
        server: [
          'stops reading',
          'admits undefined',
          { type: 'connection_error', payload: 'wrong secret' },
          '4400 wrong secret',
          'reads',
        ],
      },
    ],
  ],
  [
    'closes with 4429 at a second connection_init',
    [...acknowledged, init, { server: ['4429 Too many initialisation requests'] }],
  ],
  [
    'starts operations that arrive during authentication after the acknowledgment',
    [
      init,
      start('1'),
      { server: ['stops reading', 'admits undefined'] },
      admit,
      { server: ['reads', { type: 'connection_ack' }, { type: 'ka' }, opens] },
      { event: 'closed' },
      { server: ['ends 0'] },
    ],
  ],
  [
    'rejects a start without connection_init',
    [
      start('1'),
      {
        server: [
          {
            type: 'error',
            id: '1',
            payload: {
              message: 'start received before the connection is initialised',
              extensions: { path: '$', code: 'start-failed' },
            },
          },
          { type: 'complete', id: '1' },
        ],
      },
    ],
  ],
  [
    'sends keep-alive messages after the acknowledgment only',
    [{ event: 'keepAlive' }, { server: [] }, ...acknowledged, { event: 'keepAlive' }, { server: [{ type: 'ka' }] }],
  ],
  [
    'sends the results of an operation and its end, also under a number as id',
    [
      ...acknowledged,
      start(7),
      { result: '{"data":1}', of: 0 },
      { end: 0 },
      { server: [opens, { type: 'data', id: 7, payload: { data: 1 } }, { type: 'complete', id: 7 }] },
    ],
  ],
  [
    'sends the errors of a rejected operation and a complete',
    [
      ...acknowledged,
      start('1'),
      { end: 0, error: rejected },
      {
        server: [
          opens,
          { type: 'error', id: '1', payload: { errors: [{ message: 'no such field' }] } },
          { type: 'complete', id: '1' },
        ],
      },
    ],
  ],
  [
    'rejects a start with the id of a running operation, which goes on',
    [
      ...acknowledged,
      start('1'),
      start('1'),
      {
        server: [
          opens,
          {
            type: 'error',
            id: '1',
            payload: {
              message: 'an operation already exists with this id: 1',
              extensions: { path: '$', code: 'start-failed' },
            },
          },
        ],
      },
      { result: '{"data":1}', of: 0 },
      { server: [{ type: 'data', id: '1', payload: { data: 1 } }] },
      { event: 'closed' },
      { server: ['ends 0'] },
    ],
  ],
  [
    'ends an operation at a stop and sends nothing more of it',
    [...acknowledged, start('1'), stop('1'), { result: '{"data":1}', of: 0 }, { server: [opens, 'ends 0'] }],
  ],
  [
    'runs a new operation under the id of a stopped one',
    [
      ...acknowledged,
      start('1'),
      stop('1'),
      start('1'),
      { end: 1 },
      { server: [opens, 'ends 0', opens, { type: 'complete', id: '1' }] },
    ],
  ],
  [
    'closes with 1000 at a connection_terminate',
    [...acknowledged, { client: { type: 'connection_terminate' } }, { server: [1000] }],
  ],
  [
    'ends all operations of a client that disconnects',
    [...acknowledged, start('1'), { event: 'closed' }, { server: [opens, 'ends 0'] }],
  ],
  [
    'reports an unknown message as connection_error',
    [
      ...acknowledged,
      { client: { type: 'subscribe' } },
      {
        server: [
          {
            type: 'connection_error',
            payload: 'a message is a JSON object whose "type" the protocol graphql-ws knows',
          },
        ],
      },
    ],
  ],
])('%s', (_rule, steps) => play(legacyProtocol, steps));

test('closes with 1011 if no connection_init arrives in time', async () => {
  expect(await codeWithoutInit(legacyProtocol)).toBe(1011);
});
