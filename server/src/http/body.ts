/** Parses request bodies as JSON, large ones in slices. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../base/errors.ts';
import { parseJson } from '../base/json-value.ts';
import { LARGE_JSON, parseLargeJson } from '../base/large-json.ts';

/** Parses the body as JSON. Rejects with `invalid-json`. */
export async function readBody(request: FastifyRequest): Promise<unknown> {
  const text = typeof request.body === 'string' ? request.body : '';
  try {
    return text.length < LARGE_JSON ? parseJson(text) : await parseLargeJson(text);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError(
      'invalid-json',
      text === '' ? 'the request body is empty' : `the request body is not JSON: ${problem}`,
    );
  }
}
