/** Parses request bodies as JSON, large ones in slices. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../base/errors.ts';
import { parseJson } from '../base/json-value.ts';
import { LARGE_JSON, parseLargeJson } from '../base/large-json.ts';

/** Parses the body as JSON. Rejects with `invalid-json`. */
export async function readBody(request: FastifyRequest): Promise<unknown> {
  const text = typeof request.body === 'string' ? request.body : '';
  if (text.length < LARGE_JSON) return parseBody(text);
  try {
    return await parseLargeJson(text);
  } catch (cause) {
    throw invalid(text, cause);
  }
}

/** Parses a body of fewer than `LARGE_JSON` characters. Throws `invalid-json`. */
export function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw invalid(text, cause);
  }
}

function invalid(text: string, cause: unknown): ServiceError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new ServiceError(
    'invalid-json',
    text === '' ? 'the request body is empty' : `the request body is not JSON: ${problem}`,
  );
}
