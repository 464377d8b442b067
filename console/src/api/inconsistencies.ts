/** Inconsistent metadata objects, from `get_inconsistent_metadata`. */
import type { Client } from './client.ts';

export interface InconsistentObject {
  readonly type: string;
  readonly name: string;
  readonly reason: string;
  /** JSON path into the metadata. */
  readonly path: string;
  /** The metadata of the object. */
  readonly definition: unknown;
}

/** Throws Failure. */
export async function readInconsistencies(client: Client, signal: AbortSignal): Promise<readonly InconsistentObject[]> {
  const response = await client.command<{ readonly inconsistent_objects: readonly InconsistentObject[] }>(
    'get_inconsistent_metadata',
    {},
    signal,
  );
  return response.inconsistent_objects;
}

/** Separates objects that cannot be used from metadata members that have no effect. */
export function groupBySeverity(objects: readonly InconsistentObject[]): {
  readonly broken: readonly InconsistentObject[];
  readonly unsupported: readonly InconsistentObject[];
} {
  return {
    broken: objects.filter(({ type }) => type !== 'unsupported'),
    unsupported: objects.filter(({ type }) => type === 'unsupported'),
  };
}

/** Returns the reason without the prefix that all reasons share. */
export function reasonOf({ reason }: InconsistentObject): string {
  return reason.replace(/^Inconsistent object: /, '');
}

/** Returns `Object relation` for `object_relation`. */
export function kindOf({ type }: InconsistentObject): string {
  const text = type.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
