/** Waits until an HTTP server has read the requests of other processes. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/**
 * Resolves when the server has read what was sent to it before, such as by a process that was stopped: connections are
 * accepted and become readable in order. The server must respond to HEAD, which it does not count as a call.
 */
export async function untilRead(url: string): Promise<void> {
  const sent = request(url, { method: 'HEAD', agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
}
