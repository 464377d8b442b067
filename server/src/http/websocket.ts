/** Sockets on /v1/graphql: the upgrade, the protocol that both sides speak, limits, and the end. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { allowsOrigin } from './cors.ts';
import type { HttpSettings } from './settings.ts';
import { legacyProtocol } from './websocket-legacy.ts';
import { Peer, type PeerParts } from './websocket-peer.ts';
import { type Conversation, transportProtocol } from './websocket-transport.ts';
import { Wire } from './websocket-wire.ts';

const TRANSPORT = 'graphql-transport-ws';
const LEGACY = 'graphql-ws';

/** Milliseconds between looks at whether a client still takes what it is sent. */
const CHECK_MS = 30_000;
/** Milliseconds that clients have to answer the close of a stopping service. */
const FAREWELL_MS = 2_000;

export interface WebSockets {
  /** Open connections. */
  readonly size: () => number;
}

export function webSockets(app: FastifyInstance, parts: PeerParts, settings: HttpSettings): WebSockets {
  const { keepAliveMs, initTimeoutMs } = settings.websocket;
  const protocols = { transport: transportProtocol(initTimeoutMs), legacy: legacyProtocol(initTimeoutMs) };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: settings.maxBodyBytes,
    handleProtocols: (offered) => [TRANSPORT, LEGACY].find((protocol) => offered.has(protocol)) ?? false,
  });
  let stopping = false;

  app.server.on('upgrade', (request, socket, head) => {
    const refused = stopping ? '503 Service Unavailable' : whyRefused(request, settings);
    if (refused !== undefined) refuse(socket, refused);
    else sockets.handleUpgrade(request, socket, head, (opened) => serve(opened, request));
  });

  function serve(socket: WebSocket, request: IncomingMessage): void {
    const wire = new Wire(socket);
    const peer = new Peer(request, wire, parts, settings);
    const offered = request.headers['sec-websocket-protocol'];
    if (socket.protocol === '' && offered !== undefined) {
      socket.close(4406, 'Subprotocol not acceptable');
      return;
    }
    const speak = socket.protocol === TRANSPORT ? protocols.transport : protocols.legacy;
    const conversation = speak(wire, peer);
    const beating = setInterval(() => wire.flowing && conversation.keepAlive(), keepAliveMs);
    const checking = setInterval(() => wire.check(), CHECK_MS);
    socket.on('message', (data, binary) => {
      if (binary) socket.close(1003, 'messages are text');
      else void receive(conversation, wire, String(data));
    });
    // A frame that breaks the protocol of websockets; `close` follows.
    socket.on('error', () => undefined);
    socket.once('close', (code, reason) => {
      clearInterval(beating);
      clearInterval(checking);
      peer.gone();
      conversation.closed(code, String(reason));
    });
  }

  async function receive(conversation: Conversation, wire: Wire, text: string): Promise<void> {
    try {
      await conversation.message(text);
    } catch (error) {
      parts.observe({ kind: 'failure', where: 'answering a message of a socket', error });
      wire.close(4500, 'Internal server error');
    }
  }

  app.addHook('preClose', async () => {
    stopping = true;
    await parts.subscriber.answered();
    for (const socket of sockets.clients) socket.close(1001, 'the service is stopping');
    const patience = setTimeout(() => {
      for (const socket of sockets.clients) socket.terminate();
    }, FAREWELL_MS);
    const open = [...sockets.clients].filter((socket) => socket.readyState !== socket.CLOSED);
    await Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    clearTimeout(patience);
  });

  return { size: () => sockets.clients.size };
}

function whyRefused(request: IncomingMessage, settings: HttpSettings): string | undefined {
  const path = request.url?.split('?')[0]?.replace(/\/$/, '');
  if (path !== '/v1/graphql') return '404 Not Found';
  // A browser says where the page is from, and sends its cookies along whatever the page.
  const { origin, host } = request.headers;
  return origin === undefined || allowsOrigin(settings.corsOrigins, origin, host) ? undefined : '403 Forbidden';
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
