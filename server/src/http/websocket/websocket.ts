/** Websockets on `/v1/graphql`, `/v1alpha1/graphql` and `/v1beta1/relay`: upgrade, protocol negotiation, limits and shutdown. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { toServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import { LARGE_JSON, parseLargeJson } from '../../base/large-json.ts';
import { requestId } from '../middleware/request-ids.ts';
import { originRules } from '../middleware/request-origin.ts';
import type { HttpSettings } from '../settings.ts';
import { ClientSocket } from './client-socket.ts';
import { Connection, type ConnectionParts } from './connection.ts';
import { KeepAlive } from './keep-alive.ts';
import { legacyProtocol } from './legacy-protocol.ts';
import { limitBeforeAcknowledgment } from './message-limit.ts';
import { type ProtocolSession, transportProtocol } from './transport-protocol.ts';

const TRANSPORT = 'graphql-transport-ws';
const LEGACY = 'graphql-ws';

const RELAY = '/v1beta1/relay';

/** Time for clients to acknowledge the close when the service stops, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

export interface WebSockets {
  /** Number of open connections. */
  readonly size: () => number;
}

export function webSockets(app: FastifyInstance, parts: ConnectionParts, settings: HttpSettings): WebSockets {
  const { keepAliveMs, initTimeoutMs } = settings.websocket;
  const protocols = { transport: transportProtocol(initTimeoutMs), legacy: legacyProtocol(initTimeoutMs) };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: settings.maxBodyBytes,
    handleProtocols: (offered) => [TRANSPORT, LEGACY].find((protocol) => offered.has(protocol)) ?? false,
  });
  const origins = originRules(settings);
  const endpoints: ReadonlySet<string> = new Set([
    '/v1/graphql',
    '/v1alpha1/graphql',
    ...(settings.relay ? [RELAY] : []),
  ]);
  const keepAlive = new KeepAlive(keepAliveMs);
  let stopping = false;

  app.server.on('upgrade', (request, socket, head) => {
    const rejection = stopping ? (['503 Service Unavailable'] as const) : rejectionOf(request);
    if (rejection !== undefined) reject(socket, ...rejection);
    else sockets.handleUpgrade(request, socket, head, (opened) => serve(opened, request, socket));
  });

  /** Returns status and reason of a rejection; undefined if the socket may be opened. */
  function rejectionOf(request: IncomingMessage): readonly [status: string, reason?: string] | undefined {
    if (!endpoints.has(pathOf(request))) return ['404 Not Found'];
    try {
      origins.admitUpgrade(request);
      return undefined;
    } catch (thrown) {
      const error = toServiceError(thrown);
      parts.observe({ kind: 'refused', requestId: requestId(request), error });
      return [error.status === 403 ? '403 Forbidden' : '500 Internal Server Error', error.message];
    }
  }

  function serve(socket: WebSocket, request: IncomingMessage, stream: Duplex): void {
    const client = new ClientSocket(socket);
    const connection = new Connection(request, client, parts, settings, pathOf(request) === RELAY);
    const offered = request.headers['sec-websocket-protocol'];
    if (socket.protocol === '' && offered !== undefined) {
      socket.close(4406, 'Subprotocol not acceptable');
      return;
    }
    limitBeforeAcknowledgment(socket, stream, () => connection.isAdmitted);
    const protocol = socket.protocol === TRANSPORT ? protocols.transport : protocols.legacy;
    const session = protocol(client, connection);
    const stopKeepingAlive = keepAlive.add(client, session);
    const read = inOrder((message) => receive(session, client, message));
    socket.on('message', (data, binary) => {
      if (socket.readyState !== socket.OPEN) return;
      if (binary) socket.close(1003, 'messages are text');
      else read(String(data));
    });
    // An invalid frame; `close` follows.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      stopKeepingAlive();
      connection.closed();
      session.closed();
    });
  }

  async function receive(session: ProtocolSession, client: ClientSocket, message: unknown): Promise<void> {
    try {
      await session.message(message);
    } catch (error) {
      parts.observe({ kind: 'failure', where: 'handling a websocket message', error });
      client.close(4500, 'Internal server error');
    }
  }

  app.addHook('preClose', async () => {
    stopping = true;
    await parts.subscriber.idle();
    for (const socket of sockets.clients) socket.close(1001, 'the service is stopping');
    const timeout = setTimeout(() => {
      for (const socket of sockets.clients) socket.terminate();
    }, CLOSE_TIMEOUT_MS);
    const open = [...sockets.clients].filter((socket) => socket.readyState !== socket.CLOSED);
    await Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    clearTimeout(timeout);
  });

  return { size: () => sockets.clients.size };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return (url.split('?')[0] ?? '').replace(/\/$/, '');
}

/** Parses messages and passes them on in order of arrival. A large message is parsed in slices; later ones wait for it. */
function inOrder(receive: (message: unknown) => Promise<void>): (text: string) => void {
  let parsing: Promise<void> | undefined;
  const next = async (text: string, before: Promise<void> | undefined) => {
    await before;
    const message = await parseLargeJson(text).catch(() => undefined);
    void receive(message);
  };
  return (text) => {
    if (parsing === undefined && text.length < LARGE_JSON) {
      void receive(parsed(text));
      return;
    }
    const latest = next(text, parsing).finally(() => {
      if (parsing === latest) parsing = undefined;
    });
    parsing = latest;
  };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function reject(socket: Duplex, status: string, reason = ''): void {
  socket.on('error', () => undefined);
  const headers = ['Connection: close', 'Content-Type: text/plain; charset=utf-8'];
  const length = `Content-Length: ${Buffer.byteLength(reason)}`;
  socket.end(`${[`HTTP/1.1 ${status}`, ...headers, length].join('\r\n')}\r\n\r\n${reason}`);
}
