/** Every request has an id, its own or one of ours; the answer, the log and refusals tell it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What may stand in a log line and a header without doubt. */
const acceptable = /^[\w.:@/+=-]{1,128}$/;

export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
