/** A server that the service calls as an action handler, remote schema or webhook, with hostile responses. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema, graphqlSync } from 'graphql';
import { type ResponseInput, textOf } from './corpus.ts';

const schema = buildSchema(`
  type Item { id: ID! name: String size: Int items: [Item!] }
  type Query { item: Item items: [Item!]! }
`);

const DRIP_MS = 50;

export interface Upstream {
  readonly url: string;
  /** Responds to all following requests that are no introspections. */
  respondWith(input: ResponseInput): void;
  /** Responds with `start` at once, and then with one `filler` after the other without an end. */
  dripWith(start: string, filler: string): void;
  /** The number of open connections. */
  readonly connections: () => number;
  /** The number of requests that were read, without introspections. */
  readonly received: () => number;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  let reply: Buffer = Buffer.from('');
  let filler: string | undefined;
  let received = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += String(chunk);
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      const body = text.slice(end + 4, end + 4 + length);
      text = '';
      if (body.includes('__schema')) {
        const { query } = JSON.parse(body) as { query: string };
        socket.end(response(200, {}, JSON.stringify(graphqlSync({ schema, source: query }))));
        return;
      }
      received += 1;
      if (filler === undefined) socket.end(reply);
      else void drip(socket, reply, filler);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    respondWith: ({ status = 200, headers = {}, body = '', bytes }) => {
      filler = undefined;
      reply = bytes === undefined ? response(status, headers, textOf(body)) : Buffer.from(textOf(bytes), 'latin1');
    },
    dripWith: (start, endless) => {
      reply = Buffer.from(start, 'latin1');
      filler = endless;
    },
    connections: () => sockets.size,
    received: () => received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Writes `filler` until the socket is closed. */
export async function drip(socket: Socket, start: Buffer, filler: string): Promise<void> {
  socket.write(start);
  while (!socket.destroyed && socket.writable) {
    socket.write(filler);
    await sleep(DRIP_MS);
  }
}

function response(status: number, headers: NonNullable<ResponseInput['headers']>, body: string): Buffer {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${textOf(value)}\r\n`);
  const content = Buffer.from(body);
  const length = `content-length: ${content.length}\r\ncontent-type: application/json\r\n`;
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} x\r\n${length}${own.join('')}\r\n`, 'latin1'), content]);
}
