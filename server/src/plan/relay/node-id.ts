/** The global id of a row, with the encoding of Hasura v2: base64 of `[1, "schema", "table", key, ...]`. */
import { ServiceError } from '../../base/errors.ts';
import { kindOf } from '../../base/json-value.ts';
import { fromBase64 } from './json-values.ts';

/** The version of the encoding. */
export const NODE_ID_VERSION = 1;

export interface NodeId {
  readonly schema: string;
  readonly table: string;
  /** The values of the primary key; at least one. */
  readonly key: readonly unknown[];
}

/** Parses an id. Throws `validation-failed` with `path`. */
export function parseNodeId(text: string, path: string): NodeId {
  const items = decoded(text, path);
  if (!Array.isArray(items)) {
    throw invalidNodeId(`Error in $: parsing node id failed, expected Array, but encountered ${kindOf(items)}`, path);
  }
  const [version, schema, table, ...key]: readonly unknown[] = items;
  if (items.length === 0) throw invalidNodeId('Error in $: unexpected GUID format, found empty list', path);
  if (typeof version !== 'number') {
    throw invalidNodeId('Error in $: unexpected GUID format, needs to start with a version number', path);
  }
  if (version !== NODE_ID_VERSION) throw invalidNodeId(`Error in $: unsupported GUID version: ${version}`, path);
  if (typeof schema !== 'string' || typeof table !== 'string' || key.length === 0) {
    const expected = 'expecting schema name, table name and at least one column value';
    throw invalidNodeId(`Error in $: GUID version 1: ${expected}`, path);
  }
  return { schema, table, key };
}

function decoded(text: string, path: string): unknown {
  try {
    return fromBase64(text);
  } catch {
    throw invalidNodeId('Error in $: not a valid json value', path);
  }
}

/** The error for an id that names no row of the Relay schema. */
export function invalidNodeId(reason: string, path: string): ServiceError {
  return new ServiceError('validation-failed', `invalid node id: ${reason}`, { path });
}
