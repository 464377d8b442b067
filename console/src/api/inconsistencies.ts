/** Inconsistent metadata objects, from `get_inconsistent_metadata`. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import type { Client } from './client.ts';

/** Throws Failure. */
export async function readInconsistencies(client: Client, signal: AbortSignal): Promise<readonly InconsistentObject[]> {
  const response = await client.command('get_inconsistent_metadata', {}, { signal });
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
