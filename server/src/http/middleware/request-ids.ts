/** Request ids: sent by the client or generated, and returned in the response, the log and errors. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Ids that are safe in log lines and headers. */
const acceptable = /^[\w.:@/+=-]{1,128}$/;

/** Returns the header `x-request-id` if it is acceptable, and a new id otherwise. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptable.test(sent) ? sent : randomUUID();
}
