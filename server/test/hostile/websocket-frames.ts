/** Sends websocket frames that clients of libraries cannot send. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Frame, textOf, type WebSocketInput } from './corpus.ts';
import type { Outcome } from './senders.ts';

/** How long the service may take to close the connection or to respond to a ping, in milliseconds. */
const DEADLINE_MS = 30_000;
const PING = 'end of the input';

interface Received {
  readonly opcode: number;
  readonly payload: Buffer;
}

/**
 * Opens a connection, sends the frames, reads `await` messages (the first before the second frame is sent), and sends a ping. The outcome consists of the types of
 * the messages that were awaited, and `open` for a pong, `close <code>`, or `closed` without a close frame.
 */
export async function sendFrames(url: string, input: WebSocketInput): Promise<Outcome> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  // The service may close the connection while bytes are sent.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const messages: string[] = [];
  let buffer: Buffer = Buffer.alloc(0);
  let opened = false;
  let pinged = false;
  const wanted = input.await ?? 0;
  const ping = (): void => {
    if (pinged) return;
    pinged = true;
    socket.write(encode({ opcode: 9, payload: PING }));
  };
  const end = new Promise<string>((resolve) => {
    const timer = setTimeout(() => resolve('late'), DEADLINE_MS);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve('closed');
    });
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, chunk]);
      if (!opened) {
        const head = buffer.indexOf('\r\n\r\n');
        if (head === -1) return;
        opened = true;
        buffer = buffer.subarray(head + 4);
        for (const frame of wanted === 0 ? input.frames : input.frames.slice(0, 1)) socket.write(encode(frame));
        if (wanted === 0) ping();
      }
      for (let frame = take(); frame !== undefined; frame = take()) {
        if (frame.opcode === 1 && messages.length < wanted) {
          messages.push(describe(frame.payload));
          if (messages.length === 1) for (const one of input.frames.slice(1)) socket.write(encode(one));
        }
        if (messages.length >= wanted) ping();
        if (frame.opcode === 10 && frame.payload.toString() === PING) resolve('open');
        if (frame.opcode === 8) resolve(`close ${frame.payload.length >= 2 ? frame.payload.readUInt16BE(0) : 1005}`);
      }
    });
  });
  /** Removes the first whole frame of the buffer. Frames of the service are not masked. */
  const take = (): Received | undefined => {
    if (buffer.length < 2) return undefined;
    const short = (buffer[1] ?? 0) & 127;
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (buffer.length < start) return undefined;
    const length = short === 126 ? buffer.readUInt16BE(2) : short === 127 ? Number(buffer.readBigUInt64BE(2)) : short;
    if (buffer.length < start + length) return undefined;
    const frame = { opcode: (buffer[0] ?? 0) & 15, payload: buffer.subarray(start, start + length) };
    buffer = buffer.subarray(start + length);
    return frame;
  };
  const protocol = input.protocol ?? 'graphql-transport-ws';
  socket.write(
    `GET /v1/graphql HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
  const how = await end;
  socket.destroy();
  return [...messages, how].join(' ');
}

/** Returns the type of a message, with the code of its first error. */
function describe(payload: Buffer): string {
  const { type, payload: content } = JSON.parse(payload.toString()) as { type: string; payload?: unknown };
  const [first] = Array.isArray(content) ? (content as { extensions?: { code?: string } }[]) : [];
  return first?.extensions?.code === undefined ? type : `${type}:${first.extensions.code}`;
}

function encode(frame: Frame): Buffer {
  if ('bytes' in frame) return Buffer.from(textOf(frame.bytes), 'latin1');
  const one =
    'text' in frame
      ? frameOf(1, Buffer.from(textOf(frame.text)), {})
      : frameOf(frame.opcode, Buffer.from(textOf(frame.payload ?? ''), 'latin1'), frame);
  return Buffer.concat(Array.from({ length: frame.times ?? 1 }, () => one));
}

function frameOf(opcode: number, payload: Buffer, more: Omit<Extract<Frame, { opcode: number }>, 'opcode'>): Buffer {
  const { final = true, masked = true, length = payload.length, reserved = 0 } = more;
  const first = (final ? 128 : 0) | (reserved << 4) | opcode;
  const mask = masked ? 128 : 0;
  const head =
    length < 126
      ? Buffer.from([first, mask | length])
      : length < 65_536
        ? Buffer.from([first, mask | 126, length >> 8, length & 255])
        : Buffer.concat([Buffer.from([first, mask | 127]), uint64(length)]);
  if (!masked) return Buffer.concat([head, payload]);
  const key = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, key, payload.map((byte, index) => byte ^ (key[index % 4] ?? 0))]);
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
