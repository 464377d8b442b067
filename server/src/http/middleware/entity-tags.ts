/** Entity tags for responses to GET: a client with the current content gets 304 without a body. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sends `body`, or 304 if the client has it. Only the client may cache it, and must revalidate it each time, because
 * permissions and data change.
 */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  if (request.method !== 'GET' || reply.statusCode !== 200) return reply.send(body);
  const tag = `W/"${createHash('sha1').update(body).digest('base64url')}"`;
  reply.header('etag', tag);
  reply.header('cache-control', 'private, no-cache');
  return hasTag(request.headers['if-none-match'], tag) ? reply.code(304).send() : reply.send(body);
}

function hasTag(header: string | undefined, tag: string): boolean {
  const tags = header?.split(',').map((one) => one.trim()) ?? [];
  return tags.includes(tag) || tags.includes('*');
}
