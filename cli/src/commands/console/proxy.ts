/** Passes HTTP requests and websockets to the service. A request that the browser cancels is canceled in the service. */
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { Project } from '../../project/config.ts';

export interface ServiceProxy {
  /** `body` replaces a body that was read. `onFailure` gets the error where there is no response. */
  pass(request: IncomingMessage, response: ServerResponse, onFailure: (error: Error) => void, body?: string): void;
  /** Connects an upgraded socket with one of the service. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface Upstream {
  readonly endpoint: string;
  readonly tls: Project['tls'];
  readonly apiPaths: Project['apiPaths'];
  /** Headers that override those of the browser. */
  readonly secret: Readonly<Record<string, string>>;
}

/** Headers of this server or of one connection. The service would compare the origin with its own host. */
const own = new Set(['host', 'cookie', 'origin', 'referer', 'connection', 'keep-alive', 'expect', 'transfer-encoding']);

export function createProxy({ endpoint, tls, apiPaths, secret }: Upstream): ServiceProxy {
  const base = new URL(endpoint);
  const isSecure = base.protocol === 'https:';
  const agent = isSecure
    ? new https.Agent({ keepAlive: true, ca: tls.authority, rejectUnauthorized: tls.verify })
    : new http.Agent({ keepAlive: true });
  const send = (request: IncomingMessage, headers: http.OutgoingHttpHeaders): http.ClientRequest => {
    const [path = '/', query] = (request.url ?? '/').split('?');
    const target = `${base.pathname.replace(/\/$/, '')}${apiPaths[path] ?? path}${query === undefined ? '' : `?${query}`}`;
    const { method } = request;
    const { hostname, port } = base;
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = { agent, method, path: target, headers, host, ...(port !== '' && { port }) };
    return (isSecure ? https : http).request(options);
  };
  return {
    pass: (request, response, onFailure, body) => {
      const headers = { ...forwarded(request.headers), ...secret };
      if (body !== undefined) headers['content-length'] = Buffer.byteLength(body);
      const sent = send(request, headers);
      response.on('close', () => sent.destroy());
      sent.on('error', (error) => {
        if (response.headersSent || response.destroyed) response.destroy();
        else onFailure(error);
      });
      sent.on('response', (received) => {
        response.writeHead(received.statusCode ?? 502, withoutConnection(received.headers));
        received.on('error', () => response.destroy());
        received.pipe(response);
      });
      if (body === undefined) request.pipe(sent);
      else sent.end(body);
    },
    upgrade: (request, socket, head) => {
      const { connection = 'Upgrade' } = request.headers;
      const sent = send(request, { ...forwarded(request.headers), ...secret, connection });
      const end = (): void => {
        socket.destroy();
        sent.destroy();
      };
      socket.on('error', end);
      socket.on('close', () => sent.destroy());
      sent.on('error', end);
      sent.on('response', end);
      sent.on('upgrade', (received, other, first) => {
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headerLines(received)}\r\n`);
        if (first.length > 0) socket.write(first);
        if (head.length > 0) other.write(head);
        other.on('error', () => socket.destroy());
        other.on('close', () => socket.destroy());
        socket.on('close', () => other.destroy());
        other.pipe(socket).pipe(other);
      });
      sent.end();
    },
  };
}

function forwarded(headers: IncomingHttpHeaders): http.OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !own.has(name) && !name.startsWith('sec-fetch-')),
  );
}

function withoutConnection({ connection: _connection, 'keep-alive': _keepAlive, ...headers }: IncomingHttpHeaders) {
  return headers;
}

function headerLines({ rawHeaders }: IncomingMessage): string {
  let lines = '';
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  return lines;
}
