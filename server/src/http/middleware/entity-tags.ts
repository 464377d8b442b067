/** Answers to GET have a tag of their content: who has it already is told so, without the content. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sends `body`, or 304 where the client has it. It may be kept by the client alone, and asked about each time: what a
 * role may see can change with any request.
 */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  if (request.method !== 'GET' || reply.statusCode !== 200) return reply.send(body);
  const tag = `W/"${createHash('sha1').update(body).digest('base64url')}"`;
  reply.header('etag', tag);
  reply.header('cache-control', 'private, no-cache');
  return hasTag(request.headers['if-none-match'], tag) ? reply.code(304).send() : reply.send(body);
}

function hasTag(known: string | undefined, tag: string): boolean {
  const tags = known?.split(',').map((one) => one.trim()) ?? [];
  return tags.includes(tag) || tags.includes('*');
}
