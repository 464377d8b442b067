/** The body of a command request, `{ type, args, version?, resource_version? }`. */

import { ServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import type { CommandRequest } from '../metadata/command-context.ts';

/** Ignores unknown members: clients send some, such as `source`, beside `args`. */
export function readRequest(body: unknown, path = '$'): CommandRequest {
  if (!isJsonObject(body)) {
    throw new ServiceError('parse-failed', 'a command is a JSON object { type, args }', { path });
  }
  const { type, args = {}, version = 1 } = body;
  if (typeof type !== 'string') {
    throw new ServiceError('parse-failed', '"type" is required and must name a command', { path: `${path}.type` });
  }
  if (version !== 1 && version !== 2) {
    throw new ServiceError('parse-failed', '"version" must be 1 or 2', { path: `${path}.version` });
  }
  return { type: type.replace(otherPrefixes, 'pg_'), args, version };
}

/** Prefixes of commands for sources of other kinds that are served as PostgreSQL. */
const otherPrefixes = /^(?:postgres|citus|cockroach)_/;

/** Returns the metadata version that the change is based on; undefined if the request names none. */
export function readResourceVersion(body: unknown): number | undefined {
  const { resource_version: version } = body as { readonly resource_version?: unknown };
  if (version === undefined || version === null) return undefined;
  if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 0) return version;
  throw new ServiceError('parse-failed', '"resource_version" must be a whole number, as export_metadata gives it', {
    path: '$.resource_version',
  });
}
