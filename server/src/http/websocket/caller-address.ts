/** Where a caller connects from, behind proxies that are believed. */
import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/** As the framework tells it for requests that it routes; undefined when the connection is gone already. */
export function addressOf(request: IncomingMessage, trusted: readonly string[] | undefined): string | undefined {
  if (trusted === undefined || request.socket.remoteAddress === undefined) return request.socket.remoteAddress;
  return proxyAddress(request, proxyAddress.compile([...trusted]));
}
