/** Random sequences of messages of both websocket protocols, and of PostgreSQL in random chunks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { RawJson } from '../../../src/base/json-value.ts';
import { legacyProtocol } from '../../../src/http/websocket/legacy-protocol.ts';
import { type ProtocolSocket, transportProtocol } from '../../../src/http/websocket/transport-protocol.ts';
import { Framer, ProtocolError } from '../../../src/postgres/wire/framing.ts';
import { OperationRejected, type ResultStream } from '../../../src/service/graphql/result-streams.ts';
import { fuzz, unhurried } from '../seed.ts';

interface Sent {
  readonly type: string;
  readonly id?: unknown;
}

/** A socket that records messages, and an access to operations that end in each possible way. */
class Recorder implements ProtocolSocket {
  readonly sent: Sent[] = [];
  readonly codes: number[] = [];
  running = 0;
  isRejected = false;
  onClose: () => void = () => undefined;

  async send(text: string): Promise<void> {
    this.sent.push(JSON.parse(text) as Sent);
  }
  close(code: number): void {
    this.codes.push(code);
    this.onClose();
  }
  hold(): void {}
  release(): void {}

  async admit(): Promise<void> {
    await Promise.resolve();
    if (this.isRejected) throw new ServiceError('access-denied', 'no such secret');
  }

  open(payload: unknown): ResultStream {
    const { query } = (payload ?? {}) as { readonly query?: unknown };
    if (query === 'rejected') throw new OperationRejected([{ message: 'rejected' }]);
    return this.#results(query);
  }

  async *#results(query: unknown): ResultStream {
    this.running += 1;
    try {
      if (query === 'failed') throw new ServiceError('unexpected', 'failed');
      yield new RawJson('{"data":1}');
      // Until the client or the socket ends it.
      while (query === 'endless') {
        await new Promise((resolve) => setImmediate(resolve));
        yield new RawJson('{"data":2}');
      }
    } finally {
      this.running -= 1;
    }
    return undefined;
  }
}

const id = fc.constantFrom('1', '2', '', 1, null, undefined, {});
const payload = fc.oneof(
  fc.record({
    query: fc.constantFrom('one', 'failed', 'rejected', 'endless', 1, undefined),
    variables: fc.constantFrom(undefined, null, {}, [], 'x'),
  }),
  fc.constantFrom(undefined, null, 'x', [], {}),
);
const types = [
  'connection_init',
  'ping',
  'pong',
  'subscribe',
  'complete',
  'start',
  'stop',
  'connection_terminate',
  'next',
  '__proto__',
];
const message = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constantFrom(...types), id, payload }) },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const sequence = fc.record({
  isRejected: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
  waits: fc.boolean(),
  messages: fc.array(message, { maxLength: 12 }).map((all) => [{ type: 'connection_init' }, ...all]),
});

const protocols = {
  'graphql-transport-ws': {
    create: transportProtocol(60_000),
    types: ['connection_ack', 'pong', 'next', 'error', 'complete'],
    codes: [4400, 4401, 4403, 4409, 4429],
  },
  'graphql-ws': {
    create: legacyProtocol(60_000),
    types: ['connection_ack', 'connection_error', 'data', 'error', 'complete', 'ka'],
    codes: [1000, 4400, 4429],
  },
} as const;

test.each(Object.keys(protocols) as (keyof typeof protocols)[])(
  'each sequence of messages of %s has replies of the protocol, and no operation outlives the socket',
  unhurried,
  async (name) => {
    const { create, types: replies, codes } = protocols[name];
    await fc.assert(
      fc.asyncProperty(sequence, async ({ isRejected, waits, messages }) => {
        const socket = new Recorder();
        socket.isRejected = isRejected;
        const session = create(socket, socket);
        socket.onClose = () => session.closed();
        const handled: Promise<void>[] = [];
        for (const one of messages) {
          if (socket.codes.length > 0) break;
          handled.push(session.message(one));
          if (waits) await new Promise((resolve) => setImmediate(resolve));
        }
        session.closed();
        await Promise.all(handled);
        expect(socket.running).toBe(0);
        expect(
          socket.sent.map(({ type }) => type).filter((type) => !(replies as readonly string[]).includes(type)),
        ).toEqual([]);
        expect(socket.codes.filter((code) => !(codes as readonly number[]).includes(code))).toEqual([]);
      }),
      fuzz(1_500),
    );
  },
);

interface Frame {
  readonly type: number;
  readonly body: Buffer;
}

const frames = fc.array(
  fc.record({
    type: fc.constantFrom(...[...'DTEZCA1'].map((letter) => letter.charCodeAt(0))),
    body: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 8 },
);

function bytesOf({ type, body }: Frame): Buffer {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Pushes the bytes in chunks of these sizes, repeated. */
function framed(bytes: Buffer, sizes: readonly number[]): readonly Frame[] {
  const found: Frame[] = [];
  const framer = new Framer({
    begin: () => true,
    handle: (type, all, start, end) => found.push({ type, body: Buffer.from(all.subarray(start, end)) }),
  });
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const chunk = Buffer.from(bytes.subarray(at, at + (sizes[turn % sizes.length] ?? 1)));
    framer.push(chunk, chunk.length);
    at += chunk.length;
  }
  return found;
}

const chunkSizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 });

test('messages of PostgreSQL are the same in whatever chunks they arrive', unhurried, () => {
  fc.assert(
    fc.property(frames, chunkSizes, (all, sizes) => {
      expect(framed(Buffer.concat(all.map(bytesOf)), sizes)).toEqual(all);
    }),
    fuzz(3_000),
  );
});

test('bytes that are no messages of PostgreSQL are rejected as an error of the protocol', unhurried, () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), chunkSizes, (bytes, sizes) => {
      try {
        framed(Buffer.from(bytes), sizes);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
    }),
    fuzz(3_000),
  );
});
